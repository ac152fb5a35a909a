/// Each operator has a pool, and so an issuer, of their own at Amazon Cognito.
enum Cognito {
    static let dialect = Dialect(
        nil, "Cognito",
        profile: ProviderProfile(
            "cognito", scopes: ["openid", "profile", "email", "phone"], nativeTokens: true, userinfo: .optional,
            pkce: .enforced))
}
