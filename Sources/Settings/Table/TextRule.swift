internal import Accounts
internal import Crypto
internal import HTTPServer
internal import Providers
internal import Syntax

/// The grammar of a text, or of one element of a list, and the way back to text.
package struct TextRule<Value: Sendable>: Sendable {
    let expected: String
    let read: @Sendable (String) throws(ValueError) -> Value
    let show: @Sendable (Value) -> String

    /// - Parameters:
    ///   - expected: what the text must be.
    ///   - show: the way back.
    ///   - accept: the value, or nil for a text that is refused.
    package init(
        _ expected: String, show: @escaping @Sendable (Value) -> String,
        accept: @escaping @Sendable (String) -> Value?
    ) {
        (self.expected, self.show) = (expected, show)
        read = { text throws(ValueError) in
            guard let value = accept(text) else { throw ValueError(value: text, expected: expected) }
            return value
        }
    }

    /// A rule that says of some texts why they are refused.
    package init(
        expected: String, read: @escaping @Sendable (String) throws(ValueError) -> Value,
        show: @escaping @Sendable (Value) -> String
    ) {
        (self.expected, self.read, self.show) = (expected, read, show)
    }
}

extension TextRule where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the type's names.
    static var choice: Self { .choice(offering: Array(Value.allCases)) }

    /// One of the type's names; those that a rule refuses later are read, but not offered.
    static func choice(except refused: Set<Value>) -> Self where Value: Hashable {
        .choice(offering: Value.allCases.filter { !refused.contains($0) })
    }

    private static func choice(offering offered: [Value]) -> Self {
        TextRule("one of " + offered.map(\.rawValue).joined(separator: ", ")) {
            $0.rawValue
        } accept: {
            Value(rawValue: $0)
        }
    }
}

extension TextRule where Value == RefreshRepeat {
    /// A word, or seconds up to ten years.
    static var refreshRepeat: Self {
        TextRule("untilSuccessor, never, or a whole number of seconds from 1 to 315360000") { repeats in
            switch repeats.seconds {
            case nil: "untilSuccessor"
            case 0: "never"
            case let seconds?: String(seconds)
            }
        } accept: { text in
            switch text {
            case "untilSuccessor": return .untilSuccessor
            case "never": return .never
            default:
                guard let seconds = Int64(text), 1...315_360_000 ~= seconds, text == String(seconds) else { return nil }
                return .within(seconds: seconds)
            }
        }
    }
}

extension TextRule where Value == ClientAddressHeader {
    /// The names of header fields have no case (RFC 9110 §5.1).
    static var headerName: Self {
        TextRule(choice.expected) {
            $0.rawValue
        } accept: { text in
            ClientAddressHeader.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
        }
    }
}

extension TextRule where Value == SignatureAlgorithm {
    /// An asymmetric algorithm; the two that make forgery easy get a sentence of their own.
    static var algorithm: Self {
        let choice = Self.choice
        return TextRule(expected: choice.expected) { text throws(ValueError) in
            switch text {
            case "HS256", "HS384", "HS512":
                throw ValueError(
                    value: text,
                    expected: "an asymmetric algorithm: with \(text), everybody who can check a token can also make one"
                )
            case "none":
                throw ValueError(
                    value: text, expected: "a signature algorithm: with none, everybody can make a token")
            default: return try choice.read(text)
            }
        } show: {
            choice.show($0)
        }
    }
}

extension TextRule where Value == Secret {
    /// Anything but nothing, and no control character, which no header could carry.
    static var secret: Self {
        let expected = "a secret without control characters"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw ValueError(value: text, expected: expected)
            }
            guard !isTemplate(text) else {
                throw ValueError(value: text, expected: "the secret itself: what stands in brackets must be filled in")
            }
            return Secret(text)
        } show: { _ in
            Secret.redacted
        }
    }

    /// What others prove to us that they are who they say: we say how long it is, and what is shorter can be guessed.
    static var ownSecret: Self {
        let expected = "at least \(Secret.shortestOwn) characters, such as openssl rand -hex 32 makes"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard text.unicodeScalars.count >= Secret.shortestOwn else {
                throw ValueError(value: text, expected: expected)
            }
            return try secret.read(text)
        } show: { _ in
            Secret.redacted
        }
    }

    /// Whether a text is the place of a secret, which somebody has not filled in: `<secret>`, `${SECRET}`,
    /// `{{ secret }}`.
    private static func isTemplate(_ text: String) -> Bool {
        [("<", ">"), ("${", "}"), ("{{", "}}")].contains { text.hasPrefix($0) && text.hasSuffix($1) }
    }
}

