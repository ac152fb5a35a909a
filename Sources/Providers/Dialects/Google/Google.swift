/// Google says `invalid_grant` for an account that has to be looked at again, and has names for what a Workspace's
/// administrator decides.
enum Google {
    static let dialect = Dialect(
        "google", "Google", hosts: ["accounts.google.com", "googleapis.com"], profile: profile,
        rules: [
            RefusalRule(
                "invalid_grant", with: 400...401, of: [.refresh], number: "invalid_rapt", means: .interactionRequired),
            RefusalRule(
                "invalid_request", with: 400...401, of: [.userinfo], mark: "Invalid Credentials", means: .invalidGrant),
            RefusalRule("invalid_token", with: 400...401, of: [.userinfo], means: .invalidGrant),
            RefusalRule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "clientID or clientSecret is not that of the OAuth client: look at Clients in the Cloud console"
            ),
            RefusalRule(
                "invalid_request", with: 400...401, mark: "client_secret is missing",
                means: .clientFault("invalid_client"),
                remedy: "the OAuth client has a secret: give it clientSecret"),
            RefusalRule(
                "deleted_client", means: .clientFault("invalid_client"), remedy: "the OAuth client was deleted"),
            RefusalRule(
                "disabled_client", means: .clientFault("invalid_client"), remedy: "the OAuth client is disabled"),
            RefusalRule(
                "unauthorized_client", with: 400...401, of: [.code], means: .clientFault("unauthorized_client"),
                remedy:
                    "the code was issued to another OAuth client: clientID must be the one that the app names as its server's"
            ),
            RefusalRule(
                "redirect_uri_mismatch", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not among the client's authorized ones, to the letter"),
            RefusalRule(
                "admin_policy_enforced", with: 400...599, means: .accessDenied,
                remedy: "the user's Workspace does not let this app in: its administrator decides, under API controls"),
            RefusalRule(
                "org_internal", with: 400...599, means: .accessDenied,
                remedy: "the app is for users of its own organization only: Audience, in the Cloud console"),
            RefusalRule("access_denied", with: 400...599, mark: "Account restricted", means: .accessDenied),
            RefusalRule("rate_limit_exceeded", means: .temporarilyUnavailable),
            RefusalRule("internal_failure", means: .temporarilyUnavailable),
        ],
        authorization: [
            "admin_policy_enforced": .accessDenied, "org_internal": .accessDenied,
        ])

    /// Codes that apps post are those of its SDK, which have no verifier and an empty redirect URI.
    private static let profile = ProviderProfile(
        "google", displayName: "Google",
        place: ProviderProfile.Place(
            issuer: "https://accounts.google.com", issuers: ["accounts.google.com"],
            eventConfigurationURL: "https://accounts.google.com/.well-known/risc-configuration"),
        redirectURI: .empty, requirePKCE: false, nativeTokens: true, userinfo: .optional, authTime: .never,
        emailDomains: ["gmail.com", "googlemail.com"], takesHostedDomain: true)
}
