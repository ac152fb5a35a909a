public import Accounts
public import JSON

/// The claims about a user that a scope gives (OpenID Connect Core §5.1, §5.4), as they stand in ID tokens and in
/// userinfo: one list, of which metadata tells too.
public enum UserClaims {
    static let ofProfile = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "picture", "gender",
        "birthdate", "zoneinfo", "locale",
    ]
    /// Each is a scope of its own, by the same name, as at ZenKey's carriers.
    static let ofTheirOwnScope = ["postal_code", "last_4_social"]
    /// The configured name of the provider that the session's user signed in with.
    static let identityProvider = "idp"
    static let address = "address"
    /// The claims that the operator hands on besides, in one object.
    static let further = "claims"
    /// Which scope gives an address or a number.
    public static let contacts: [(contact: Contact, scope: String)] = [(.email, "email"), (.phoneNumber, "phone")]

    /// All of them, by name.
    public static let names =
        [identityProvider] + ofProfile + contacts.flatMap { [$0.contact.rawValue, $0.contact.verifiedName] }
        + [address] + ofTheirOwnScope + [further]
}

/// What an app may learn (OpenID Connect Core §5.4).
public struct AppScope: Sendable {
    private let names: Set<Substring>?

    /// - Parameter text: separated by blanks; nil for everything.
    public init(_ text: String?) {
        names = text.map { Set($0.split(separator: " ")) }
    }

    /// Whether it has a scope of that name.
    public func contains(_ name: String) -> Bool { names?.contains(name[...]) ?? true }
}

extension JSONWriter {
    private static let profileNames = AttributeNames(UserClaims.ofProfile)

    /// The claims about a user that a session's scope gives, and by whom the user has signed in.
    ///
    /// - Parameter providers: whose word they are: where a provider gives a value, that is told and not the user's own;
    ///   and an address is verified where the word of a provider that says so counts.
    public mutating func userClaims(_ user: User, of session: Session, by providers: ProviderDirectory) {
        let (profile, scope) = (user.profile, AppScope(session.scope))
        let attested = profile.attested
        member(UserClaims.identityProvider, session.provider)
        if scope.contains("profile") {
            for attribute in attested.members where Self.profileNames.contains(attribute.name) {
                member(attribute.name, attribute.value)
            }
        }
        for (contact, name) in UserClaims.contacts where scope.contains(name) {
            guard let value = attested[contact.rawValue] else { continue }
            member(contact.rawValue, value)
            member(contact.verifiedName, providers.isVerified(contact, in: profile))
        }
        attributesByScope(attested, scope)
        furtherClaims(profile.claims(of: session.provider), scope)
    }

    /// Postal address and what else has a scope of its own.
    public mutating func attributesByScope(_ attributes: Attributes, _ scope: AppScope) {
        if scope.contains(UserClaims.address) { address(of: attributes) }
        for name in UserClaims.ofTheirOwnScope where scope.contains(name) {
            if let value = attributes[name] { member(name, value) }
        }
    }

    /// What the provider's section hands out besides, as the member `claims`, where there is any.
    public mutating func furtherClaims(_ claims: TypedClaims, _ scope: AppScope) {
        guard !claims.isEmpty, scope.contains(UserClaims.further) else { return }
        name(UserClaims.further)
        object { object in for claim in claims.members { object.member(claim.name, json: claim.json) } }
    }

    /// An address is an object (OpenID Connect Core §5.1.1). Where a provider gives a text, that is all of it.
    public mutating func address(of attributes: Attributes) {
        if let json = attributes.objects[UserClaims.address] { return member(UserClaims.address, json: json) }
        guard let text = attributes[UserClaims.address] else { return }
        name(UserClaims.address)
        object { $0.member("formatted", text) }
    }
}
