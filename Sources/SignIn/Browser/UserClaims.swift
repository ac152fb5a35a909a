public import Accounts
public import Apps
public import JSON

/// The claims about a user that a scope gives (OpenID Connect Core §5.1, §5.4), as they stand in ID tokens and in
/// userinfo: one list, of which metadata tells too.
public enum UserClaims {
    static let ofProfile = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "picture", "gender",
        "birthdate", "zoneinfo", "locale",
    ]
    /// Each is a scope of its own, by the same name, as at ZenKey's carriers.
    static let ofTheirOwnScope: [Permission] = [.postalCode, .lastFourSocial]
    /// The configured name of the provider that the session's user signed in with.
    static let identityProvider = "idp"
    static let address = "address"
    /// The claims that the operator hands on besides, in one object.
    static let further = "claims"
    /// Which scope gives an address or a number.
    public static let contacts: [(contact: Contact, permission: Permission)] = [
        (.email, .email), (.phoneNumber, .phone),
    ]

    /// All of them, by name.
    public static let names =
        [identityProvider] + ofProfile + contacts.flatMap { [$0.contact.rawValue, $0.contact.verifiedName] }
        + [address] + ofTheirOwnScope.map(\.rawValue) + [further]
}

extension JSONWriter {
    private static let profileNames = AttributeNames(UserClaims.ofProfile)

    /// The claims about a user that permissions give, and by whom the user has signed in.
    ///
    /// - Parameter providers: whose word they are: where a provider gives a value, that is told and not the user's own;
    ///   and an address is verified where the word of a provider that says so counts.
    public mutating func userClaims(
        _ user: User, of session: Session, _ permissions: Permissions, by providers: ProviderDirectory
    ) {
        let profile = user.profile
        let attested = profile.attested
        member(UserClaims.identityProvider, session.provider)
        if permissions.contains(.profile) {
            for attribute in attested.members where Self.profileNames.contains(attribute.name) {
                member(attribute.name, attribute.value)
            }
        }
        contacts(attested, of: profile, permissions, by: providers)
        attributesByScope(attested, permissions)
        furtherClaims(profile, of: session.provider, permissions)
    }

    /// The e-mail address and the number, each with whether it is verified.
    ///
    /// - Parameter attributes: what is told of the profile.
    public mutating func contacts(
        _ attributes: Attributes, of profile: Profile, _ permissions: Permissions, by providers: ProviderDirectory
    ) {
        for (contact, permission) in UserClaims.contacts where permissions.contains(permission) {
            guard let value = attributes[contact.rawValue] else { continue }
            member(contact.rawValue, value)
            member(contact.verifiedName, providers.isVerified(contact, in: profile))
        }
    }

    /// Postal address and what else has a scope of its own.
    public mutating func attributesByScope(_ attributes: Attributes, _ permissions: Permissions) {
        if permissions.contains(.address) { address(of: attributes) }
        for permission in UserClaims.ofTheirOwnScope where permissions.contains(permission) {
            if let value = attributes[permission.rawValue] { member(permission.rawValue, value) }
        }
    }

    /// What a provider's section hands out besides, as the member `claims`, where there is any.
    ///
    /// - Parameter provider: its configured name.
    public mutating func furtherClaims(_ profile: Profile, of provider: String, _ permissions: Permissions) {
        if permissions.contains(.claims) { claims(profile.claims(of: provider)) }
    }

    /// Further claims, as the member `claims`, where there is any.
    public mutating func claims(_ claims: TypedClaims) {
        if claims.isEmpty { return }
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
