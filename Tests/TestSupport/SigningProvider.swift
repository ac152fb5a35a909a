public import Crypto
public import JOSE
public import JSON
import Syntax

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

    /// A good notification as Apple sends them, before it is signed.
    public var notificationDraft: TokenDraft {
        TokenDraft(
            header: JSONObject([("alg", .string(algorithm.rawValue)), ("kid", .string(Self.keyID))]),
            claims: JSONObject([
                ("iss", .string(issuer)), ("aud", .string(clientID)), ("iat", .integer(Self.now - 5)),
                ("jti", "the-jti"), ("events", Self.notification("consent-revoked")),
            ]))
    }

    /// What a notification tells, as the text that Apple makes of it.
    public static func notification(
        _ type: String, subject: JSONValue? = "310260-subject", time: JSONValue? = .integer((now - 10) * 1000)
    ) -> JSONValue {
        var event = JSONObject([("type", .string(type))])
        event[setting: "sub"] = subject
        event[setting: "event_time"] = time
        event[setting: "email"] = "x7@privaterelay.example"
        event[setting: "is_private_email"] = "true"
        return .string(String(decoding: JSONValue.object(event).serialized, as: UTF8.self))
    }

    public func notification(_ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try sign(notificationDraft, change)
    }

    /// A good security event token of RISC, as Google sends them, before it is signed.
    public var securityEventDraft: TokenDraft {
        TokenDraft(
            header: JSONObject([
                ("typ", "secevent+jwt"), ("alg", .string(algorithm.rawValue)), ("kid", .string(Self.keyID)),
            ]),
            claims: JSONObject([
                ("iss", .string(issuer + "/")), ("aud", .string(clientID)), ("iat", .integer(Self.now - 5)),
                ("jti", "the-jti"), ("events", riscEvent("sessions-revoked")),
            ]))
    }

    /// `events` with one event, about the subject of ``idTokenDraft``.
    public func riscEvent(
        _ name: String, of family: String = "risc", _ more: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        let subject: JSONValue = [
            "subject_type": "iss-sub", "iss": .string(issuer + "/"), "sub": "310260-subject",
        ]
        let event = JSONObject([("subject", subject)] + more.map { (name: $0.key, value: $0.value) })
        let uri = "https://schemas.openid.net/secevent/\(family)/event-type/\(name)"
        return .object(JSONObject([(uri, .object(event))]))
    }

    public func securityEvent(_ change: (inout TokenDraft) -> Void = { _ in }) throws -> String {
        try sign(securityEventDraft, change)
    }

    /// Where its events' own configuration lies.
    public var riscConfigurationURL: String { issuer + "/.well-known/risc-configuration" }
    public var riscConfiguration: JSONValue {
        ["issuer": .string(issuer + "/"), "jwks_uri": .string(keysEndpoint)]
    }

    /// What Facebook would post.
    public static func signedRequest(
        secret: String = "client-secret", _ change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        var payload = JSONObject([
            ("algorithm", "HMAC-SHA256"), ("issued_at", .integer(now - 5)), ("user_id", "310260-subject"),
        ])
        change(&payload)
        let text = Base64URL.encode(JSONValue.object(payload).serialized)
        let signature = HMAC.sha256(Array(text.utf8), key: Array(secret.utf8))
        return Base64URL.encode(signature) + "." + text
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
        transport.answer(riscConfigurationURL, json: riscConfiguration)
    }
}
