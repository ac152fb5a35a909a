/// Slack says everything with status 200 and `"ok": false`, by names of its own.
enum Slack {
    static let dialect = Dialect(
        "slack", "Slack", hosts: ["slack.com"],
        rules: [
            RefusalRule("invalid_code", means: .invalidGrant), RefusalRule("code_already_used", means: .invalidGrant),
            RefusalRule("code_expired", means: .invalidGrant),
            RefusalRule("invalid_refresh_token", means: .invalidGrant),
            RefusalRule("token_expired", means: .invalidGrant), RefusalRule("token_revoked", means: .invalidGrant),
            RefusalRule("invalid_auth", means: .invalidGrant),
            RefusalRule("invalid_code_verifier", means: .invalidGrant),
            RefusalRule(
                "bad_client_secret", means: .clientFault("invalid_client"),
                remedy: "clientSecret is not the app's: look at its Basic Information"),
            RefusalRule(
                "invalid_client_id", means: .clientFault("invalid_client"), remedy: "there is no app of this clientID"),
            RefusalRule(
                "bad_redirect_uri", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not among the app's Redirect URLs, or not that of the request"),
            RefusalRule("invalid_grant_type", means: .clientFault("unsupported_grant_type")),
            RefusalRule("invalid_arguments", means: .clientFault("invalid_request")),
            RefusalRule("invalid_form_data", means: .clientFault("invalid_request")),
            RefusalRule(
                "missing_scope", means: .clientFault("invalid_scope"),
                remedy: "the app lacks a scope: add it under OAuth & Permissions, User Token Scopes"),
            RefusalRule(
                "access_denied", means: .accessDenied, remedy: "a rule of the workspace denies it: ask an administrator"
            ),
            RefusalRule(
                "ekm_access_denied", means: .accessDenied,
                remedy: "an administrator has suspended access to the workspace"),
            RefusalRule(
                "team_access_not_granted", means: .accessDenied,
                remedy: "the app has not been approved for that workspace: ask an administrator"),
            RefusalRule(
                "account_inactive", means: .accessDenied, remedy: "the user's account, or the workspace, is deactivated"
            ),
            RefusalRule("org_login_required", means: .temporarilyUnavailable),
            RefusalRule("team_added_to_org", means: .temporarilyUnavailable),
            RefusalRule("ratelimited", means: .temporarilyUnavailable),
            RefusalRule("internal_error", means: .temporarilyUnavailable),
            RefusalRule("fatal_error", means: .temporarilyUnavailable),
            RefusalRule("request_timeout", means: .temporarilyUnavailable),
            RefusalRule("service_unavailable", means: .temporarilyUnavailable),
        ])
}
