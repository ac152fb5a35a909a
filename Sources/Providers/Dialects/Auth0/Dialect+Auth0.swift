extension Dialect {
    /// Auth0 says `access_denied` with 401 for a wrong secret, and with another status for what an Action or a rule of
    /// the tenant's denies; a code or a refresh token that is no good is 403. Its authorization responses call a denial
    /// by a rule `unauthorized`.
    static let auth0 = Dialect(
        "Auth0", hosts: ["auth0.com"],
        rules: [
            Rule(
                "access_denied", with: 401...401, of: [.code, .refresh, .introspection, .revocation],
                means: .clientFault("access_denied"),
                remedy: "the secret is wrong, or the application proves itself in another way: compare clientID, "
                    + "clientSecret and clientAuthentication with the application's Credentials"),
            Rule(
                "access_denied", with: 400...599, means: .accessDenied,
                remedy: "an Action or a rule of the tenant denies it: look into the tenant's logs"),
            Rule(
                "unauthorized", with: 400...599, means: .accessDenied,
                remedy:
                    "an Action or a rule of the tenant denies it, or the user is blocked: look into the tenant's logs"),
            Rule(
                "unauthorized_client", means: .clientFault("unauthorized_client"),
                remedy: "the application may not use this grant: Applications, Advanced Settings, Grant Types"),
            Rule("mfa_required", means: .interactionRequired),
            Rule("too_many_attempts", means: .temporarilyUnavailable),
            Rule("too_many_requests", means: .temporarilyUnavailable),
        ],
        authorization: ["unauthorized": .accessDenied])
}
