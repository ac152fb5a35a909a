internal import Crypto

/// LINE says `invalid_client` with 400, and `invalid_request` for a refresh token that is over. In authorization
/// responses its names are in capitals at times.
enum LINE {
    static let dialect = Dialect(
        "line", "LINE", hosts: ["line.me"], profile: profile,
        rules: [
            RefusalRule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "clientID must be the channel's ID, and clientSecret the secret of that channel"),
            RefusalRule(
                "invalid_request", with: 400...401, of: [.code], mark: "authorization code", means: .invalidGrant),
            RefusalRule(
                "invalid_request", with: 400...401, of: [.refresh], mark: "refresh token", means: .invalidGrant),
            RefusalRule(
                "invalid_request", with: 400...400, of: [.revocation], mark: "access token", means: .invalidGrant),
        ],
        authorization: [
            "ACCESS_DENIED": .accessDenied, "LOGIN_REQUIRED": .loginRequired,
            "INTERACTION_REQUIRED": .interactionRequired, "SERVER_ERROR": .serverError,
        ])

    /// ES256 for apps; codes come to an ID token under the channel's secret, which LINE verifies for us.
    private static let profile = ProviderProfile(
        "line", displayName: "LINE",
        place: ProviderProfile.Place(
            issuer: "https://access.line.me", idTokenVerificationURL: "https://api.line.me/oauth2/v2.1/verify"),
        clientAuthentication: .post, doesWithoutSecret: true, algorithms: [.es256], nativeTokens: true,
        userinfo: .never, authTime: .never)
}