extension TextRule where Value == PrivateKey {
    static var privateKey: Self {
        let expected = "a private key in PEM without a password: RSA of 2048 bits or more, or of curve P-256"
        return TextRule(expected: expected) { text throws(ValueError) in
            // What is there is never shown, so it is named.
            func refusal(_ mistake: String?) -> ValueError {
                ValueError(value: text, expected: expected + (mistake.map { "; what is there is \($0)" } ?? ""))
            }
            let pem = PEMText(text)
            let key: PrivateKey
            do throws(CryptoError) {
                key = try PrivateKey(pem: Secret(pem.text))
            } catch .unsupportedKeyType {
                throw refusal("a key of another kind or curve")
            } catch .unreadableKey {
                throw refusal(pem.mistake)
            } catch {
                throw refusal("a key that is too weak, or of another curve")
            }
            guard [.rsa, .ellipticCurve(.p256)].contains(key.publicKey.keyType) else {
                throw refusal("a key of another kind or curve")
            }
            return key
        } show: { _ in
            Secret.redacted
        }
    }
}

extension TextRule where Value == EndpointURL {
    static var webAddress: Self {
        TextRule("an absolute http(s) URL without user information and fragment") {
            $0.text
        } accept: {
            try? EndpointURL(configured: $0)
        }
    }

    /// An issuer identifier: without a query (OpenID Connect Discovery §3), filled in, and an address that somebody
    /// has.
    static var issuer: Self {
        let expected = "an absolute http(s) URL without user information, query and fragment"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard !text.hasTemplate else {
                throw ValueError(value: text, expected: "the issuer itself: what stands in braces must be filled in")
            }
            guard let address = try? EndpointURL(configured: text), !address.hasQuery else {
                throw ValueError(value: text, expected: expected)
            }
            try address.checkReachable(text)
            return address
        } show: {
            $0.text
        }
    }
}

extension TextRule where Value == ConfiguredIssuer {
    /// The issuer of a provider, which may be a template of its tenants' issuers, but of nothing else.
    static var providerIssuer: Self {
        let expected = "an absolute http(s) URL without user information, query and fragment"
        return TextRule(expected: expected) { text throws(ValueError) in
            let rest = text.replacing(IssuerNames.tenantPlaceholder, with: "", maxReplacements: 1)
            guard !rest.hasTemplate else {
                let template =
                    "what stands in braces must be filled in, unless it is one \(IssuerNames.tenantPlaceholder)"
                throw ValueError(value: text, expected: "the issuer itself: " + template)
            }
            guard let issuer = ConfiguredIssuer(text) else { throw ValueError(value: text, expected: expected) }
            try issuer.address.checkReachable(text)
            return issuer
        } show: {
            $0.text
        }
    }
}

extension EndpointURL {
    fileprivate func checkReachable(_ text: String) throws(ValueError) {
        guard IPAddress(host)?.isUnspecified != true else {
            throw ValueError(value: text, expected: "an address that others can reach: \(host) is none")
        }
    }
}

extension String {
    /// Whether a text such as `https://login.example.com/{tenant}` is still a template, in braces or their escapes.
    fileprivate var hasTemplate: Bool {
        let lowercased = lowercased()
        return ["{", "}", "%7b", "%7d"].contains { lowercased.contains($0) }
    }
}

extension TextRule where Value == FurtherAudience {
    private static var nonceKey: String { "nativeNonce=" }
    private static var clientKey: String { "clientID=" }

