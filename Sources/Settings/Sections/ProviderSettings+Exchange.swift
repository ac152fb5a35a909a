internal import Providers

/// Whether, and by what proof, a provider's access tokens sign people in; `false` in a file for not at all.
enum ExchangeRule: String, Sendable, CaseIterable {
    case off = "false"
    case introspection, jwt

    var rule: TokenExchange.Rule? {
        switch self {
        case .off: nil
        case .introspection: .introspection
        case .jwt: .jwt
        }
    }
}

extension TextRule where Value == ExchangeRule {
    /// `true` does not say by what a token proves that it is meant for this service.
    static var exchangeRule: Self {
        let choice = Self.choice
        return TextRule(expected: choice.expected) { text throws(ValueError) in
            guard !["true", "yes", "1"].contains(text.lowercased()) else {
                throw ValueError(
                    value: text,
                    expected: "introspection, or jwt: which of them proves that a token was issued for this service")
            }
            return try choice.read(text)
        } show: {
            choice.show($0)
        }
    }
}

extension ProviderSettings {
    /// How its access tokens sign people in; nil where they don't.
    var exchange: TokenExchange? {
        tokenExchange.rule.map { TokenExchange($0, audiences: tokenExchangeAudiences) }
    }

    /// What is wrong with the keys about exchanges together.
    func exchangeRules() -> [SettingsError] {
        guard let rule = tokenExchange.rule else {
            return KeysWithoutEffect.faults(
                Self.keys, ["tokenExchangeAudiences"], under: key(""), in: self, fresh: fresh,
                because: "tokenExchange is false")
        }
        var reasons: [String] = []
        if profile.findsIssuerByNetwork {
            reasons.append("profile \(profile.name) has no one issuer whose tokens they could be")
        }
        if rule == .introspection, clientAuthentication == .publicClient {
            reasons.append("with clientAuthentication none no provider tells us what a token is good for")
        }
        if requireNonce { reasons.append("no access token has the nonce that requireNonce demands") }
        if requireChallenge { reasons.append("no access token has the nonce that requireChallenge demands") }
        return reasons.map {
            SettingsError(.conflict, key("tokenExchange"), value: tokenExchange.rawValue, expected: "false: \($0)")
        }
    }
}
