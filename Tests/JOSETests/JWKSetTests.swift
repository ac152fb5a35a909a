import Crypto
import JOSE
import JSON
import Syntax
import Testing

@Suite struct `Key sets` {
    private let rsa: JSONObject
    private let otherRSA: JSONObject
    private let ec: JSONObject

    init() throws {
        rsa = try #require(JSONValue(parsing: Array(SpecificationExamples.rs256Key.utf8)).object)
        otherRSA = try #require(JSONValue(parsing: Array(SpecificationExamples.thumbprintKey.utf8)).object)
            .without("kid").without("alg")
        ec = try #require(JSONValue(parsing: Array(SpecificationExamples.es256Key.utf8)).object)
    }

    private func select(_ keys: [JSONObject], _ keyID: String?, _ algorithm: SignatureAlgorithm = .rs256)
        -> Result<PublicKey.Parameters, JOSEError>
    {
        Result { () throws(JOSEError) in
            guard let set = try? keySet(keys) else { throw .malformed(.parts) }
            return try set.key(withID: keyID, for: algorithm).publicKey.parameters
        }
    }

    @Test func `key sets give the key that a kid names, and nothing else`() throws {
        let named = rsa.with([("kid", "a")])
        let expected = try JWK(.object(rsa)).publicKey.parameters
        let other = try JWK(.object(otherRSA)).publicKey.parameters
        typealias Row = (keys: [JSONObject], keyID: String?, expected: Result<PublicKey.Parameters, JOSEError>)
        let table: [Row] = [
            // with a kid
            ([named], "a", .success(expected)),
            ([named, otherRSA.with([("kid", "b")])], "b", .success(other)),
            ([named], "b", .failure(.unknownKey(.keyIDNotInSet))),
            ([named], "A", .failure(.unknownKey(.keyIDNotInSet))),
            ([named], "", .failure(.unknownKey(.keyIDNotInSet))),
            ([], "a", .failure(.unknownKey(.keyIDNotInSet))),
            ([rsa], "a", .failure(.unknownKey(.keyIDNotInSet))),
            ([ec.with([("kid", "a")])], "a", .failure(.unknownKey(.keyDoesNotFit))),
            ([named.with([("use", "enc")])], "a", .failure(.unknownKey(.keyDoesNotFit))),
            ([named.with([("alg", "RS512")])], "a", .failure(.unknownKey(.keyDoesNotFit))),
            // a kid that stands twice
            ([named, ec.with([("kid", "a")])], "a", .success(expected)),
            ([named, otherRSA.with([("kid", "a"), ("use", "enc")])], "a", .success(expected)),
            ([named, otherRSA.with([("kid", "a")])], "a", .failure(.unknownKey(.ambiguous))),
            ([named, named], "a", .failure(.unknownKey(.ambiguous))),
            // without a kid
            ([named], nil, .success(expected)),
            ([rsa, ec], nil, .success(expected)),
            ([rsa, otherRSA.with([("use", "enc")])], nil, .success(expected)),
            ([rsa, otherRSA.with([("alg", "PS256")])], nil, .success(expected)),
            ([rsa, otherRSA], nil, .failure(.unknownKey(.ambiguous))),
            ([named, otherRSA.with([("kid", "b")])], nil, .failure(.unknownKey(.ambiguous))),
            ([ec], nil, .failure(.unknownKey(.noKeyFits))),
            ([], nil, .failure(.unknownKey(.noKeyFits))),
        ]
        for (index, row) in table.enumerated() {
            #expect(select(row.keys, row.keyID) == row.expected, "row \(index)")
        }
    }

