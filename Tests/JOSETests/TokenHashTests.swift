import Crypto
import JOSE
import Testing

@Suite struct `Token hashes` {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `are half as long as the algorithm's digest`(_ algorithm: SignatureAlgorithm) throws {
        let expected =
            switch algorithm {
            case .rs256, .ps256, .es256: 16
            case .rs384, .ps384, .es384: 24
            case .rs512, .ps512, .es512, .edDSA: 32
            }
        let hash = TokenHash.leftHalf(of: "token", algorithm: algorithm)
        #expect(Base64URL.decode(hash)?.count == expected)
        #expect(TokenHash.matches(hash, "token", algorithm: algorithm))
        #expect(!TokenHash.matches(hash, "tokens", algorithm: algorithm))
        #expect(!TokenHash.matches(hash + "=", "token", algorithm: algorithm))
        #expect(!TokenHash.matches("", "token", algorithm: algorithm))
    }
}
