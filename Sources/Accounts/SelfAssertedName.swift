internal import Syntax

/// What a user is called, by what an app says: the user's own word, which nobody has proven and any user can change.
/// Few sign-ins have one, so it is shared and not copied.
public final class SelfAssertedName: Sendable {
    private static let maximumBytes = 255

    private let given: String?
    private let family: String?

    /// - Returns: nil where neither part can be kept: a name that is odd must not keep its owner from signing in.
    public init?(given: String?, family: String?) {
        self.given = given.flatMap(Self.kept)
        self.family = family.flatMap(Self.kept)
        if self.given == nil, self.family == nil { return nil }
    }

    private static func kept(_ text: String) -> String? {
        let fits = !text.isEmpty && text.utf8.count <= maximumBytes && VisibleText.fault(of: text) == nil
        return fits ? text : nil
    }

    /// As attributes of the user's own.
    public var attributes: Attributes {
        var attributes = Attributes()
        attributes["given_name"] = given
        attributes["family_name"] = family
        attributes["name"] = [given, family].compactMap(\.self).joined(separator: " ")
        return attributes
    }
}
