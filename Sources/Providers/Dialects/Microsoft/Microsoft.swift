/// Entra tells by number, `AADSTS` and some digits: one name covers a wrong secret, one that has expired and a
/// client that is public; `invalid_grant` covers what only the user can mend.
enum Microsoft {
    static let dialect = Dialect(
        "entra", "Entra",
        hosts: ["login.microsoftonline.com", "login.microsoftonline.us", "b2clogin.com", "ciamlogin.com"],
        profile: profile,
        // The token of userinfo, which is Graph's.
        rules: entraNumbers + [RefusalRule("InvalidAuthenticationToken", means: .invalidGrant)],
        authorization: ["consent_declined": .accessDenied])

    static let entraNumbers =
        clientFaults + usersToMend + denials
        + ["AADSTS90033", "AADSTS50196"].map { RefusalRule(nil, mark: $0, means: .temporarilyUnavailable) }

    private static let clientFaults = [
        fault(
            "AADSTS700025", "invalid_client",
            "the client is a public one there, so that a secret fails: clientAuthentication none, or register a Web platform"
        ),
        fault(
            "AADSTS7000218", "invalid_client",
            "the client is a confidential one there: give it clientSecret or clientKey"),
        fault(
            "AADSTS7000215", "invalid_client",
            "the secret is wrong: it is the value that counts, not the secret's ID"),
        fault("AADSTS7000222", "invalid_client", "the secret has expired: make another one"),
        fault("AADSTS700016", "unauthorized_client", "that tenant has no client of this clientID"),
        fault(
            "AADSTS9002325", "invalid_request",
            "the redirect URI is one of a single-page application there: register a Web platform"),
        fault("AADSTS50011", "redirect_uri_mismatch", "the redirect URI is not registered there, to the letter"),
        fault("AADSTS500112", "redirect_uri_mismatch", "the redirect URI is not the one of the authorization request"),
        RefusalRule(
            nil, mark: "AADSTS501481", means: .invalidGrant,
            remedy: "the verifier is not looked for in the way that it is sent"),
    ]

    /// What a sign-in at Entra can mend, and nothing else: another factor, a password that was changed, consent.
    private static let usersToMend = [
        "AADSTS50076", "AADSTS50079", "AADSTS50078", "AADSTS50158", "AADSTS65001", "AADSTS50058",
    ].map { RefusalRule(nil, mark: $0, means: .interactionRequired) }

    private static let denials = [
        denial("AADSTS53003", "a policy of Conditional Access keeps the user out: look into the tenant's sign-in logs"),
        denial("AADSTS53000", "a policy of Conditional Access demands a compliant device"),
        denial("AADSTS50105", "the user is not assigned to the enterprise application, which demands it"),
        denial("AADSTS65004", "the user has declined"),
        denial("AADSTS90094", "an administrator has to consent to the application first"),
        denial("AADSTS50057", "the user's account is disabled there"),
    ]

    private static func fault(_ number: String, _ name: String, _ remedy: String) -> RefusalRule {
        RefusalRule(nil, mark: number, means: .clientFault(name), remedy: remedy)
    }

    private static func denial(_ number: String, _ remedy: String) -> RefusalRule {
        RefusalRule(nil, with: 400...599, mark: number, means: .accessDenied, remedy: remedy)
    }

    /// Its userinfo wants a token of another API, and tells nothing that the ID token does not.
    private static let profile = ProviderProfile(
        "microsoft", displayName: "Microsoft",
        place: ProviderProfile.Place(
            issuer: "\(directory)/\(IssuerNames.tenantPlaceholder)/v2.0",
            discoveryURL: "\(directory)/organizations/v2.0/.well-known/openid-configuration"),
        nativeTokens: true, userinfo: .never, pkce: .enforced, trustEmails: .none, subjectsAreOfClient: true)
    private static let directory = "https://login.microsoftonline.com"
}
