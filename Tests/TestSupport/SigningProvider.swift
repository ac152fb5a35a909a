public import Crypto
public import JOSE
public import JSON

/// The keys of providers in tests; made once, because an RSA key takes its time.
public enum TestKeys {
    public static let rsa = make(.rsa(bits: 2048))
    public static let otherRSA = make(.rsa(bits: 2048))
    public static let p256 = make(.ellipticCurve(.p256))
    public static let p384 = make(.ellipticCurve(.p384))
    public static let ed25519 = make(.ed25519)

    private static func make(_ kind: PrivateKey.Kind) -> PrivateKey {
        guard let key = try? PrivateKey.generate(kind) else { preconditionFailure("OpenSSL makes keys") }
        return key
    }
}

/// An OpenID Provider as far as tokens go: it has a key set and signs ID tokens, and whatever else it is asked to.
public struct SigningProvider: Sendable {
    public static let now: Int64 = 1_790_000_000
    public static let keyID = "key-1"

    public let issuer: String
    public let clientID: String
    public let key: PrivateKey
    public let algorithm: SignatureAlgorithm

    public init(
        issuer: String = "https://carrier.example", clientID: String = "ccid-0123456789abcdef",
        key: PrivateKey = TestKeys.rsa, algorithm: SignatureAlgorithm = .rs256
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.key = key
        self.algorithm = algorithm
    }

    /// The published key set.
    public var keyDocument: JSONValue { Self.keyDocument([(Self.keyID, key, algorithm)]) }

    public static func keyDocument(
        _ keys: [(keyID: String?, key: PrivateKey, algorithm: SignatureAlgorithm)]
    ) -> JSONValue {
        ["keys": .array(keys.map { .object($0.key.publicKey.jwk(keyID: $0.keyID, algorithm: $0.algorithm)) })]
    }

    public var keySet: JWKSet {
        get throws { try JWKSet(keyDocument, maximumKeyCount: 10) }
    }

    /// A good ID token, before it is signed.
    public var idTokenDraft: TokenDraft {
        TokenDraft(
            header: JSONObject([
                ("typ", "JWT"), ("alg", .string(algorithm.rawValue)), ("kid", .string(Self.keyID)),
            ]),
            claims: JSONObject([
                ("iss", .string(issuer)), ("sub", "310260-subject"), ("aud", .string(clientID)),
                ("exp", .integer(Self.now + 300)), ("iat", .integer(Self.now - 5)),
                ("auth_time", .integer(Self.now - 10)), ("nonce", "the-nonce"), ("acr", "a3"),
                ("amr", ["hwk", "pin"]), ("context", "Pay 20 dollars"),
            ]))
    }

    /// A good port token of this carrier, before it is signed.
    public var portTokenDraft: TokenDraft {
        TokenDraft(
            header: JSONObject([
                ("typ", "port_token+jwt"), ("alg", .string(algorithm.rawValue)), ("kid", .string(Self.keyID)),
            ]),
            claims: JSONObject([
                ("iss", .string(issuer)), ("sub", "old-subject"), ("aud", .string(clientID)),
                ("iat", .integer(Self.now - 86_400)),
            ]))
    }

    /// A good logout token, before it is signed.
    public var logoutTokenDraft: TokenDraft {
        TokenDraft(
            header: JSONObject([
                ("typ", "logout+jwt"), ("alg", .string(algorithm.rawValue)), ("kid", .string(Self.keyID)),
            ]),
            claims: JSONObject([
                ("iss", .string(issuer)), ("aud", .string(clientID)), ("iat", .integer(Self.now - 5)),
                ("exp", .integer(Self.now + 115)), ("jti", "the-jti"), ("sub", "310260-subject"), ("sid", "the-sid"),
                ("events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
            ]))
    }

    /// Signs a draft after changing it.
    public func sign(_ draft: TokenDraft, _ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try draft.changed(change).signed(by: key, with: algorithm)
    }

    public func idToken(_ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try sign(idTokenDraft, change)
    }

    public func portToken(_ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try sign(portTokenDraft, change)
    }

    public func logoutToken(_ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try sign(logoutTokenDraft, change)
    }

    /// Its metadata, with every endpoint below the issuer.
    public var metadata: JSONValue {
        [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(tokenEndpoint), "userinfo_endpoint": .string(userinfoEndpoint),
            "jwks_uri": .string(keysEndpoint),
        ]
    }

    public var metadataURL: String { issuer + "/.well-known/openid-configuration" }
    public var tokenEndpoint: String { issuer + "/token" }
    public var userinfoEndpoint: String { issuer + "/userinfo" }
    public var keysEndpoint: String { issuer + "/jwks" }

    /// Answers for metadata and keys.
    public func publish(on transport: ScriptedTransport) {
        transport.answer(metadataURL, json: metadata)
        transport.answer(keysEndpoint, json: keyDocument)
    }
}
