extension Profile {
    /// Takes over what was known of the same person under another account.
    ///
    /// What is here wins, and what the other one has besides fills the gaps: of providers' attributes those of which
    /// there is none here, names together and each contact with whose word it is; addresses and numbers that another
    /// one is here for stay beside it, with their provider; further claims of providers that have none here; and of the
    /// user's own words those that are not said here. Nothing is anybody else's word than it was.
    ///
    /// - Parameter other: of the account that is merged into this one's.
    public mutating func absorb(_ other: Profile) {
        for contact in Contact.allCases { absorb(contact, of: other) }
        let hasName = Self.namesOfPerson.contains { carrier[$0] != nil }
        for member in other.carrier.members where carrier[member.name] == nil {
            if carrier.objects[member.name] != nil || Self.isOfContact(member.name) { continue }
            if hasName, Self.namesOfPerson.contains(member.name) { continue }
            carrier[member.name] = member.value
        }
        for member in other.carrier.objects.members
        where carrier[member.name] == nil && carrier.objects[member.name] == nil {
            carrier.setObject(member.name, json: member.json)
        }
        for given in other.claims where !claims.contains(where: { $0.provider == given.provider }) {
            if claims.count < Self.maximumProviders { claims.append(given) }
        }
        for word in other.words where !words.contains(where: { $0.provider == word.provider }) {
            if words.count < Self.maximumProviders { words.append(word) }
        }
        let saysName = Self.namesOfPerson.contains { own[$0] != nil }
        for member in other.own.members where own[member.name] == nil {
            if saysName, Self.namesOfPerson.contains(member.name) { continue }
            own[member.name] = member.value
        }
    }

    private mutating func absorb(_ contact: Contact, of other: Profile) {
        if carrier[contact.rawValue] == nil, let value = other.carrier[contact.rawValue] {
            carrier[contact.rawValue] = value
            carrier[contact.verifiedName] = other.carrier[contact.verifiedName]
            sources[contact] = other.sources[contact]
            if contact == .email { carrier[Self.hostedDomainName] = other.hostedDomain }
        }
        for given in other.contacts where given.contact == contact && given.giver != .user {
            if others.count < Self.maximumProviders, !contacts.contains(given) { others.append(given) }
        }
    }

    /// Whether an attribute only means something beside an address or a number.
    private static func isOfContact(_ name: String) -> Bool {
        name == hostedDomainName || Contact.allCases.contains { $0.rawValue == name || $0.verifiedName == name }
    }
}
