/// Twitch tells what is wrong in a sentence, `message`, beside the status, and has no name for it. It takes a client
/// secret in the form only, compares no code verifier, and has one scope beside `openid` that says who somebody is.
enum Twitch {
    static let dialect = Dialect(
        "twitch", "Twitch", hosts: ["twitch.tv"], profile: profile,
        rules: [
            RefusalRule(nil, mark: "Invalid authorization code", means: .invalidGrant),
            RefusalRule(nil, mark: "Invalid refresh token", means: .invalidGrant),
            RefusalRule(nil, with: 401...401, of: [.userinfo], mark: "invalid access token", means: .invalidGrant),
            RefusalRule(
                nil, mark: "invalid client secret", means: .clientFault("invalid_client"),
                remedy: "clientSecret is not the application's: make a new one in the developer console"),
            RefusalRule(
                nil, mark: "invalid client", means: .clientFault("invalid_client"),
                remedy: "there is no application of this clientID"),
            RefusalRule(
                nil, mark: "redirect_uri does not match", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not among the application's OAuth Redirect URLs, to the letter"),
            RefusalRule("Service Unavailable", means: .temporarilyUnavailable),
        ])

    private static let profile = ProviderProfile(
        "twitch", displayName: "Twitch", place: ProviderProfile.Place(issuer: "https://id.twitch.tv/oauth2"),
        clientAuthentication: .post, scopes: ["openid", "user:read:email"], userinfo: .optional, authTime: .never,
        pkce: .ignored)
}
