extension ProviderSettings {
    /// How many further claims a provider may hand out.
    static let maximumClaims = 32
}

extension TextRule where Value == String {
    private static var maximumClaimNameBytes: Int { 128 }

    /// Claims about a token and not about its user: they belong to whoever checks it, and some would let an app pass for
    /// somebody (OpenID Connect Core §2, §5.6.2; RFC 7519 §4.1; RFC 9068 §2.2).
    private static var protocolClaims: Set<String> {
        [
            "sub", "sub_id", "sub_jwk", "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "at_hash", "c_hash",
            "s_hash",
            "azp", "auth_time", "acr", "amr", "aka", "port_token", "port_data", "context", "sid", "scope", "client_id",
            "cnf", "typ", "token_use", "events", "act", "may_act", "access_token", "refresh_token", "id_token",
            "_claim_names", "_claim_sources",
        ]
    }

    /// The name of a claim that may be handed to an app.
    static var claim: Self {
        let expected = "the name of a claim, 1 to \(maximumClaimNameBytes) characters without white space"
        return TextRule(expected: expected) { text throws(ValueRefusal) in
            guard (1...maximumClaimNameBytes).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else { throw ValueRefusal(value: text, expected: expected) }
            guard !protocolClaims.contains(text.lowercased()) else {
                throw ValueRefusal(
                    value: text, expected: "a claim about the user: \(text) is one of the protocol and never handed on")
            }
            return text
        } show: {
            $0
        }
    }
}
