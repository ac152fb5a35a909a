internal import Accounts
internal import JSON
internal import Syntax

/// What a user is called, by what an app says. Apple tells apps a name at the very first sign-in and never again, and signs nothing
/// of it: so it counts as the user's own word, which any user can change.
struct SelfAssertedName: Sendable, Equatable {
    private static let maximumBytes = 255

    let given: String?
    let family: String?

    /// Reads what Apple's SDKs hand out beside the tokens: `{"name":{"firstName":…,"lastName":…},"email":…}`. The address is passed
    /// over: the ID token has it, too, and there it is proven.
    ///
    /// - Parameter text: the JSON.
    /// - Returns: nil where it holds no name that can be kept: a name that is odd must not keep its owner from signing in.
    init?(apple text: String) {
        guard let name = (try? JSONValue(parsing: Array(text.utf8).span))?["name"] else { return nil }
        (given, family) = (Self.part(name["firstName"]), Self.part(name["lastName"]))
        if given == nil, family == nil { return nil }
    }

    private static func part(_ value: JSONValue?) -> String? {
        guard let text = value?.string, !text.isEmpty, text.utf8.count <= maximumBytes,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else { return nil }
        return text
    }

    /// As attributes of the user's own.
    var attributes: Attributes {
        var attributes = Attributes()
        attributes["given_name"] = given
        attributes["family_name"] = family
        attributes["name"] = [given, family].compactMap(\.self).joined(separator: " ")
        return attributes
    }
}
