/// What is known of a user, by who said it.
public struct Profile: Equatable, Sendable, CustomStringConvertible {
    /// What the carriers said, each sign-in merged into it.
    public var carrier: Attributes

    public init(carrier: Attributes = Attributes()) {
        self.carrier = carrier
    }

    /// Printing it shows nothing: everything in it is personal.
    public var description: String { "<redacted>" }
}

extension Profile {
    /// Attributes that only mean something together: a family name without the name it belongs to, or a "verified" of
    /// another address, would be wrong rather than old.
    private static let groups: [[String]] = [
        ["name", "given_name", "family_name", "middle_name"],
        ["email", "email_verified"],
        ["phone_number", "phone_number_verified"],
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
}
