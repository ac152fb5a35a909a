import Crypto
import Foundation
import HTTPClient
import JOSE
import JSON
import Syntax
import TestSupport
import Testing

@testable import Providers

/// A request of ours, at a provider whose endpoints lie on several hosts.
private struct Asked {
    static let now: Int64 = 1_790_000_000

    let endpoint: EndpointURL
    let issuer: ProviderMetadata

    init() throws {
        endpoint = try EndpointURL("https://api.carrier.example/revoke", allowLoopbackHTTP: false)
        issuer = try ProviderMetadata(
            [
                "issuer": "https://carrier.example", "token_endpoint": "https://login.carrier.example/token",
                "jwks_uri": "https://carrier.example/jwks",
            ], allowLoopbackHTTP: false)
    }

    func proof(
        _ client: ClientAuthentication, _ keys: ClientKeys = ClientKeys(), now: Int64 = now
    ) throws -> ClientProof {
        try client.proof(at: endpoint, of: issuer, keys: keys, now: now)
    }

    func fields(
        _ client: ClientAuthentication, _ keys: ClientKeys = ClientKeys(), now: Int64 = now
    ) throws -> [String: String] {
        let proof = try proof(client, keys, now: now)
        #expect(proof.authorization == nil)
        return try Self.fields(proof)
    }

    static func fields(_ proof: ClientProof) throws -> [String: String] {
        let text = try #require(proof.bodyFields).revealedText
        let items = try #require(URLComponents(string: "?" + text)?.queryItems)
        return Dictionary(items.compactMap { item in item.value.map { (item.name, $0) } }) { first, _ in first }
    }
}

private func claims(_ token: String) throws -> JSONValue {
    let payload = try #require(token.split(separator: ".").dropFirst().first)
    let bytes = try #require(Base64URL.decode(String(payload)))
    return try JSONValue(parsing: bytes.span)
}

@Suite struct `An assertion of who we are` {
    private func client(
        _ key: ClientAssertion.Key, _ audience: ClientAssertion.Audience = .token
    ) throws -> ClientAuthentication {
        .assertion(try ClientAssertion(clientID: "client&1", key: key, audience: audience))
    }

    private func set(_ key: PublicKey, _ algorithm: SignatureAlgorithm, keyID: String) throws -> JWKSet {
        try JWKSet(["keys": [.object(key.jwk(keyID: keyID, algorithm: algorithm))]], maximumKeyCount: 1)
    }

    @Test(arguments: [(TestKeys.rsa, SignatureAlgorithm.rs256), (TestKeys.p256, .es256)])
    func `is signed by the provider's own key, and says who, for whom and until when`(
        key: PrivateKey, algorithm: SignatureAlgorithm
    ) throws {
        for keyID in [nil, "kid-1"] {
            let fields = try Asked().fields(try client(.own(key, keyID: keyID)))
            #expect(fields["client_id"] == "client&1")
            #expect(fields["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            let assertion = try #require(fields["client_assertion"])
            let keys = try set(key.publicKey, algorithm, keyID: keyID ?? key.publicKey.thumbprint)
            let verified = try JWS.verify(assertion, keys: keys, allowed: [algorithm], maximumByteCount: 4096)
            #expect(verified.header.hasType("jwt"))
            let claims = try JSONValue(parsing: verified.payload.span)
            #expect(claims["iss"] == "client&1" && claims["sub"] == "client&1")
            #expect(claims["aud"] == "https://login.carrier.example/token")
            #expect(claims["iat"]?.integer == Asked.now)
            let lifetime = try #require(claims["exp"]?.integer) - Asked.now
            #expect((1...300).contains(lifetime))
        }
    }

    @Test(arguments: [
        (ClientAssertion.Audience.token, "https://login.carrier.example/token"),
        (.endpoint, "https://api.carrier.example/revoke"), (.issuer, "https://carrier.example"),
    ])
    func `is for whom the provider takes to be meant`(audience: ClientAssertion.Audience, text: String) throws {
        let fields = try Asked().fields(try client(.own(TestKeys.p256, keyID: nil), audience))
        #expect(try claims(try #require(fields["client_assertion"]))["aud"] == .string(text))
    }

