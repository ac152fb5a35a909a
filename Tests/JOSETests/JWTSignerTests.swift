import Crypto
import JOSE
import JSON
import Syntax
import Testing

@Suite struct `Signers` {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `signers make tokens that verify with the key they publish`(_ algorithm: SignatureAlgorithm) throws {
        let kind: PrivateKey.Kind =
            switch algorithm {
            case .es256: .ellipticCurve(.p256)
            case .es384: .ellipticCurve(.p384)
            case .es512: .ellipticCurve(.p521)
            case .edDSA: .ed25519
            default: .rsa(bits: 2048)
            }
        let signer = try JWTSigner(key: .generate(kind), algorithm: algorithm, type: "at+jwt")
        let published = try JWKSet(
            parsing: JSONValue.object(JSONObject([("keys", [.object(signer.jwkJSON)])])).serialized.span,
            maximumKeyCount: 1)
        for payload in ["{}", #"{"sub":"1"}"#, String(repeating: "x", count: 5000)] {
            let verified = try outcome(signer.sign(Array(payload.utf8)), published, allowed: [algorithm]).get()
            #expect(String(decoding: verified.payload, as: UTF8.self) == payload)
            #expect(verified.header.type == "at+jwt")
            #expect(verified.header.algorithm == algorithm)
            #expect(verified.header.keyID == published.keys[0].publicKey.thumbprint)
        }
    }

    @Test func `put into the header what they were told`() throws {
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        func header(_ signer: JWTSigner) throws -> String {
            let part = try signer.sign([0x7B, 0x7D]).prefix { $0 != "." }
            return String(decoding: try #require(Base64URL.decode(String(part))), as: UTF8.self)
        }
        #expect(
            try header(JWTSigner(key: key, algorithm: .es256, type: "JWT", keyID: "a\"b"))
                == #"{"typ":"JWT","alg":"ES256","kid":"a\"b"}"#)
        #expect(try header(JWTSigner(key: key, algorithm: .es256, type: nil, keyID: nil)) == #"{"alg":"ES256"}"#)
    }

    @Test func `publish no private part`() throws {
        let signer = try JWTSigner(key: .generate(.ellipticCurve(.p256)), algorithm: .es256, type: nil)
        #expect(Set(signer.jwkJSON.members.map(\.name)) == ["kty", "crv", "x", "y", "kid", "use", "alg"])
        #expect(signer.jwkJSON["kid"]?.string == signer.keyID)
    }

    @Test func `signers refuse an algorithm that does not fit the key`() throws {
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        for algorithm in SignatureAlgorithm.allCases where algorithm != .es256 {
            #expect(throws: CryptoError.algorithmMismatch) { try JWTSigner(key: key, algorithm: algorithm, type: nil) }
        }
    }
}
