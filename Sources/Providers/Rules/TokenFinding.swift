public import Crypto
public import JOSE
internal import JSON

/// Whose tokens are taken, and for whom.
public struct ExpectedNames: Sendable {
    public let issuers: [String]
    public let audiences: [String]

    public init(issuers: [String], audiences: [String]) {
        (self.issuers, self.audiences) = (issuers, audiences)
    }
}

/// What stands in a signed token where it breaks a rule, beside what was to stand there: for the one who reads the log
/// and has to find out which of two configurations is wrong.
///
/// Names, times and algorithms are shown. Of all else, such as a subject or a nonce, only whether it is there.
public enum TokenFinding {
    private static let maximumNames = 5
    /// A month and more, in seconds.
    private static let longestTold: UInt = 9_999_999

    /// - Parameters:
    ///   - rule: the one that it breaks, by the word that the API has for it.
    ///   - keys: the names of the keys that are known, where one was looked for.
    ///   - now: seconds since 1970.
    /// - Returns: nil where there is nothing to say beside the rule.
    public static func sentence(
        breaking rule: String, in token: CompactJWS, expecting names: ExpectedNames,
        allowed algorithms: [SignatureAlgorithm], keys: [String?], now: Int64
    ) -> String? {
        let header = token.header
        let keyID = PrintableName(header.keyID.map { .string($0) })
        switch rule {
        case "algorithm":
            return "alg is \(header.algorithm.rawValue), expected \(list(algorithms.map(\.rawValue)))"
        case "signature": return "the signature is not that of the key \(keyID)"
        case "unknown_key": return "kid is \(keyID), expected \(list(keys.compactMap(\.self)))"
        case "typ": return "typ is \(PrintableName(header.type.map { .string($0) }))"
        default: break
        }
        guard let claims = ProviderDocument.object(token.unverifiedPayload.span) else {
            return "the claims are no JSON object that has each of those once by which something is decided"
        }
        return sentence(breaking: rule, claims, expecting: names, now: now)
    }

    /// The same of claims alone.
    static func sentence(
        breaking rule: String, _ claims: JSONValue, expecting names: ExpectedNames, now: Int64
    ) -> String? {
        switch rule {
        case "issuer", "iss": compared("iss", claims, names.issuers)
        case "audience", "aud": compared("aud", claims, names.audiences)
        case "authorized_party", "azp": compared("azp", claims, names.audiences)
        case "client_id": compared("client_id", claims, names.audiences)
        case "expired", "exp": timed(["exp"], claims, now: now)
        case "issued_at", "iat": timed(["iat", "nbf"], claims, now: now)
        case "nbf": timed(["nbf"], claims, now: now)
        case "auth_time": timed(["auth_time"], claims, now: now)
        case "acr": "acr is \(PrintableName(claims["acr"]))"
        case "nonce", "at_hash", "c_hash", "context", "sid", "jti", "cnf", "events": presence(rule, claims)
        case "subject", "sub": presence("sub", claims)
        default: nil
        }
    }

    private static func compared(_ name: String, _ claims: JSONValue, _ expected: [String]) -> String {
        "\(name) is \(PrintableName(claims[name])), expected \(list(expected))"
    }

    private static func timed(_ names: [String], _ claims: JSONValue, now: Int64) -> String {
        names.filter { $0 == names.first || claims[$0] != nil }
            .map { "\($0) is \(moment(claims[$0], now: now))" }.joined(separator: ", ")
    }

    /// A time beside the present one. As numbers both have as many digits as a phone number, which no log shows.
    private static func moment(_ value: JSONValue?, now: Int64) -> String {
        guard let time = value?.integer, (0...Int64(UInt32.max)).contains(time) else {
            return value?.integer == nil ? PrintableName(value).description : "no time of this century"
        }
        let distance = time.distance(to: now)
        let seconds = distance.magnitude > longestTold ? "more than \(longestTold) s" : "\(distance.magnitude) s"
        return distance < 0 ? "\(seconds) ahead" : "\(seconds) ago"
    }

    private static func presence(_ name: String, _ claims: JSONValue) -> String {
        "\(name) is \(claims[name].map { $0.isNull ? "null" : "another, or can't be one" } ?? "missing")"
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(maximumNames).map { PrintableName($0).description }.joined(separator: " or ")
        return names.isEmpty ? "none" : names.count > maximumNames ? shown + ", …" : shown
    }
}
