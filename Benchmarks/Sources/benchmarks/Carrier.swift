internal import Crypto
internal import HTTPClient
internal import JOSE
internal import JSON
import Synchronization
internal import Syntax

/// An OpenID Provider that answers at once, always the same, about one user.
struct Carrier: HTTPTransport {
    /// When everything begins, in seconds since 1970.
    static let now: Int64 = 1_790_000_000
    private static let looks = Atomic(0)

    /// The time of day, which goes on by a second with every few looks at it: a store writes less where time stands
    /// still.
    static var time: Int64 { now + Int64(looks.add(1, ordering: .relaxed).newValue / 4) }
    /// The clock goes on while other things are measured.
    private static let nativeLifetime: Int64 = 86_400
    static let issuer = "https://carrier.example"
    static let clientID = "ccid-0123456789abcdef"
    static let nonce = "n-0S6_WzA2Mj"
    static let subject = "mccmnc-999101-0123456789abcdef"
    static let accessToken = "SlAV32hkKG-0123456789abcdef0123456789abcdef"
    static let userinfo = Array(
        """
        {"sub":"\(subject)","name":{"value":"Jane Doe","given_name":"Jane","family_name":"Doe"},\
        "email":{"value":"jane@example.com","verified":true},"phone":{"value":"+12065550100"},\
        "postal_code":{"value":"90210"},"birthdate":"1990-02-28","last_4_social":"1234"}
        """.utf8)

    let idToken: String
    let keys: JWKSet
    private let signer: JWTSigner
    private let metadata: OutboundResponse
    private let keyDocument: OutboundResponse
    private let tokens: OutboundResponse
    private let attributes = OutboundResponse(
        status: 200, headers: [(name: "Content-Type", value: "application/json")], body: userinfo)

    init() throws {
        signer = try JWTSigner(key: try PrivateKey.generate(.rsa(bits: 2048)), algorithm: .rs256, type: "JWT")
        idToken = try signer.sign(JSONValue.object(Self.claims(nonce: Self.nonce, lifetime: 600)).serialized)
        let set: JSONValue = ["keys": [.object(signer.jwkJSON)]]
        keys = try JWKSet(set, maximumKeyCount: 1)
        keyDocument = OutboundResponse(status: 200, body: set.serialized)
        metadata = Self.json([
            "issuer": .string(Self.issuer), "token_endpoint": .string(Self.issuer + "/token"),
            "userinfo_endpoint": .string(Self.issuer + "/userinfo"), "jwks_uri": .string(Self.issuer + "/keys"),
            "authorization_endpoint": .string(Self.issuer + "/authorize"),
        ])
        tokens = Self.json([
            "access_token": .string(Self.accessToken), "token_type": "Bearer", "expires_in": 600,
            "id_token": .string(idToken),
        ])
    }

    private static func claims(nonce: String, lifetime: Int64) -> JSONObject {
        JSONObject([
            ("iss", .string(issuer)), ("sub", .string(subject)), ("aud", .string(clientID)),
            ("iat", .integer(now - 5)), ("exp", .integer(now + lifetime)), ("auth_time", .integer(now - 10)),
            ("nonce", .string(nonce)), ("acr", "a3"), ("amr", ["hwk", "pin"]),
        ])
    }

    /// An ID token as an SDK gives it to an app, which has the hash of the nonce.
    ///
    /// - Parameter number: makes it another one, since each is good for one sign-in.
    func nativeToken(_ number: Int) throws -> String {
        let hash = Hexadecimal.encode(Digest.sha256.hash(Self.nonce.utf8.span))
        var claims = Self.claims(nonce: hash, lifetime: Self.nativeLifetime)
        claims.append("jti", .string("token-\(number)"))
        return try signer.sign(JSONValue.object(claims).serialized)
    }

    private static func json(_ document: JSONValue) -> OutboundResponse {
        OutboundResponse(
            status: 200, headers: [(name: "Content-Type", value: "application/json")], body: document.serialized)
    }

    func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        switch request.content.url.path {
        case "/token": tokens
        case "/userinfo": attributes
        case "/keys": keyDocument
        default: metadata
        }
    }
}
