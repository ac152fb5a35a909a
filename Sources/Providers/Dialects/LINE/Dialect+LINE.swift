extension Dialect {
    /// LINE says `invalid_client` with 400, and `invalid_request` for a refresh token that is over. In authorization
    /// responses its names are in capitals at times.
    static let line = Dialect(
        "LINE", hosts: ["line.me"],
        rules: [
            Rule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "clientID must be the channel's ID, and clientSecret the secret of that channel"),
            Rule("invalid_request", with: 400...401, of: [.code], mark: "authorization code", means: .invalidGrant),
            Rule("invalid_request", with: 400...401, of: [.refresh], mark: "refresh token", means: .invalidGrant),
            Rule("invalid_request", with: 400...400, of: [.revocation], mark: "access token", means: .invalidGrant),
        ],
        authorization: [
            "ACCESS_DENIED": .accessDenied, "LOGIN_REQUIRED": .loginRequired,
            "INTERACTION_REQUIRED": .interactionRequired, "SERVER_ERROR": .serverError,
        ])
}
