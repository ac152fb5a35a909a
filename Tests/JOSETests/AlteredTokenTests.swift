import Crypto
import JOSE
import Testing

@Suite struct `Altered tokens` {
    @Test(arguments: [
        (PrivateKey.Kind.rsa(bits: 2048), SignatureAlgorithm.rs256), (.rsa(bits: 2048), .ps256),
        (.ellipticCurve(.p256), .es256), (.ellipticCurve(.p521), .es512), (.ed25519, .edDSA),
    ])
    func `altered tokens never verify, whichever byte is changed`(
        _ kind: PrivateKey.Kind, _ algorithm: SignatureAlgorithm
    ) throws {
        let signer = try JWTSigner(key: .generate(kind), algorithm: algorithm, type: "JWT")
        let keys = try keySet([signer.jwkJSON])
        let token = Array(try signer.sign(Array(#"{"iss":"https://carrier.example","sub":"1"}"#.utf8)).utf8)
        func verifies(_ token: [UInt8]) -> Bool {
            guard let parsed = try? CompactJWS(parsing: token, maximumByteCount: maximumByteCount) else { return false }
            return (try? JWS.verify(parsed, keys: keys, allowed: [algorithm])) != nil
        }
        #expect(verifies(token))
        for index in token.indices {
            var altered = token
            for bit in 0..<8 {
                altered[index] = token[index] ^ 1 << UInt8(bit)
                #expect(!verifies(altered), "byte \(index), bit \(bit)")
            }
            altered.remove(at: index)
            #expect(!verifies(altered), "byte \(index) removed")
            altered = token
            altered.insert(UInt8(ascii: "A"), at: index)
            #expect(!verifies(altered), "a byte put in before \(index)")
        }
        for count in token.indices {
            #expect(!verifies(Array(token[..<count])), "cut to \(count) bytes")
        }
    }
}
