/// What others get to see of a profile, and whose word it is.
extension Profile {
    /// What a carrier's attribute says nothing about once the user has given another value for it. A name edited whole
    /// hides the parts of the old one; an edited part leaves the others.
    private static let partsOfName = ["given_name", "family_name", "middle_name"]

    /// The user's own values over the carriers', but for those of ``Contact``: there a carrier's word stands wherever
    /// there is one. Nobody verifies himself, so a "verified" only ever comes from a carrier, and only beside the very
    /// value the carrier named.
    public var shown: Attributes {
        if own.isEmpty { return carrier }
        var shown = carrier
        if let name = own.name, name != carrier.name {
            for part in Self.partsOfName { shown[part] = nil }
        }
        for contact in Contact.allCases where carrier[contact.rawValue] == nil { shown[contact.verifiedName] = nil }
        for member in own.members where !member.name.hasSuffix("_verified") {
            if Contact(rawValue: member.name) != nil, carrier[member.name] != nil { continue }
            shown[member.name] = member.value
        }
        return shown
    }

    /// Whether a carrier says that it has verified the value that ``shown`` has.
    public func isVerified(_ contact: Contact) -> Bool {
        carrier[contact.verifiedName] == "true" && carrier[contact.rawValue] != nil
    }

    /// What the user says and no carrier does: everything in ``shown`` that is nobody's word but the user's, and beside
    /// it what the user says otherwise than a carrier.
    public var saidByUserAlone: Attributes {
        var apart = Attributes()
        for member in own.members where member.value != carrier[member.name] && !member.name.hasSuffix("_verified") {
            apart[member.name] = member.value
        }
        return apart
    }

    /// The user's own, or the best there is.
    ///
    /// - Parameter reference: the user's random reference, which there always is.
    public func username(reference: String) -> String {
        if let username = own[Self.usernameName] { return username }
        let shown = shown
        return shown["preferred_username"] ?? shown.email ?? reference
    }
}
