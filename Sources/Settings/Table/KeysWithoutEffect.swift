/// The keys that are recognised, but whose feature is not there yet. A key that lands is taken out here.
enum KeysWithoutEffect {
    /// Outside the providers' sections.
    static let ofSettings: Set<String> = [
        "http.tlsCertificateFile", "http.tlsKeyFile",
    ]

    /// In a provider's section.
    static let ofProviders: Set<String> = [
        "clientKeyFile", "scopes", "returnTo", "keepTokens",
    ]

    /// The profiles of which only plain OpenID Connect sign-in is there.
    static let profiles: Set<ProviderProfile> = [.beyondIdentity, .telenorID, .tim]

    /// The ways of client authentication that no provider can be asked with yet: refused, since no sign-in could work.
    static let clientAuthentication: Set<ClientAuthentication> = [.privateKey]

    static let notice = "is recognised, but has no effect in this version"
}
