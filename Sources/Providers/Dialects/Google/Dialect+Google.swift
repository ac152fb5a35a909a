extension Dialect {
    /// Google says `invalid_grant` for an account that has to be looked at again, and has names for what a Workspace's
    /// administrator decides.
    static let google = Dialect(
        "Google", hosts: ["accounts.google.com", "googleapis.com"],
        rules: [
            Rule("invalid_grant", with: 400...401, of: [.refresh], number: "invalid_rapt", means: .interactionRequired),
            Rule(
                "invalid_request", with: 400...401, of: [.userinfo], mark: "Invalid Credentials", means: .invalidGrant),
            Rule("invalid_token", with: 400...401, of: [.userinfo], means: .invalidGrant),
            Rule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "clientID or clientSecret is not that of the OAuth client: look at Clients in the Cloud console"
            ),
            Rule(
                "invalid_request", with: 400...401, mark: "client_secret is missing",
                means: .clientFault("invalid_client"),
                remedy: "the OAuth client has a secret: give it clientSecret"),
            Rule(
                "deleted_client", means: .clientFault("invalid_client"), remedy: "the OAuth client was deleted"),
            Rule(
                "disabled_client", means: .clientFault("invalid_client"), remedy: "the OAuth client is disabled"),
            Rule(
                "unauthorized_client", with: 400...401, of: [.code], means: .clientFault("unauthorized_client"),
                remedy:
                    "the code was issued to another OAuth client: clientID must be the one that the app names as its server's"
            ),
            Rule(
                "redirect_uri_mismatch", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not among the client's authorized ones, to the letter"),
            Rule(
                "admin_policy_enforced", with: 400...599, means: .accessDenied,
                remedy: "the user's Workspace does not let this app in: its administrator decides, under API controls"),
            Rule(
                "org_internal", with: 400...599, means: .accessDenied,
                remedy: "the app is for users of its own organization only: Audience, in the Cloud console"),
            Rule("access_denied", with: 400...599, mark: "Account restricted", means: .accessDenied),
            Rule("rate_limit_exceeded", means: .temporarilyUnavailable),
            Rule("internal_failure", means: .temporarilyUnavailable),
        ],
        authorization: [
            "admin_policy_enforced": .accessDenied, "org_internal": .accessDenied,
        ])
}
