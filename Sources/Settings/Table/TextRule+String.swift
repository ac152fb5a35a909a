internal import Logging
internal import Providers
internal import Syntax

extension TextRule where Value == String {
    private init(_ expected: String, _ accept: @escaping @Sendable (String) -> Bool) {
        self.init(expected) {
            $0
        } accept: {
            accept($0) ? $0 : nil
        }
    }

    /// A host name or an address, to listen on.
    static var host: Self {
        TextRule("a host name or IP address") { HostName.isValid($0) || IPAddress($0) != nil }
    }

    static var path: Self {
        TextRule("a file's path") { text in text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    }

    /// Printable ASCII without white space.
    static var token: Self {
        TextRule("printable characters without spaces") { text in
            !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
    }

    /// Another spelling of an issuer, which need not be a URL.
    static var issuerSpelling: Self {
        TextRule("a name as tokens have it: visible ASCII, without braces") { text in
            !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x7B && $0 != 0x7D }
        }
    }

    /// A tenant of an issuer.
    static var tenant: Self {
        TextRule("a tenant's identifier, a GUID in lower case, or * alone for any") { text in
            text == "*" || IssuerNames.isTenant(text)
        }
    }

    /// Printable ASCII (RFC 6749 appendix A.1). Empty is no fault of grammar: whether it may be is a rule.
    static var clientID: Self {
        TextRule("the client identifier that the provider gave out") { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        }
    }

    /// The name that one of ours has towards us. Empty is no fault of grammar here either.
    static var ownID: Self {
        TextRule(token.expected) { text in text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    }

    /// RFC 6749 §3.3.
    static var scope: Self {
        TextRule("a scope: printable characters without spaces, quotes and backslashes") { text in
            !text.isEmpty
                && text.utf8.allSatisfy {
                    $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                }
        }
    }

    /// An absolute URI without a fragment (RFC 6749 §3.1.2), of any scheme: apps have their own. It is compared as text
    /// (RFC 9700 §2.1), so that a `*` in it would stand for nothing.
    static var redirectURI: Self {
        let expected = "an absolute URI without a fragment, such as com.example.app:/callback"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard !text.contains("*") else {
                throw ValueError(value: text, expected: "a redirect URI to the letter: * stands for nothing")
            }
            guard AbsoluteURI.scheme(of: text) != nil else { throw ValueError(value: text, expected: expected) }
            return text
        } show: {
            $0
        }
    }

    /// A host, `*.` and a domain of at least two labels, since `*` or `*.com` would trust strangers, or the URL of an
    /// issuer as that writes it.
    static var trustedIssuer: Self {
        TextRule("a host name such as login.example.com, *.example.com, or an issuer's URL, https://example.com/path") {
            $0
        } accept: { text in
            if text.contains("://") {
                guard let url = try? EndpointURL(configured: text), !url.hasQuery, url.isSecure || url.isLoopback
                else { return nil }
                return text
            }
            let lowercased = text.lowercased()
            guard lowercased.hasPrefix("*.") else {
                return HostName.isValid(lowercased) || IPAddress(lowercased) != nil ? lowercased : nil
            }
            let domain = lowercased.dropFirst(2)
            return HostName.isValid(domain) && domain.contains(".") && IPAddress(domain) == nil ? lowercased : nil
        }
    }

    /// A domain of mail, of at least two labels.
    static var domain: Self {
        TextRule("a domain such as example.com") {
            $0
        } accept: { text in
            let lowercased = text.lowercased()
            return HostName.isValid(lowercased) && lowercased.contains(".") && IPAddress(lowercased) == nil
                ? lowercased : nil
        }
    }

    /// The names that become parts of paths and of environment variables.
    static var sectionName: Self {
        TextRule("a name of lower-case letters, digits and hyphens") { text in
            !text.isEmpty && text.utf8.count <= 64 && text.first != "-" && text.last != "-"
                && text.utf8.allSatisfy {
                    $0.isAlphanumeric && $0 == $0.lowercasedASCII || $0 == UInt8(ascii: "-")
                }
        }
    }

    private static var maximumClaimNameBytes: Int { 128 }

    /// Claims about a token and not about its user: they are for its verifier, and some would let an app pass for
    /// somebody (OpenID Connect Core §2, §5.6.2; RFC 7519 §4.1; RFC 9068 §2.2).
    private static var protocolClaims: Set<String> {
        [
            "sub", "sub_id", "sub_jwk", "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "at_hash", "c_hash",
            "s_hash",
            "azp", "auth_time", "acr", "amr", "aka", "port_token", "port_data", "context", "sid", "scope", "client_id",
            "cnf", "typ", "token_use", "events", "act", "may_act", "access_token", "refresh_token", "id_token",
            "_claim_names", "_claim_sources", "transfer_sub",
        ]
    }

    /// The name of a claim that may be handed to an app.
    static var claim: Self {
        let expected = "the name of a claim, 1 to \(maximumClaimNameBytes) characters without white space"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard (1...maximumClaimNameBytes).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else { throw ValueError(value: text, expected: expected) }
            guard !protocolClaims.contains(text.lowercased()) else {
                throw ValueError(
                    value: text, expected: "a claim about the user: \(text) is one of the protocol and never handed on")
            }
            return text
        } show: {
            $0
        }
    }
}

extension ProviderSettings {
    /// How many further claims a provider may hand out.
    static let maximumClaims = 32
}

extension TextRule where Value == Logger.Level {
    /// A level in any case, also by the names that other software has for it: platforms set these for all they run.
    static var logLevel: Self {
        let choice = Self.choice
        let names: [String: Logger.Level] = [
            "verbose": .trace, "information": .info, "warn": .warning, "err": .error, "fatal": .critical,
            "crit": .critical,
        ]
        return TextRule(choice.expected) {
            $0.rawValue
        } accept: { text in
            let name = text.lowercased()
            return Logger.Level(rawValue: name) ?? names[name]
        }
    }
}