    @Test func `a kid that stands at several keys has each of them tried`() throws {
        let signer = try PrivateKey.generate(.ellipticCurve(.p256))
        let others = try (0..<2).map { _ in try PrivateKey.generate(.ellipticCurve(.p256)) }
        let token = try JWTSigner(key: signer, algorithm: .es256, type: "JWT", keyID: "a").sign(Array("{}".utf8))
        func verified(by keys: [PrivateKey], kid: String = "a") throws(JOSEError) -> VerifiedJWS {
            let entries = keys.map { $0.publicKey.jwk(keyID: kid, algorithm: .es256) }
            guard let set = try? keySet(entries) else { throw .malformed(.parts) }
            return try JWS.verify(token, keys: set, allowed: [.es256], maximumByteCount: 4096)
        }
        for keys in [[signer] + others, others + [signer], [others[0], signer, others[1]], [signer, signer]] {
            #expect(try verified(by: keys).payload == Array("{}".utf8))
        }
        #expect(throws: JOSEError.signature) { try verified(by: others) }
        #expect(throws: JOSEError.unknownKey(.keyIDNotInSet)) { try verified(by: [signer], kid: "b") }
    }

    @Test func `key sets tell when a fresh set may help, and when it can't`() {
        let table: [(error: JOSEError, reason: String, mayHelp: Bool)] = [
            (.unknownKey(.keyIDNotInSet), "unknown_key", true),
            (.unknownKey(.noKeyFits), "unknown_key", true),
            (.unknownKey(.keyDoesNotFit), "unknown_key", true),
            (.unknownKey(.ambiguous), "unknown_key", true),
            (.signature, "signature", true),
            (.algorithm, "algorithm", false),
            (.malformed(.parts), "malformed", false),
        ]
        for (error, reason, mayHelp) in table {
            #expect(error.reason == reason)
            #expect(error.isReasonToRefetchKeys == mayHelp)
        }
    }

    @Test func `pass over keys that can't be used and keep the others`() throws {
        let weak = rsa.with([("n", .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 128))))])
        let entries: [JSONValue] = [
            .object(rsa), .object(weak), ["kty": "oct", "k": "AAAA"],
            ["kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"],
            .null, 1, "key", [], [:], .object(ec),
        ]
        let set = try JWKSet(["keys": .array(entries)], maximumKeyCount: entries.count)
        #expect(set.keys.count == 2)
        #expect(set.unusableKeyCount == entries.count - 2)
    }

    @Test func `tell of keys whose private half is published, and verify nothing with them`() throws {
        let factors: [JSONObject.Member] = [("p", "AQAB"), ("q", "AQAB")]
        let set = try JWKSet(
            ["keys": [.object(rsa.with(factors + [("kid", "open")])), .object(ec.with([("kid", "closed")]))]],
            maximumKeyCount: 2)
        #expect(set.keys.map(\.keyID) == ["closed"] && set.publishedPrivateKeys == ["open"])
        for keyID in ["open", nil] {
            #expect(throws: JOSEError.unknownKey(.privateKeyPublished)) { try set.key(withID: keyID, for: .rs256) }
        }
        #expect(throws: JOSEError.unknownKey(.keyIDNotInSet)) { try set.key(withID: "other", for: .rs256) }
        #expect(try set.key(withID: "closed", for: .es256).keyID == "closed")
        #expect(JOSEError.unknownKey(.privateKeyPublished).isReasonToRefetchKeys)
    }

    @Test func `key sets are refused when they have more keys than allowed, usable or not`() {
        let entries = JSONValue.array([JSONValue](repeating: .null, count: 5))
        #expect(throws: JWKSetError.tooManyKeys) { try JWKSet(["keys": entries], maximumKeyCount: 4) }
        #expect(throws: Never.self) { try JWKSet(["keys": entries], maximumKeyCount: 5) }
    }

    @Test(arguments: ["[]", "{}", "{\"keys\":{}}", "{\"keys\":null}", "{\"Keys\":[]}", "\"keys\"", "null"])
    func `key sets are refused when they are no set`(_ text: String) {
        #expect(throws: JWKSetError.notAKeySet) { try JWKSet(parsing: Array(text.utf8).span, maximumKeyCount: 1) }
    }

    @Test func `key sets are refused when they are no JSON or say something twice`() {
        for text in ["", "{\"keys\":[]", "{\"keys\":[],\"keys\":[]}", "{\"keys\":[{\"kty\":\"RSA\",\"kty\":\"EC\"}]}"] {
            let error = #expect(throws: JWKSetError.self) {
                try JWKSet(parsing: Array(text.utf8).span, maximumKeyCount: 1)
            }
            if case .json = error {} else { Issue.record("not for its JSON: \(text)") }
        }
    }
}
