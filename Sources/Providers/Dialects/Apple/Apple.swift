/// Apple says `invalid_client` with 400, and says nothing more about it. A user who leaves its page is
/// `user_cancelled_authorize`.
enum Apple {
    static let dialect = Dialect(
        "apple", "Apple", hosts: ["appleid.apple.com", "account.apple.com"], profile: profile,
        rules: [
            RefusalRule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "the client secret does not hold: clientID must be the app's bundle or the Services ID, and "
                    + "appleTeamID, appleKeyID and clientKey those of one key that has Sign in with Apple"),
            RefusalRule(
                "unauthorized_client", with: 400...401, means: .clientFault("unauthorized_client"),
                remedy: "the code was issued to another App ID or Services ID, or this one is in no group with it"),
            RefusalRule(
                "invalid_scope", means: .clientFault("invalid_scope"), remedy: "scopes may be openid, name and email"),
        ],
        authorization: [
            "user_cancelled_authorize": .accessDenied, "user_trigger_new_signin_flow": .loginRequired,
        ])

    /// Its metadata has had another name than its tokens since 2025. It has no userinfo, and takes no verifier. Asked
    /// for a name or an address, it answers by a form only.
    private static let profile = ProviderProfile(
        "apple", displayName: "Apple",
        place: ProviderProfile.Place(issuer: "https://appleid.apple.com", issuers: ["https://account.apple.com"]),
        clientAuthentication: .apple, scopes: ["openid", "name", "email"], redirectURI: .optional,
        responseMode: .formPost, requirePKCE: false, nativeTokens: true, userinfo: .never, authTime: .never,
        pkce: .ignored, trustEmails: .all)
}