    @Test func `is another one for each request`() throws {
        let (asked, client) = (try Asked(), try client(.own(TestKeys.p256, keyID: nil)))
        let names = try (0..<20).map { _ in
            try claims(try #require(try asked.fields(client)["client_assertion"]))["jti"]?.string
        }
        #expect(Set(names).count == 20 && !names.contains(nil))
    }

    @Test func `is authenticated with the client secret where that is how it is agreed`() throws {
        let secret = Secret("a secret of more than thirty-two bytes")
        let proof = try Asked().proof(try client(.secret(secret)))
        let fields = try Asked.fields(proof)
        let assertion = try #require(fields["client_assertion"])
        let parts = assertion.split(separator: ".").map(String.init)
        let code = HMAC.sha256(Array("\(parts[0]).\(parts[1])".utf8), key: secret.revealedBytes)
        #expect(Base64URL.encode(code) == parts[2])
        let bytes = try #require(Base64URL.decode(parts[0]))
        let header = try JSONValue(parsing: bytes.span)
        #expect(header == ["typ": "JWT", "alg": "HS256"])
        #expect(!String(decoding: try #require(proof.bodyFields).revealedBytes, as: UTF8.self).contains("thirty"))
        #expect(proof.secrets == [assertion], "the provider must not be heard repeating it")
    }

    @Test func `is signed by whichever key of ours signs now, and by none when there is none`() throws {
        let (asked, client, keys) = (try Asked(), try client(.shared(.rs256)), ClientKeys())
        #expect(client.sharedKey == .rs256)
        #expect(throws: ProviderCallError.noClientKey) { try asked.proof(client, keys) }
        for key in [TestKeys.rsa, TestKeys.otherRSA] {
            keys.use([
                try JWTSigner(key: key, algorithm: .rs256, type: "JWT"),
                try JWTSigner(key: TestKeys.p256, algorithm: .es256, type: "JWT"),
            ])
            let assertion = try #require(try asked.fields(client, keys)["client_assertion"])
            let known = try set(key.publicKey, .rs256, keyID: key.publicKey.thumbprint)
            _ = try JWS.verify(assertion, keys: known, allowed: [.rs256], maximumByteCount: 4096)
        }
    }

    @Test func `is verified with a key that is published when it is the provider's own, and never with a secret`()
        throws
    {
        let own = try #require(try client(.own(TestKeys.rsa, keyID: "kid-1")).publishedKey)
        #expect(own["kid"] == "kid-1" && own["alg"] == "RS256" && own["kty"] == "RSA" && own["d"] == nil)
        #expect(try client(.secret(Secret("s"))).publishedKey == nil)
        #expect(ClientAuthentication.publicClient(clientID: "id").publishedKey == nil)
    }

    @Test func `is not made with a key that no provider takes`() {
        #expect(throws: CryptoError.algorithmMismatch) {
            try ClientAssertion(clientID: "id", key: .own(TestKeys.p384, keyID: nil), audience: .token)
        }
    }
}

@Suite struct `A client secret for Apple` {
    private let secret: AppleClientSecret

    init() throws {
        secret = try AppleClientSecret(clientID: "com.example.app", teamID: "TEAM", keyID: "KEY", key: TestKeys.p256)
    }

    private func text(now: Int64) throws -> String {
        let fields = try Asked().fields(.apple([secret]), now: now)
        #expect(fields["client_id"] == "com.example.app")
        return try #require(fields["client_secret"])
    }

    @Test func `is a statement of the team's, signed with the key that Apple has named`() throws {
        let text = try text(now: Asked.now)
        let keys = try JWKSet(
            ["keys": [.object(TestKeys.p256.publicKey.jwk(keyID: "KEY", algorithm: .es256))]], maximumKeyCount: 1)
        let verified = try JWS.verify(text, keys: keys, allowed: [.es256], maximumByteCount: 4096)
        let claims = try JSONValue(parsing: verified.payload.span)
        #expect(claims["iss"] == "TEAM" && claims["sub"] == "com.example.app")
        #expect(claims["aud"] == "https://appleid.apple.com" && claims["iat"]?.integer == Asked.now)
        let lifetime = try #require(claims["exp"]?.integer) - Asked.now
        #expect((600...15_777_000).contains(lifetime))
    }

    @Test func `is used again until it is about to end, and made anew when the clock goes back`() throws {
        let first = try text(now: Asked.now)
        #expect(try text(now: Asked.now + 3299) == first)
        let second = try text(now: Asked.now + 3300)
        #expect(second != first)
        #expect(try text(now: Asked.now) != second)
    }

    @Test func `takes a key of curve P-256 only`() {
        #expect(throws: CryptoError.algorithmMismatch) {
            try AppleClientSecret(clientID: "id", teamID: "TEAM", keyID: "KEY", key: TestKeys.rsa)
        }
    }
}
