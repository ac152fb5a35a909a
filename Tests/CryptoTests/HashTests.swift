import Crypto
import Testing

@Suite struct `Hashes and random bytes` {
    // FIPS 180-4's example message, and the empty one.
    @Test(arguments: [
        (Digest.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (
            .sha384, "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func `hashes as FIPS 180-4 says`(_ digest: Digest, _ message: String, _ expected: String) {
        #expect(digest.hash(Array(message.utf8)) == bytes(hexadecimal: expected))
    }

    // RFC 4231 test cases 2 and 6.
    @Test(arguments: [
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `computes HMAC as RFC 4231 says`(_ key: [UInt8], _ message: String, _ expected: String) {
        #expect(HMAC.sha256(Array(message.utf8), key: key) == bytes(hexadecimal: expected))
        #expect(HMAC.sha256(Array(message.utf8).span, key: Secret(key)) == bytes(hexadecimal: expected))
    }

    @Test func `computes HMAC of nothing under an empty key`() {
        // As computed by another implementation.
        let expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(HMAC.sha256([], key: []) == bytes(hexadecimal: expected))
        _ = HMAC.sha256([1], key: [2, 3])
        #expect(HMAC.sha256([], key: []) == bytes(hexadecimal: expected), "must not use the key of the call before")
    }

    @Test func `computes HMAC under many keys in turn`() {
        // More keys than contexts are kept, each again and again, and never on from the message before.
        let keys = (0..<40).map { [UInt8](repeating: UInt8($0), count: $0) }
        let first = keys.map { HMAC.sha256([1, 2, 3], key: $0) }
        #expect(Set(first).count == keys.count)
        for _ in 0..<3 {
            #expect(keys.map { HMAC.sha256([1, 2, 3], key: $0) } == first)
            for key in keys.reversed() {
                let code = HMAC.sha256([4, 5], key: key)
                #expect(HMAC.sha256([4, 5], key: key) == code)
            }
        }
    }

    @Test func `compares in constant time what is equal and what is not`() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEqual([0, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
    }

    @Test func `makes as many random bytes as asked, never the same`() {
        #expect(Random.bytes(0).isEmpty)
        #expect(Random.bytes(33).count == 33)
        #expect(Set((0..<1000).map { _ in Random.bytes(16) }).count == 1000)
        #expect(Set((0..<1000).map { _ in Random.bytes(64) }).count == 1000)
        #expect(Set((0..<1000).map { _ in Random.bytes(65) }).count == 1000)
    }
}