    /// A client identifier, or `clientID=ID nativeNonce=FORM`, which the file writes as a mapping.
    static var audience: Self {
        let forms = TextRule<NonceForm>.choice
        let expected = "a client identifier, or {clientID: …, nativeNonce: …} with \(forms.expected)"
        return TextRule(expected) { audience in
            guard let form = audience.nonceForm else { return audience.clientID }
            return "\(clientKey)\(audience.clientID) \(nonceKey)\(form.rawValue)"
        } accept: { text in
            guard text.hasPrefix(clientKey) else {
                return clientID(text).map { FurtherAudience(clientID: $0, nonceForm: nil) }
            }
            let words = text.dropFirst(clientKey.count).split(separator: " ", maxSplits: 1)
            guard let id = words.first.flatMap({ clientID(String($0)) }) else { return nil }
            guard words.count == 2 else { return FurtherAudience(clientID: id, nonceForm: nil) }
            guard words[1].hasPrefix(nonceKey),
                let form = NonceForm(rawValue: String(words[1].dropFirst(nonceKey.count)))
            else { return nil }
            return FurtherAudience(clientID: id, nonceForm: form)
        }
    }

    private static func clientID(_ text: String) -> String? {
        text.isEmpty || !text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? nil : text
    }
}

extension TextRule where Value == UserinfoUse {
    /// Whether userinfo is fetched; `true` and `false` are what there was before.
    static var userinfo: Self {
        TextRule(choice.expected) {
            $0.rawValue
        } accept: { text in
            switch text.lowercased() {
            case "true": .required
            case "false": .never
            default: UserinfoUse(rawValue: text)
            }
        }
    }
}

extension TextRule where Value == RequiredAuthentication {
    /// A level of assurance.
    static var level: Self {
        let token = TextRule<String>.token
        return TextRule(token.expected) {
            $0.values
        } accept: { text in
            (try? token.read(text)).flatMap { RequiredAuthentication(values: $0) }
        }
    }
}

extension TextRule where Value == IssuerAlias {
    static var issuerAlias: Self {
        TextRule("OLD=NEW, both issuer URLs") {
            "\($0.old.text)=\($0.new.text)"
        } accept: { text in
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let old = try? EndpointURL(configured: String(parts[0])),
                let new = try? EndpointURL(configured: String(parts[1])),
                !old.hasQuery, !new.hasQuery, old != new
            else { return nil }
            return IssuerAlias(old: old, new: new)
        }
    }
}

extension Secret {
    /// In characters, of secrets that are ours to choose.
    static let shortestOwn = 16
}

extension TextRule where Value == AddressRange {
    /// The addresses of somebody's own machines.
    static var proxyRange: Self {
        let expected = "an address range such as 10.0.0.0/8 or 2001:db8::/32"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard let range = AddressRange(text) else { throw ValueError(value: text, expected: expected) }
            guard range.isOneNetwork else {
                throw ValueError(
                    value: text,
                    expected:
                        "the range of your proxies, /8 of IPv4 or /16 of IPv6 at the most: any host in it may "
                        + "say what address anybody has")
            }
            return range
        } show: {
            $0.description
        }
    }
}

extension AddressRange {
    private static let ownNetworks = ["fc00::/7", "fe80::/10"].compactMap { AddressRange($0) }
    private static let (shortestIPv4, shortestIPv6) = (8, 16)

    /// Whether a range may be that of one operator's machines. Half of the internet is not; unique local and
    /// link-local addresses (RFC 4193 §3.1, RFC 4291 §2.5.6) are, and IPv6 has shorter prefixes for them.
    fileprivate var isOneNetwork: Bool {
        if base.bitCount == 32 { return prefixLength >= Self.shortestIPv4 }
        return prefixLength >= Self.shortestIPv6
            || Self.ownNetworks.contains { prefixLength >= $0.prefixLength && $0.contains(base) }
    }
}

extension TextRule where Value == StorageLocation {
    static var storage: Self {
        TextRule("file:PATH or postgres://USER@HOST/DATABASE") { location in
            switch location {
            case .file(let path): "file:\(path)"
            case .postgres: "postgres:\(Secret.redacted)"
            }
        } accept: { text in
            if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
                return .postgres(Secret(text))
            }
            guard text.hasPrefix("file:") else { return nil }
            var path = text.dropFirst("file:".count)
            // file:///path has an empty host (RFC 8089 §2); any other host would be another machine.
            if path.hasPrefix("//") {
                path = path.dropFirst(2)
                guard path.hasPrefix("/") else { return nil }
            }
            return path.isEmpty || path.last == "/" ? nil : .file(path: String(path))
        }
    }
}
