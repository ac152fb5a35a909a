/// Carriers found through ZenKey's discovery issuer, by a user's mobile network.
enum ZenKey {
    static let dialect = Dialect(nil, "the carrier", profile: .zenKey)
}

extension ProviderProfile {
    /// That of a section that names none. A carrier has a scope for each attribute; ZenKey's guide shows ID and secret
    /// as they are in plain Base64, where everybody else keeps to RFC 6749 §2.3.1.
    public static let zenKey = ProviderProfile(
        "zenkey", displayName: "ZenKey",
        network: NetworkDiscovery(
            url: "https://discoveryissuer.myzenkey.com/.well-known/openid_configuration",
            redirectURI: "://com.xci.provider.sdk"),
        basicEncoding: .raw, scopes: ["openid", "name", "email", "phone", "postal_code"], pkce: .enforced,
        trustEmails: .all)
}
