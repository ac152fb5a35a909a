/// What is known of a user, by who said it.
public struct Profile: Equatable, Sendable, CustomStringConvertible {
    /// What the carriers said, each sign-in merged into it.
    public internal(set) var carrier: Attributes
    /// What the user said: collected at the registration, or edited since. No sign-in changes it.
    public var own: Attributes
    /// Who gave the address and the number that ``carrier`` has.
    var sources = ContactSources()
    /// Addresses and numbers that other providers gave, the longest known first.
    var others: [GivenContact] = []
    /// What each provider's configuration hands out besides, as its last sign-in had it.
    var claims: [ProviderClaims] = []
    /// What each provider has said, by its last sign-in: since when, and how well it knows it.
    var words: [ProviderWord] = []

    public init(carrier: Attributes = Attributes(), own: Attributes = Attributes()) {
        (self.carrier, self.own) = (carrier, own)
    }

    /// What one provider said, and the user.
    public init(_ said: ProviderStatement, own: Attributes = Attributes()) {
        self.init(own: own)
        merge(said)
    }

    /// Printing it shows nothing: everything in it is personal.
    public var description: String { "<redacted>" }
}

/// What a provider says about a user with a sign-in.
public struct ProviderStatement: Sendable {
    /// The configured name of the provider.
    public var provider: String
    /// The `sub` the provider knows the user by, which is no attribute of anybody.
    public var subject: String
    public var attributes: Attributes
    public var claims: TypedClaims
    /// When it was said, in seconds since 1970.
    public var at: Int64

    public init(
        provider: String, subject: String, attributes: Attributes, claims: TypedClaims = TypedClaims(), at: Int64
    ) {
        (self.provider, self.subject, self.attributes, self.claims) = (provider, subject, attributes, claims)
        self.at = at
    }
}

extension Profile {
    static let namesOfPerson = ["name", "given_name", "family_name", "middle_name"]
    /// The domain that Google keeps an address in for an organization; of the very address that is shown.
    static let hostedDomainName = "hd"

    /// Attributes that only mean something together: a family name without the name it belongs to, or a "verified" of
    /// another address, would be wrong rather than old.
    static let groups: [[String]] = [
        namesOfPerson,
        ["email", "email_verified", hostedDomainName],
        ["phone_number", "phone_number_verified"],
    ]

    /// Takes over what a provider sent with a sign-in.
    ///
    /// What was sent replaces, what was not sent stays: a sign-in that asks for fewer scopes, or a user who declines
    /// one this time, is no request to erase; erasing the user is. Attributes that belong together (the names; email
    /// and whether it is verified; phone number likewise) are replaced together as soon as one of them is sent.
    /// The further claims are what they were this time: a role that is not sent any more was taken away.
    ///
    /// - Returns: whether anything is other than before.
    @discardableResult
    public mutating func merge(_ said: ProviderStatement) -> Bool {
        let hostedDomain = carrier[Self.hostedDomainName]
        var isChanged = take(.email, of: said)
        if take(.phoneNumber, of: said) { isChanged = true }
        // Nearly every sign-in brings what the last one brought.
        if !carrier.isExactly(said.attributes), merge(said.attributes) { isChanged = true }
        // Who else gives the same address says nothing of the domain that the first one keeps it in.
        if let hostedDomain, said.attributes.email != nil, sources[.email] != said.provider {
            carrier[Self.hostedDomainName] = hostedDomain
        }
        if setClaims(said.claims, of: said.provider) { isChanged = true }
        if keepWord(of: said) { isChanged = true }
        return isChanged
    }

    private mutating func merge(_ sent: Attributes) -> Bool {
        let before = carrier
        for group in Self.groups where group.contains(where: { sent[$0] != nil }) {
            // Removing only what was not sent keeps the order, so that an unchanged profile stays equal.
            for name in group where sent[name] == nil { carrier[name] = nil }
        }
        for member in sent.members { carrier[member.name] = member.value }
        for member in sent.objects.members { carrier.setObject(member.name, json: member.json) }
        return carrier != before
    }
}

/// What others get to see of a profile, and whose word it is.
extension Profile {
    /// What a carrier's attribute says nothing about once the user has given another value for it. A name edited whole
    /// hides the parts of the old one; an edited part leaves the others.
    private static let partsOfName = ["given_name", "family_name", "middle_name"]

    /// What users may call themselves otherwise than a provider does: how they like to be addressed, and by what they
    /// are reached. It proves nothing about them.
    private static let chosen = AttributeNames(
        namesOfPerson + [
            "nickname", "preferred_username", "profile", "picture", "website", "zoneinfo", "locale", "postal_code",
        ])

    /// For the user's own eyes: of what users may choose for themselves their own values over the carriers'; of all
    /// else, such as ``Contact`` and the date of birth, a carrier's word wherever there is one. Nobody verifies
    /// themselves, so a "verified" only ever comes from a carrier, and only beside the very value the carrier named.
    ///
    /// What is the user's word is told apart by ``saidByUserAlone``.
    public var shown: Attributes {
        if own.isEmpty { return carrier }
        var shown = carrier
        if let name = own.name, name != carrier.name {
            for part in Self.partsOfName { shown[part] = nil }
        }
        for contact in Contact.allCases where carrier[contact.rawValue] == nil { shown[contact.verifiedName] = nil }
        for member in own.members where !member.name.hasSuffix("_verified") {
            if isGiven(member.name), !Self.chosen.contains(member.name) { continue }
            shown[member.name] = member.value
        }
        return shown
    }

    /// For those who rely on it, such as our own apps with an ID token: a carrier's word wherever there is one, and the
    /// user's own where there is none. A name is one thing, so that no part of it is the user's where another is a
    /// carrier's.
    public var attested: Attributes {
        if own.isEmpty { return carrier }
        var attested = carrier
        let hasName = Self.namesOfPerson.contains(where: isGiven)
        for contact in Contact.allCases where carrier[contact.rawValue] == nil { attested[contact.verifiedName] = nil }
        for member in own.members where !member.name.hasSuffix("_verified") && !isGiven(member.name) {
            if hasName, Self.namesOfPerson.contains(member.name) { continue }
            attested[member.name] = member.value
        }
        return attested
    }

    private func isGiven(_ name: String) -> Bool { carrier[name] != nil || carrier.objects[name] != nil }

    /// Whether a carrier says that it has verified the value that ``shown`` has.
    public func isVerified(_ contact: Contact) -> Bool {
        carrier[contact.verifiedName] == "true" && carrier[contact.rawValue] != nil
    }

    /// Whether a provider whose word counts says that it has verified the value that ``shown`` has.
    ///
    /// - Parameter counts: whether a provider's word about that value counts; nil for one that is not known any more.
    public func isVerified(
        _ contact: Contact, where counts: (_ provider: String?, _ value: String) -> Bool
    ) -> Bool {
        guard isVerified(contact), let value = carrier[contact.rawValue] else { return false }
        if counts(sources[contact], value) { return true }
        return others.contains { other in
            guard other.contact == contact, other.value == value,
                case .provider(let provider, isVerified: true) = other.giver
            else { return false }
            return counts(provider, value)
        }
    }

    /// The domain in which the provider of the e-mail address keeps it for an organization; nil where it does not, or
    /// another provider's address is shown.
    public var hostedDomain: String? { carrier.email == nil ? nil : carrier[Self.hostedDomainName] }

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
