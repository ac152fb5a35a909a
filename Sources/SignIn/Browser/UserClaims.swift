public import Accounts
public import Apps
public import JSON

/// Which claims about a user somebody is told (OpenID Connect Core §5.1, §5.4), in ID tokens, in userinfo and in the
/// answer to a posted code: one list, of which metadata tells too.
public struct UserClaims: Sendable {
    static let ofProfile = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "picture", "gender",
        "birthdate", "zoneinfo", "locale",
    ]
    /// The configured name of the provider that the session's user signed in with.
    static let identityProvider = "idp"
    public static let address = "address"
    // Each is a scope of its own, by the same name, as at ZenKey's carriers.
    static let postalCode = Permission.postalCode.rawValue
    static let lastFourSocial = Permission.lastFourSocial.rawValue
    /// The claims that the operator hands on besides, in one object.
    static let further = "claims"

    /// All of them, by name.
    public static let names =
        [identityProvider] + ofProfile + Contact.allCases.flatMap { [$0.rawValue, $0.verifiedName] }
        + [address, postalCode, lastFourSocial, further]

    public let hasProfile: Bool
    let hasEmail: Bool
    let hasPhoneNumber: Bool
    let hasAddress: Bool
    let hasPostalCode: Bool
    let hasLastFourSocial: Bool
    public let hasFurther: Bool

    /// Those that permissions give.
    public init(_ permissions: Permissions) {
        hasProfile = permissions.contains(.profile)
        hasEmail = permissions.contains(.email)
        hasPhoneNumber = permissions.contains(.phone)
        hasAddress = permissions.contains(.address)
        hasPostalCode = permissions.contains(.postalCode)
        hasLastFourSocial = permissions.contains(.lastFourSocial)
        hasFurther = permissions.contains(.claims)
    }

    /// The attributes that are told, but for what is handed on besides (``hasFurther``).
    public var attributeNames: AttributeNames {
        var names: [String] = []
        if hasProfile { names += ["name", "given_name", "family_name", "birthdate"] }
        if hasEmail { names.append(Contact.email.rawValue) }
        if hasPhoneNumber { names.append(Contact.phoneNumber.rawValue) }
        if hasAddress { names.append(Self.address) }
        if hasPostalCode { names.append(Self.postalCode) }
        if hasLastFourSocial { names.append(Self.lastFourSocial) }
        return AttributeNames(names)
    }

    /// Whether attributes have a claim that a permission gives.
    public static func has(_ attributes: Attributes, _ permission: Permission) -> Bool {
        switch permission {
        case .profile: ofProfile.contains { attributes[$0] != nil }
        case .email: attributes.email != nil
        case .phone: attributes.phoneNumber != nil
        case .address: attributes[address] != nil || attributes.objects[address] != nil
        default: attributes[permission.rawValue] != nil
        }
    }
}

extension JSONWriter {
    private static let profileNames = AttributeNames(UserClaims.ofProfile)

    /// The claims about a user for those who rely on them, and by whom the user has signed in.
    ///
    /// - Parameter providers: whose word they are: where a provider gives a value, that is told and not the user's own;
    ///   and an address is verified where the word of a provider that says so counts.
    public mutating func userClaims(
        _ user: User, of session: Session, _ claims: UserClaims, by providers: ProviderRegistry
    ) {
        let profile = user.profile
        let attested = profile.attested
        member(UserClaims.identityProvider, session.provider)
        if claims.hasProfile {
            for attribute in attested.members where Self.profileNames.contains(attribute.name) {
                member(attribute.name, attribute.value)
            }
        }
        claimsOfTheirOwnScope(attested, of: profile, from: session.provider, claims, by: providers)
    }

    /// The claims that have each a scope of their own: all but the profile's.
    ///
    /// - Parameters:
    ///   - attributes: what is told of the profile.
    ///   - provider: the configured name of the one whose further claims are handed on.
    public mutating func claimsOfTheirOwnScope(
        _ attributes: Attributes, of profile: Profile, from provider: String, _ claims: UserClaims,
        by providers: ProviderRegistry
    ) {
        if claims.hasEmail { contact(.email, attributes, of: profile, by: providers) }
        if claims.hasPhoneNumber { contact(.phoneNumber, attributes, of: profile, by: providers) }
        if claims.hasAddress { address(of: attributes) }
        if claims.hasPostalCode, let code = attributes.postalCode { member(UserClaims.postalCode, code) }
        if claims.hasLastFourSocial, let digits = attributes[UserClaims.lastFourSocial] {
            member(UserClaims.lastFourSocial, digits)
        }
        if claims.hasFurther { self.claims(profile.claims(of: provider)) }
    }

    private mutating func contact(
        _ contact: Contact, _ attributes: Attributes, of profile: Profile, by providers: ProviderRegistry
    ) {
        guard let value = attributes[contact.rawValue] else { return }
        member(contact.rawValue, value)
        member(contact.verifiedName, providers.isVerified(contact, in: profile))
    }

    /// What a provider's section hands out besides, as the member `claims`, where there is any.
    public mutating func claims(_ claims: TypedClaims) {
        if claims.isEmpty { return }
        name(UserClaims.further)
        object { object in for claim in claims.members { object.member(claim.name, json: claim.json) } }
    }

    /// An address is an object (OpenID Connect Core §5.1.1). Where a provider gives a text, that is all of it.
    ///
    /// - Parameter member: where it stands.
    public mutating func address(of attributes: Attributes, as member: String = UserClaims.address) {
        if let json = attributes.objects[UserClaims.address] { return self.member(member, json: json) }
        guard let text = attributes[UserClaims.address] else { return }
        name(member)
        object { $0.member("formatted", text) }
    }
}
