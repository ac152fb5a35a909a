import Crypto
import JOSE
import JSON
import Syntax
import Testing

@Suite struct `JSON Web Keys` {
    private let ec: JSONObject
    private let rsa: JSONObject

    init() throws {
        ec = try #require(JSONValue(parsing: Array(SpecificationExamples.es256Key.utf8)).object)
        rsa = try #require(JSONValue(parsing: Array(SpecificationExamples.rs256Key.utf8)).object)
    }

    @Test func `JSON Web Keys may verify what their members allow`() throws {
        let table: [(changes: [JSONObject.Member], expected: [SignatureAlgorithm])] = [
            ([], [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]),
            ([("use", "sig")], [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]),
            ([("use", "enc")], []),
            ([("use", "SIG")], []),
            ([("use", "")], []),
            ([("alg", "PS384")], [.ps384]),
            ([("alg", "RSA-OAEP")], []),
            ([("alg", "rs256")], []),
            ([("alg", "ES256")], []),
            ([("alg", "none")], []),
            ([("key_ops", ["verify"]), ("alg", "RS256")], [.rs256]),
            ([("key_ops", ["sign", "verify"]), ("alg", "RS256")], [.rs256]),
            ([("key_ops", ["encrypt"])], []),
            ([("key_ops", ["sign"])], []),
            ([("key_ops", [])], []),
            ([("use", "enc"), ("key_ops", ["verify"])], []),
            ([("use", "sig"), ("key_ops", ["encrypt"])], []),
        ]
        for (changes, expected) in table {
            let key = try JWK(.object(rsa.with(changes)))
            #expect(key.algorithms == expected, "\(changes)")
        }
    }

    @Test func `ignore certificates and members nobody knows`() throws {
        let key = try JWK(.object(ec.with([("x5c", [1, 2]), ("x5u", "http://x"), ("hobby", ["chess": true])])))
        #expect(key.algorithms == [.es256])
        #expect(key.keyID == nil)
    }

    @Test func `JSON Web Keys are refused when their type is none of ours`() {
        let types: [[JSONObject.Member]] = [
            [("kty", "oct"), ("k", "AAAA")], [("kty", "ec")], [("kty", .null)], [("kty", 1)], [("crv", "P-257")],
            [("crv", "secp256k1")], [("crv", .null)], [("kty", "OKP"), ("crv", "X25519")],
            [("kty", "OKP"), ("crv", "Ed448")],
            [("kty", "AKP")],
        ]
        for changes in types {
            #expect(throws: JWKError.unsupportedType) { try JWK(.object(ec.with(changes))) }
        }
        #expect(throws: JWKError.unsupportedType) { try JWK(.object(ec.without("kty"))) }
        #expect(throws: JWKError.unsupportedType) { try JWK(.object(ec.without("crv"))) }
        #expect(throws: JWKError.notAnObject) { try JWK(["kty"]) }
    }

    @Test func `JSON Web Keys are refused when a member is missing or not what it should be`() {
        for (object, name) in [(ec, "x"), (ec, "y"), (rsa, "n"), (rsa, "e")] {
            #expect(throws: JWKError.member(name)) { try JWK(.object(object.without(name))) }
            for value: JSONValue in ["", "A", "AA==", "A+/A", "AB", " AAAA", 65537, .null, ["AQAB"]] {
                #expect(throws: JWKError.member(name)) { try JWK(.object(object.with([(name, value)]))) }
            }
        }
        for name in ["kid", "use", "alg", "key_ops"] {
            for value: JSONValue in [1, true, [1], ["a": 1]] {
                #expect(throws: JWKError.member(name)) { try JWK(.object(ec.with([(name, value)]))) }
            }
        }
    }

    @Test func `take null for a member that is not there`() throws {
        for name in ["kid", "use", "alg", "key_ops", "issuer"] {
            let key = try JWK(.object(ec.with([(name, .null)])))
            #expect(key.algorithms == [.es256] && key.keyID == nil && key.issuer == nil)
        }
    }

    @Test func `a member twice costs a set that one key, and text that nobody reads costs it none`() throws {
        let written = String(decoding: JSONValue.object(ec.with([("kid", "a")])).serialized, as: UTF8.self).dropLast()
        let keys = [#","alg":"ES256","alg":"ES256"}"#, #","x5c":["\ud83d"]}"#].map { written + $0 }
        let text = #"{"keys":["# + keys.joined(separator: ",") + "]}"
        let set = try JWKSet(
            JSONValue(repairing: Array(text.utf8).span, strict: ["keys-of-others"]), maximumKeyCount: 2)
        #expect(set.keys.count == 1 && set.unusableKeyCount == 1)
    }

    @Test func `JSON Web Keys are refused when the key itself is`() throws {
        let weak = Base64URL.encode([UInt8](repeating: 0xFF, count: 128))
        #expect(throws: JWKError.key(.rsaModulusSize(bits: 1024))) {
            try JWK(.object(rsa.with([("n", .string(weak))])))
        }
        #expect(throws: JWKError.key(.rsaExponent)) { try JWK(.object(rsa.with([("e", "AQ")]))) }
        let x = try #require(ec["x"])
        #expect(throws: JWKError.key(.pointNotOnCurve)) { try JWK(.object(ec.with([("y", x)]))) }
        #expect(throws: JWKError.key(.coordinateLength)) { try JWK(.object(ec.with([("crv", "P-384")]))) }
    }

    @Test func `JSON Web Keys are refused when the private half is published with them`() {
        #expect(throws: JWKError.privateKeyPublished) { try JWK(.object(rsa.with([("d", "AQAB")]))) }
        #expect(throws: JWKError.privateKeyPublished) { try JWK(.object(ec.with([("d", "AQAB")]))) }
    }

    @Test(arguments: [["p", "q"], ["p"], ["q"], ["dp"], ["dq"], ["qi"], ["oth"], ["k"], ["priv"], ["d", "p", "q"]])
    func `JSON Web Keys are refused with any part of the private half, whatever it looks like`(names: [String]) {
        for value in ["AQAB", "", .null, 7] as [JSONValue] {
            let members = names.map { (name: $0, value: value) }
            #expect(throws: JWKError.privateKeyPublished) { try JWK(.object(rsa.with(members))) }
            #expect(throws: JWKError.privateKeyPublished) { try JWK(.object(ec.with(members))) }
        }
    }

    @Test(arguments: [
        PrivateKey.Kind.rsa(bits: 2048), .ellipticCurve(.p256), .ellipticCurve(.p384), .ellipticCurve(.p521), .ed25519,
    ])
    func `JSON Web Keys are read as they are written`(_ kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind).publicKey
        let algorithm = try #require(SignatureAlgorithm.allCases.first { $0.fits(key.keyType) })
        let json = key.jwk(keyID: "k", algorithm: algorithm)
        let read = try JWK(JSONValue(parsing: JSONValue.object(json).serialized))
        #expect(read.publicKey.parameters == key.parameters)
        #expect(read.keyID == "k")
        #expect(read.algorithms == [algorithm])
        #expect(json["d"] == nil)
    }
}
