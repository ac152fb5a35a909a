import Crypto
import Testing

@Suite struct `Keys out of passwords` {
    // RFC 7914 §12, but for the one of a gigabyte.
    @Test(arguments: [
        (
            "", "", 4, 1, 1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password", "NaCl", 10, 8, 16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride", 14, 8, 1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ])
    func `are derived as RFC 7914 says`(
        _ password: String, _ salt: String, _ cost: Int, _ blockSize: Int, _ parallelization: Int, _ expected: String
    ) throws {
        let scrypt = try Scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
        let key = try scrypt.key(from: Secret(password), salt: Array(salt.utf8), byteCount: 64)
        #expect(key.revealedBytes == bytes(hexadecimal: expected))
        let other = try scrypt.key(from: Secret(password + "x"), salt: Array(salt.utf8), byteCount: 64)
        #expect(other != key)
    }

    @Test(arguments: [(0, 8, 1), (21, 8, 1), (15, 0, 1), (15, 33, 1), (15, 8, 0), (15, 8, 33)])
    func `take no parameters that would take all memory, or none`(_ cost: Int, _ blockSize: Int, _ parallelization: Int)
    {
        #expect(throws: CryptoError.scryptParameters) {
            _ = try Scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
        }
    }

    @Test func `take the memory that their parameters say`() throws {
        #expect(try Scrypt(cost: 15).memoryBytes == (32 << 20) + 1024)
    }

    @Test func `a secret that is taken leaves nothing behind`() {
        var bytes: [UInt8] = [1, 2, 3]
        #expect(Secret(taking: &bytes).revealedBytes == [1, 2, 3])
        #expect(bytes.isEmpty)
    }
}
