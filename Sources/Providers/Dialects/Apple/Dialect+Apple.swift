extension Dialect {
    /// Apple says `invalid_client` with 400, and says nothing more about it. A user who leaves its page is
    /// `user_cancelled_authorize`.
    static let apple = Dialect(
        "Apple", hosts: ["appleid.apple.com", "account.apple.com"],
        rules: [
            Rule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "the client secret does not hold: clientID must be the app's bundle or the Services ID, and "
                    + "appleTeamID, appleKeyID and clientKey those of one key that has Sign in with Apple"),
            Rule(
                "unauthorized_client", with: 400...401, means: .clientFault("unauthorized_client"),
                remedy: "the code was issued to another App ID or Services ID, or this one is in no group with it"),
            Rule(
                "invalid_scope", means: .clientFault("invalid_scope"), remedy: "scopes may be openid, name and email"),
        ],
        authorization: [
            "user_cancelled_authorize": .accessDenied, "user_trigger_new_signin_flow": .loginRequired,
        ])
}
