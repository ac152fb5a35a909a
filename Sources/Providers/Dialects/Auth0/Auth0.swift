/// Auth0 says `access_denied` with 401 for a wrong secret, and with another status for what an Action or a rule of
/// the tenant's denies; a code or a refresh token that is no good is 403. Its authorization responses call a denial
/// by a rule `unauthorized`.
enum Auth0 {
    static let dialect = Dialect(
        "auth0", "Auth0", hosts: ["auth0.com"], profile: profile,
        rules: [
            RefusalRule(
                "access_denied", with: 401...401, of: [.code, .refresh, .introspection, .revocation],
                means: .clientFault("access_denied"),
                remedy: "the secret is wrong, or the application proves itself in another way: compare clientID, "
                    + "clientSecret and clientAuthentication with the application's Credentials"),
            RefusalRule(
                "access_denied", with: 400...599, means: .accessDenied,
                remedy: "an Action or a rule of the tenant denies it: look into the tenant's logs"),
            RefusalRule(
                "unauthorized", with: 400...599, means: .accessDenied,
                remedy:
                    "an Action or a rule of the tenant denies it, or the user is blocked: look into the tenant's logs"),
            RefusalRule(
                "unauthorized_client", means: .clientFault("unauthorized_client"),
                remedy: "the application may not use this grant: Applications, Advanced Settings, Grant Types"),
            RefusalRule("mfa_required", means: .interactionRequired),
            RefusalRule("too_many_attempts", means: .temporarilyUnavailable),
            RefusalRule("too_many_requests", means: .temporarilyUnavailable),
        ],
        authorization: ["unauthorized": .accessDenied])

    private static let profile = ProviderProfile("auth0", nativeTokens: true, userinfo: .optional)
}
