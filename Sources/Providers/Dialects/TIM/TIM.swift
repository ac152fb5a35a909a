/// Trifork's identity manager: an OpenID Provider like any other, whose KeyService is a wing.
enum TIM {
    static let dialect = Dialect(nil, "the provider", profile: ProviderProfile("tim"))
}
