extension Dialect {
    /// Slack says everything with status 200 and `"ok": false`, by names of its own.
    static let slack = Dialect(
        "Slack", hosts: ["slack.com"],
        rules: [
            Rule("invalid_code", means: .invalidGrant), Rule("code_already_used", means: .invalidGrant),
            Rule("code_expired", means: .invalidGrant), Rule("invalid_refresh_token", means: .invalidGrant),
            Rule("token_expired", means: .invalidGrant), Rule("token_revoked", means: .invalidGrant),
            Rule("invalid_auth", means: .invalidGrant), Rule("invalid_code_verifier", means: .invalidGrant),
            Rule(
                "bad_client_secret", means: .clientFault("invalid_client"),
                remedy: "clientSecret is not the app's: look at its Basic Information"),
            Rule(
                "invalid_client_id", means: .clientFault("invalid_client"), remedy: "there is no app of this clientID"),
            Rule(
                "bad_redirect_uri", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not among the app's Redirect URLs, or not that of the request"),
            Rule("invalid_grant_type", means: .clientFault("unsupported_grant_type")),
            Rule("invalid_arguments", means: .clientFault("invalid_request")),
            Rule("invalid_form_data", means: .clientFault("invalid_request")),
            Rule(
                "missing_scope", means: .clientFault("invalid_scope"),
                remedy: "the app lacks a scope: add it under OAuth & Permissions, User Token Scopes"),
            Rule(
                "access_denied", means: .accessDenied, remedy: "a rule of the workspace denies it: ask an administrator"
            ),
            Rule(
                "ekm_access_denied", means: .accessDenied,
                remedy: "an administrator has suspended access to the workspace"),
            Rule(
                "team_access_not_granted", means: .accessDenied,
                remedy: "the app has not been approved for that workspace: ask an administrator"),
            Rule(
                "account_inactive", means: .accessDenied, remedy: "the user's account, or the workspace, is deactivated"
            ),
            Rule("org_login_required", means: .temporarilyUnavailable),
            Rule("team_added_to_org", means: .temporarilyUnavailable),
            Rule("ratelimited", means: .temporarilyUnavailable),
            Rule("internal_error", means: .temporarilyUnavailable), Rule("fatal_error", means: .temporarilyUnavailable),
            Rule("request_timeout", means: .temporarilyUnavailable),
            Rule("service_unavailable", means: .temporarilyUnavailable),
        ])
}
