internal import Providers
internal import Syntax

extension ProviderSettings {
    /// What the profile's values depend on: the profile; whether the issuer is its own; whether there is a secret.
    static var presetKeys: Set<String> { ["profile", "issuer", "clientSecret"] }

    /// Takes what is known of everybody's provider of that profile.
    mutating func takePreset() {
        if let place = profile.place { take(place) }
        if let network = profile.network { discoveryURL = Self.address(network.url) }
        clientAuthentication =
            profile.doesWithoutSecret && clientSecret == nil ? .publicClient : profile.clientAuthentication
        redirectURI = profile.redirectURI
        responseMode = profile.responseMode
        requirePKCE = profile.requirePKCE
        nativeTokens = profile.nativeTokens
        userinfo = profile.userinfo
        authTime = profile.authTime
        pkce = profile.pkce
        emailDomains = profile.emailDomains
    }

    /// The documents of one issuer tell nothing of another, and its tokens are nobody else's to verify.
    private mutating func take(_ place: ProviderProfile.Place) {
        if issuer == nil { issuer = ConfiguredIssuer(place.issuer) }
        guard issuer?.text == place.issuer else { return }
        issuers = place.issuers
        discoveryURL = Self.address(place.discoveryURL)
        idTokenVerificationURL = Self.address(place.idTokenVerificationURL)
        eventConfigurationURL = Self.address(place.eventConfigurationURL)
    }

    private static func address(_ text: String?) -> EndpointURL? {
        text.flatMap { try? EndpointURL(configured: $0) }
    }
}
