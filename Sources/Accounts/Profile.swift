/// What is known of a user, by who said it.
public struct Profile: Equatable, Sendable, CustomStringConvertible {
    /// What the carriers said, each sign-in merged into it.
    public var carrier: Attributes
    /// What the user said: collected at the registration, or edited since. No sign-in changes it.
    public var own: Attributes

    public init(carrier: Attributes = Attributes(), own: Attributes = Attributes()) {
        self.carrier = carrier
        self.own = own
    }

    /// Printing it shows nothing: everything in it is personal.
    public var description: String { "<redacted>" }
}

/// A change to what a user says about himself.
public struct ProfileEdit: Equatable, Sendable, CustomStringConvertible {
    /// The attribute, by its name in ``Attributes``.
    public var name: String
    /// The new value; nil takes the user's own value away, so that the carrier's shows again.
    public var value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// Printing it shows no value: that is personal.
    public var description: String { "ProfileEdit(\(name))" }
}

extension Profile {
    /// Attributes that only mean something together: a family name without the name it belongs to, or a "verified" of
    /// another address, would be wrong rather than old.
    private static let groups: [[String]] = [
        ["name", "given_name", "family_name", "middle_name"],
        ["email", "email_verified"],
        ["phone_number", "phone_number_verified"],
    ]

    /// What a carrier's attribute says nothing about once the user has given another value for it. A name edited whole
    /// hides the parts of the old one; an edited part leaves the others.
    private static let hidden: [(own: String, carrier: [String])] = [
        ("name", ["given_name", "family_name", "middle_name"]),
        ("email", ["email_verified"]),
        ("phone_number", ["phone_number_verified"]),
    ]

    /// Takes over what the carrier sent with a sign-in.
    ///
    /// What was sent replaces, what was not sent stays: a sign-in that asks for fewer scopes, or a user who declines
    /// one this time, is no request to erase; erasing the user is. Attributes that belong together (the names; email
    /// and whether it is verified; phone number likewise) are replaced together as soon as one of them is sent.
    public mutating func merge(carrier sent: Attributes) {
        for group in Self.groups where group.contains(where: { sent[$0] != nil }) {
            // Removing only what was not sent keeps the order, so that an unchanged profile stays equal.
            for name in group where sent[name] == nil { carrier[name] = nil }
        }
        for member in sent.members { carrier[member.name] = member.value }
    }

    /// By what others find or reach the user: changing it changes who the account seems to belong to.
    private static let contact = ["phone_number", "email", "username"]

    /// Whether edits would change how the user is reached.
    public func changesContact(by edits: [ProfileEdit]) -> Bool {
        var edited = self
        edited.edit(edits)
        let (before, after) = (shown, edited.shown)
        return Self.contact.contains { before[$0] != after[$0] }
    }

    public mutating func edit(_ edits: [ProfileEdit]) {
        for edit in edits { own[edit.name] = edit.value }
    }

    /// What others get to see: the user's own values over the carriers'. Nobody verifies himself, so a "verified" only
    /// ever comes from a carrier, and only for the very value the carrier named.
    public var shown: Attributes {
        if own.isEmpty { return carrier }
        var shown = carrier
        for (name, names) in Self.hidden {
            guard let value = own[name], value != carrier[name] else { continue }
            for name in names { shown[name] = nil }
        }
        for member in own.members where !member.name.hasSuffix("_verified") { shown[member.name] = member.value }
        return shown
    }
}
