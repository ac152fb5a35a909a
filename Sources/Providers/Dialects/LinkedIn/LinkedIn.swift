/// LinkedIn says `invalid_request` or `invalid_redirect_uri` for a code that is no good, in one sentence for all
/// that can be wrong with it. Its API has an envelope of its own, with `serviceErrorCode`.
enum LinkedIn {
    static let dialect = Dialect(
        "linkedin", "LinkedIn", hosts: ["linkedin.com"],
        rules: [
            RefusalRule(
                "invalid_request", with: 400...401, of: [.code], mark: "authorization code", means: .invalidGrant),
            RefusalRule(
                "invalid_redirect_uri", with: 400...401, of: [.code], mark: "authorization code", means: .invalidGrant),
            RefusalRule(
                "invalid_redirect_uri", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not among the app's authorized ones, to the letter"),
            RefusalRule(
                "invalid_request", with: 400...401, mark: "client_secret", means: .clientFault("invalid_client"),
                remedy: "clientSecret is missing or not sent as LinkedIn wants it: clientAuthentication post"),
            RefusalRule("invalid_request", with: 400...401, of: [.refresh], mark: "revoked", means: .invalidGrant),
            RefusalRule("invalid_request", with: 400...401, of: [.refresh], mark: "expired", means: .invalidGrant),
            RefusalRule(
                "invalid_request", with: 400...401, of: [.refresh], mark: "refresh token", means: .invalidGrant),
            RefusalRule(
                "invalid_client_id", means: .clientFault("invalid_client"), remedy: "there is no app of this clientID"),
            RefusalRule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "the Client ID or the Primary Client Secret is not the app's: look at its tab Auth"),
            RefusalRule(
                "unauthorized_scope_error", means: .clientFault("invalid_scope"),
                remedy: "the app lacks the product Sign In with LinkedIn using OpenID Connect"),
            // Of its API, with which userinfo answers.
            RefusalRule(nil, with: 401...401, of: [.userinfo], number: "65600", means: .invalidGrant),
            RefusalRule(nil, with: 401...401, of: [.userinfo], number: "65601", means: .invalidGrant),
            RefusalRule(
                "ACCESS_DENIED", with: 403...403, of: [.userinfo], means: .clientFault("access_denied"),
                remedy: "the app lacks the product Sign In with LinkedIn using OpenID Connect"),
        ],
        authorization: [
            "user_cancelled_login": .accessDenied, "user_cancelled_authorize": .accessDenied,
        ])
}
