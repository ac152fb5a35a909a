/// Who gave the address and the number that a profile shows, by the provider's configured name; nil where that is not
/// known, as in profiles of earlier versions.
struct ContactSources: Equatable, Sendable {
    /// Empty for one that is not known: every sign-in copies these, and texts cost less than perhaps a text.
    var email = ""
    var phoneNumber = ""

    subscript(contact: Contact) -> String? {
        get {
            let source =
                switch contact {
                case .email: email
                case .phoneNumber: phoneNumber
                }
            return source.isEmpty ? nil : source
        }
        set {
            switch contact {
            case .email: email = newValue ?? ""
            case .phoneNumber: phoneNumber = newValue ?? ""
            }
        }
    }
}

/// An address or a number, and whose word it is.
public struct GivenContact: Equatable, Sendable, CustomStringConvertible {
    public enum Giver: Equatable, Sendable {
        /// A provider, by its configured name; nil where only that it was one is known.
        case provider(String?, isVerified: Bool)
        /// Nobody but the user.
        case user
    }

    public var contact: Contact
    public var value: String
    public var giver: Giver

    public init(_ contact: Contact, _ value: String, by giver: Giver) {
        (self.contact, self.value, self.giver) = (contact, value, giver)
    }

    /// Printing it shows no value: that is personal.
    public var description: String { "GivenContact(\(contact.rawValue))" }

    func isGiven(by provider: String) -> Bool {
        guard case .provider(provider, isVerified: _) = giver else { return false }
        return true
    }
}

/// The further claims of one provider.
public struct ProviderClaims: Equatable, Sendable {
    /// The configured name of the provider.
    public var provider: String
    public var claims: TypedClaims
}

extension Profile {
    /// How many values of other providers are kept, and of how many providers the further claims: more than anybody has
    /// identities by accident, and no more than a profile should carry.
    public static let maximumProviders = 16

    /// Every address and number that is known of the user, with whose word it is.
    public var contacts: [GivenContact] {
        var all: [GivenContact] = []
        for contact in Contact.allCases {
            if let given = given(contact) { all.append(given) }
            all += others.filter { $0.contact == contact }
            if let own = own[contact.rawValue], !all.contains(where: { $0.contact == contact && $0.value == own }) {
                all.append(GivenContact(contact, own, by: .user))
            }
        }
        return all
    }

    /// Whether a provider gives another address than it gave before.
    public func hasOtherEmail(than before: Profile, by provider: String) -> Bool {
        guard let former = before.email(by: provider), let now = email(by: provider) else { return false }
        return former != now
    }

    private func email(by provider: String) -> String? {
        contacts.first { $0.contact == .email && $0.isGiven(by: provider) }?.value
    }

    /// The further claims of a provider.
    public func claims(of provider: String) -> TypedClaims {
        claims.first { $0.provider == provider }?.claims ?? TypedClaims()
    }

    /// The further claims of all providers.
    public var claimsByProvider: [ProviderClaims] { claims }

    /// Forgets what only a provider that has no identity of the user any more could vouch for: the address and the
    /// number it gave, its further claims, and since when and how well it knew what else it said. What another provider
    /// gave shows again.
    public mutating func forget(provider: String) {
        claims.removeAll { $0.provider == provider }
        words.removeAll { $0.provider == provider }
        others.removeAll { $0.isGiven(by: provider) }
        for contact in Contact.allCases where sources[contact] == provider {
            (carrier[contact.rawValue], carrier[contact.verifiedName], sources[contact]) = (nil, nil, nil)
            if contact == .email { carrier[Self.hostedDomainName] = nil }
            guard let index = others.lastIndex(where: { $0.contact == contact }) else { continue }
            let other = others.remove(at: index)
            guard case .provider(let provider, let isVerified) = other.giver else { continue }
            carrier[contact.rawValue] = other.value
            if isVerified { carrier[contact.verifiedName] = "true" }
            sources[contact] = provider
        }
    }

    /// Names the provider of what a profile has from elsewhere, where that can only be one.
    public mutating func attribute(to provider: String) {
        for contact in Contact.allCases where carrier[contact.rawValue] != nil && sources[contact] == nil {
            sources[contact] = provider
        }
    }

    private func given(_ contact: Contact) -> GivenContact? {
        carrier[contact.rawValue].map {
            GivenContact(contact, $0, by: .provider(sources[contact], isVerified: isVerified(contact)))
        }
    }

    /// Keeps the value of another provider beside the one that is about to take its place.
    ///
    /// - Returns: whether anything is other than before.
    mutating func take(_ contact: Contact, of said: ProviderStatement) -> Bool {
        if sources[contact] == said.provider { return false }
        guard let value = said.attributes[contact.rawValue] else { return false }
        guard let shown = given(contact), let source = sources[contact] else {
            sources[contact] = said.provider
            return true
        }
        let isVerified = said.attributes[contact.verifiedName] == "true"
        let new = GivenContact(contact, value, by: .provider(said.provider, isVerified: isVerified))
        let saysTheSame = shown.value == value && shown.giver == .provider(source, isVerified: isVerified)
        // The first one to say it stays, so that signing in by turns changes nothing.
        if saysTheSame, others.contains(new) { return false }
        others.removeAll { $0.contact == contact && $0.isGiven(by: said.provider) }
        if others.count == Self.maximumProviders { others.removeFirst() }
        others.append(saysTheSame ? new : shown)
        if !saysTheSame { sources[contact] = said.provider }
        return true
    }

    /// - Returns: whether they are others than before.
    mutating func setClaims(_ sent: TypedClaims, of provider: String) -> Bool {
        if sent.isEmpty, claims.isEmpty { return false }
        let index = claims.firstIndex { $0.provider == provider }
        guard !sent.isEmpty else {
            if let index { claims.remove(at: index) }
            return index != nil
        }
        if let index {
            guard claims[index].claims != sent else { return false }
            claims[index].claims = sent
            return true
        }
        if claims.count == Self.maximumProviders { claims.removeFirst() }
        claims.append(ProviderClaims(provider: provider, claims: sent))
        return true
    }
}
