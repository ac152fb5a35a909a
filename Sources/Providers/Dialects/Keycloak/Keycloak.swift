/// Each operator of Keycloak has an issuer of their own.
enum Keycloak {
    static let dialect = Dialect(
        nil, "Keycloak", profile: ProviderProfile("keycloak", nativeTokens: true, userinfo: .optional))
}
