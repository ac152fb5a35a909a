import Crypto
import JOSE
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@Suite struct `The signature of an ID token` {
    private let provider = SigningProvider()

    @Test(arguments: ["none", "None", "NONE", "nOnE", "", "HS256", "HS512", "RSA-OAEP", "rs256", "RS1"])
    func `the signature of an ID token is refused with an algorithm that is none of ours`(name: String) throws {
        let token = try provider.idToken { $0.header[setting: "alg"] = .string(name) }
        #expect(try outcome(of: token).failure == .algorithm)
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE"])
    func `the signature of an ID token is refused as an algorithm when there is none at all`(name: String) throws {
        let draft = provider.idTokenDraft
        var header = draft.header
        header[setting: "alg"] = .string(name)
        let parts = [header, draft.claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
        #expect(try outcome(of: parts.joined(separator: ".") + ".").failure == .algorithm)
    }

    @Test func `the signature of an ID token is refused as a keyed hash with the public key or the client secret`()
        throws
    {
        let draft = provider.idTokenDraft
        var header = draft.header
        header[setting: "alg"] = "HS256"
        let input = [header, draft.claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
            .joined(separator: ".")
        let publicKey = JSONValue.object(provider.key.publicKey.jwk(keyID: nil, algorithm: .rs256)).serialized
        for secret in [publicKey, Array("client secret".utf8)] {
            let mac = HMAC.sha256(Array(input.utf8), key: secret)
            #expect(try outcome(of: input + "." + Base64URL.encode(mac)).failure == .algorithm)
        }
    }

    @Test func `the signature of an ID token is refused with an algorithm the provider does not use`() throws {
        let pss = try provider.idTokenDraft.changed { $0.header[setting: "alg"] = "PS256" }
            .signed(by: TestKeys.rsa, with: .ps256)
        #expect(try outcome(of: pss).failure == .algorithm)
        let other = SigningProvider(key: TestKeys.p256, algorithm: .es256)
        #expect(try outcome(of: other.idToken(), from: other).failure == .algorithm)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .edDSA])
    func `the signature of an ID token may be of any algorithm the provider is allowed`(algorithm: SignatureAlgorithm)
        throws
    {
        let key =
            switch algorithm {
            case .es256: TestKeys.p256
            case .es384: TestKeys.p384
            default: TestKeys.ed25519
            }
        let provider = SigningProvider(key: key, algorithm: algorithm)
        #expect(try outcome(of: provider.idToken(), from: provider, allowed: [.rs256, algorithm]).isSuccess)
    }

    @Test func `the signature of an ID token is refused by another key of that name`() throws {
        let token = try provider.idTokenDraft.signed(by: TestKeys.otherRSA, with: .rs256)
        #expect(try outcome(of: token).failure == .signature)
    }

    @Test func `the signature of an ID token is refused when a claim was changed afterwards`() throws {
        let parts = try provider.idToken().split(separator: ".")
        var draft = provider.idTokenDraft
        draft.claims[setting: "sub"] = "somebody-else"
        let claims = Base64URL.encode(JSONValue.object(draft.claims).serialized)
        #expect(try outcome(of: "\(parts[0]).\(claims).\(parts[2])").failure == .signature)
    }

    @Test(arguments: ["", "!!!!", "AA", "A=="])
    func `the signature of an ID token is refused when it is cut or no base64url`(signature: String) throws {
        let parts = try provider.idToken().split(separator: ".")
        #expect(try outcome(of: "\(parts[0]).\(parts[1]).\(signature)").failure == .signature)
    }

    @Test func `the signature of an ID token is refused under a key name that is not published`() throws {
        let token = try provider.idToken { $0.header[setting: "kid"] = "another" }
        #expect(try outcome(of: token).failure == .unknownKey)
    }

    @Test func `the signature of an ID token may name no key when one key fits`() throws {
        let token = try provider.idToken { $0.header[setting: "kid"] = nil }
        #expect(try outcome(of: token).isSuccess)
        let withAnotherKind = try JWKSet(
            SigningProvider.keyDocument([("a", TestKeys.rsa, .rs256), ("b", TestKeys.p256, .es256)]),
            maximumKeyCount: 10)
        #expect(try outcome(of: token, keys: withAnotherKind).isSuccess)
    }

    @Test func `the signature of an ID token must name its key when two fit`() throws {
        let token = try provider.idToken { $0.header[setting: "kid"] = nil }
        let two = try JWKSet(
            SigningProvider.keyDocument([("a", TestKeys.rsa, .rs256), ("b", TestKeys.otherRSA, .rs256)]),
            maximumKeyCount: 10)
        #expect(try outcome(of: token, keys: two).failure == .unknownKey)
    }

    @Test func `the signature of an ID token is refused with an extension we do not know`() throws {
        let token = try provider.idToken {
            $0.header[setting: "crit"] = ["exp"]
            $0.header[setting: "exp"] = 1
        }
        #expect(try outcome(of: token).failure == .malformed)
    }

    @Test(arguments: [
        #"{"iss":"https://carrier.example","iss":"https://carrier.example"}"#, "[]", "\"text\"", "{", "7", "null",
    ])
    func `the signature of an ID token does not make payloads good that are no object with each member once`(
        payload: String
    ) throws {
        let header = JSONValue.object(provider.idTokenDraft.header).serialized
        let token = try TokenDraft.signed(
            header: header, payload: Array(payload.utf8), by: provider.key, with: .rs256)
        #expect(try outcome(of: token).failure == .malformed)
    }

    @Test func `the signature of an ID token does not make a claim good that is there twice`() throws {
        let header = JSONValue.object(provider.idTokenDraft.header).serialized
        let claims = String(decoding: JSONValue.object(provider.idTokenDraft.claims).serialized, as: UTF8.self)
        let payload = claims.dropLast() + ",\"sub\":\"310260-subject\"}"
        let token = try TokenDraft.signed(
            header: header, payload: Array(payload.utf8), by: provider.key, with: .rs256)
        #expect(try outcome(of: token).failure == .malformed)
    }

    @Test(arguments: ["", "abc", "a.b", "a.b.c.d", "..", "e30.e30."])
    func `the signature of an ID token is looked for in tokens of three parts only`(token: String) throws {
        #expect(try outcome(of: token).failure == .malformed)
    }
}
