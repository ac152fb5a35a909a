import Crypto
import JOSE
import JSON
import Syntax
import Testing

@Suite struct `The examples of the specifications` {
    private typealias Examples = SpecificationExamples

    @Test(arguments: [
        (SpecificationExamples.rs256, SpecificationExamples.rs256Key, SignatureAlgorithm.rs256),
        (SpecificationExamples.es256, SpecificationExamples.es256Key, .es256),
        (SpecificationExamples.es512, SpecificationExamples.es512Key, .es512),
        (SpecificationExamples.edDSA, SpecificationExamples.edDSAKey, .edDSA),
    ])
    func `verify with their keys and no others`(_ token: String, _ key: String, _ algorithm: SignatureAlgorithm) throws
    {
        let verified = try outcome(token, keySet(key), allowed: [algorithm]).get()
        #expect(verified.header == (try CompactJWS(parsing: token, maximumByteCount: maximumByteCount).header))
        #expect(verified.header.algorithm == algorithm)
        #expect(verified.payload == Base64URL.decode(String(token.split(separator: ".")[1])))
        let others = [Examples.rs256Key, Examples.es256Key, Examples.es512Key, Examples.edDSAKey].filter { $0 != key }
        let withoutIt = try JWKSet(
            parsing: Array("{\"keys\":[\(others.joined(separator: ","))]}".utf8).span, maximumKeyCount: 3)
        #expect(outcome(token, withoutIt).error == .unknownKey(.noKeyFits))
        let rest = SignatureAlgorithm.allCases.filter { $0 != algorithm }
        #expect(outcome(token, try keySet(key), allowed: rest).error == .algorithm)
    }

    @Test
    func `the examples of the specifications of keyed hashes and of no signature are refused for their algorithm`()
        throws
    {
        let keys = try keySet(Examples.hs256Key, Examples.rs256Key)
        #expect(keys.keys.count == 1, "a secret is no verification key")
        #expect(outcome(Examples.hs256, keys).error == .algorithm)
        #expect(outcome(Examples.unsecured, keys).error == .algorithm)
    }

    @Test func `the examples of the specifications of an encrypted token are malformed as signed ones`() throws {
        // The form of RFC 7519 §A.1: five parts.
        let token = "eyJhbGciOiJSU0ExXzUiLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.QR1O.AxY8.MKOl.fiK5"
        #expect(outcome(token, try keySet(Examples.rs256Key)).error == .malformed(.parts))
    }

    @Test func `the examples of the specifications of key sets leave what may verify`() throws {
        let text = Array(Examples.keySet.utf8)
        let keys = try JWKSet(parsing: text.span, maximumKeyCount: 2)
        #expect(keys.keys.map(\.keyID) == ["1", "2011-04-29"])
        #expect(keys.unusableKeyCount == 0)
        #expect(keys.keys[0].algorithms == [], "use is enc")
        #expect(keys.keys[1].algorithms == [.rs256])
        let secrets = try JWKSet(parsing: Array(Examples.symmetricKeySet.utf8).span, maximumKeyCount: 2)
        #expect(secrets.keys.isEmpty)
        #expect(secrets.unusableKeyCount == 2)
    }

    @Test func `the examples of the specifications of thumbprints come out`() throws {
        #expect(try keySet(Examples.thumbprintKey).keys[0].publicKey.thumbprint == Examples.thumbprint)
        #expect(try keySet(Examples.edDSAKey).keys[0].publicKey.thumbprint == Examples.edDSAThumbprint)
    }

    @Test func `the examples of the specifications of Ed25519 are signed as printed`() throws {
        let pem = "-----BEGIN PRIVATE KEY-----\n\(Examples.edDSAPrivateKey)\n-----END PRIVATE KEY-----\n"
        let signer = try JWTSigner(key: PrivateKey(pem: Secret(pem)), algorithm: .edDSA, type: nil, keyID: nil)
        #expect(try signer.sign(Array("Example of Ed25519 signing".utf8)) == Examples.edDSA)
    }

    // OpenID Connect Core §A.4 and §A.6.
    @Test func `the examples of the specifications of at_hash and c_hash come out`() {
        let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
        #expect(LeftHalfHash.leftHalf(of: accessToken, algorithm: .rs256) == "77QmUPtjPfzWtF2AnpK9RQ")
        #expect(LeftHalfHash.leftHalf(of: code, algorithm: .rs256) == "LDktKdoQak3Pk0cnXxCltA")
    }
}
