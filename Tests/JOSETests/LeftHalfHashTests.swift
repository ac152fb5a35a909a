import Crypto
import JOSE
import Syntax
import Testing

@Suite struct `Token hashes` {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `token hashes are half as long as the algorithm's digest`(_ algorithm: SignatureAlgorithm) throws {
        let expected =
            switch algorithm {
            case .rs256, .ps256, .es256: 16
            case .rs384, .ps384, .es384: 24
            case .rs512, .ps512, .es512, .edDSA: 32
            }
        let hash = LeftHalfHash.leftHalf(of: "token", algorithm: algorithm)
        #expect(Base64URL.decode(hash)?.count == expected)
        #expect(LeftHalfHash.matches(hash, "token", algorithm: algorithm, digestOfEdDSA: .sha512))
        #expect(!LeftHalfHash.matches(hash, "tokens", algorithm: algorithm, digestOfEdDSA: .sha512))
        #expect(!LeftHalfHash.matches(hash + "=", "token", algorithm: algorithm, digestOfEdDSA: .sha512))
        #expect(!LeftHalfHash.matches("", "token", algorithm: algorithm, digestOfEdDSA: .sha512))
    }

    @Test func `under EdDSA are halves of SHA-512, as nearly everybody makes them`() {
        let hash = "FtIHDXsIgMAlRZJ-OpJhYfuxUcwLJ0du5uCDXaIs3kE"
        #expect(LeftHalfHash.leftHalf(of: "gatehouse-access-token", algorithm: .edDSA) == hash)
    }

    @Test func `under EdDSA are halves of SHA-256 only where that is said`() {
        let token = "gatehouse-access-token"
        let short = LeftHalfHash.leftHalf(of: token, algorithm: .edDSA, digestOfEdDSA: .sha256)
        #expect(short == LeftHalfHash.leftHalf(of: token, algorithm: .es256, digestOfEdDSA: .sha512))
        #expect(short.count == 22)
        #expect(LeftHalfHash.matches(short, token, algorithm: .edDSA, digestOfEdDSA: .sha256))
        #expect(!LeftHalfHash.matches(short, token, algorithm: .edDSA, digestOfEdDSA: .sha512))
        let long = LeftHalfHash.leftHalf(of: token, algorithm: .edDSA)
        #expect(!LeftHalfHash.matches(long, token, algorithm: .edDSA, digestOfEdDSA: .sha256))
        #expect(!LeftHalfHash.matches(long, token, algorithm: .es256, digestOfEdDSA: .sha512))
    }
}
