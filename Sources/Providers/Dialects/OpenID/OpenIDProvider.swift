/// Any OpenID Provider: what is said and meant where nobody says otherwise.
enum OpenIDProvider {
    /// But for Entra's numbers, which nobody else writes: its tenants have domains of their own.
    static let dialect = Dialect("standard", "the provider", profile: profile, rules: Microsoft.entraNumbers)

    static let profile = ProviderProfile("openid")
}
