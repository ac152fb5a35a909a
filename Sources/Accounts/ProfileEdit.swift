/// A change to what users say about themselves.
public struct ProfileEdit: Equatable, Sendable, CustomStringConvertible {
    /// The attribute, by its name in ``Attributes``.
    public var name: String
    /// The new value; nil takes the user's own value away, so that the carrier's shows again.
    public var value: String?

    public init(_ name: String, _ value: String?) {
        (self.name, self.value) = (name, value)
    }

    /// What it is that takes a recent authentication, where others may find or reach the user by this attribute; nil
    /// for every other.
    public var sensitiveAct: SensitiveAct? {
        if name == Profile.usernameName { return .changeUsername }
        return Contact(rawValue: name) == nil ? nil : .changeContact
    }

    /// Printing it shows no value: that is personal.
    public var description: String { "ProfileEdit(\(name))" }
}

extension Profile {
    static let usernameName = "username"

    /// Changes what the user says. What repeats what is shown already is no change, so that an app may send back all it
    /// has got: else a carrier's address would become the user's own, and stay when the carrier's changes.
    ///
    /// - Parameter reference: the user's, see ``username(reference:)``.
    /// - Returns: the edits that changed something.
    @discardableResult
    public mutating func edit(_ edits: [ProfileEdit], reference: String) -> [ProfileEdit] {
        // A name edited whole hides its parts, so whether one of those is shown is asked after that.
        let ordered = edits.filter { $0.name == "name" } + edits.filter { $0.name != "name" }
        return ordered.filter { edit in
            guard changes(edit, reference) else { return false }
            own[edit.name] = edit.value
            return true
        }
    }

    /// The edits that would change something.
    public func changes(among edits: [ProfileEdit], reference: String) -> [ProfileEdit] {
        var edited = self
        return edited.edit(edits, reference: reference)
    }

    private func changes(_ edit: ProfileEdit, _ reference: String) -> Bool {
        guard let value = edit.value, !value.isEmpty else { return own[edit.name] != nil }
        if edit.name == Self.usernameName { return username(reference: reference) != value }
        return shown[edit.name] != value && own[edit.name] != value
    }
}
