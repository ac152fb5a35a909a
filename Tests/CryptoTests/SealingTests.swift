import COpenSSL
import Crypto
import Testing

@Suite struct `Sealed values` {
    private let key = SymmetricKey.generate()
    private let message = Array("refresh token of somebody".utf8)
    private let place = Array("grants/7".utf8)

    @Test(arguments: [0, 1, 15, 16, 17, 4096]) func `sealed values open to what was sealed`(_ count: Int) throws {
        let message = Random.bytes(count)
        let sealed = try AEAD.seal(message, key: key, associatedData: place)
        #expect(sealed.count == count + AEAD.overhead)
        #expect(try AEAD.open(sealed, key: key, associatedData: place) == message)
        let unbound = try AEAD.seal(message, key: key, associatedData: [])
        #expect(try AEAD.open(unbound, key: key, associatedData: []) == message)
    }

    @Test func `sealed values do not open when any bit of any byte is changed`() throws {
        let sealed = try AEAD.seal(message, key: key, associatedData: place)
        for index in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[index] ^= 1 << UInt8(bit)
                #expect(throws: CryptoError.authenticationFailed) {
                    try AEAD.open(altered, key: key, associatedData: place)
                }
            }
        }
    }

    @Test func `sealed values do not open when they are cut or lengthened`() throws {
        let sealed = try AEAD.seal(message, key: key, associatedData: place)
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.authenticationFailed) {
                try AEAD.open(Array(sealed[..<count]), key: key, associatedData: place)
            }
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try AEAD.open(sealed + [0], key: key, associatedData: place)
        }
    }

    @Test func `sealed values do not open with another key or in another place`() throws {
        let sealed = try AEAD.seal(message, key: key, associatedData: place)
        #expect(throws: CryptoError.authenticationFailed) {
            try AEAD.open(sealed, key: .generate(), associatedData: place)
        }
        for other in [Array("grants/8".utf8), [], place + [0]] {
            #expect(throws: CryptoError.authenticationFailed) {
                try AEAD.open(sealed, key: key, associatedData: other)
            }
        }
    }

    @Test func `sealed values never look the same twice`() throws {
        let sealed = try (0..<100).map { _ in try AEAD.seal(message, key: key, associatedData: place) }
        #expect(Set(sealed.map { Array($0[..<12]) }).count == 100, "a nonce must not come again")
    }

    // Test case 16 of the GCM specification by McGrew and Viega.
    @Test func `sealed values are AES-256-GCM, nonce first and tag last`() throws {
        let key = try SymmetricKey(
            Secret(bytes(hexadecimal: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
        let sealed = bytes(
            hexadecimal: "cafebabefacedbaddecaf888"
                + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b")
        let plaintext = bytes(
            hexadecimal: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let associatedData = bytes(hexadecimal: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
        #expect(try AEAD.open(sealed, key: key, associatedData: associatedData) == plaintext)
    }

    @Test func `sealed values are sealed and opened as ever after a forged one`() throws {
        let keys = (0..<2).map { _ in SymmetricKey.generate() }
        let values: [[UInt8]] = [[], [1, 2, 3], Random.bytes(100)]
        for key in keys + keys {
            for value in values {
                let sealed = try AEAD.seal(value, key: key, associatedData: [9])
                var forged = sealed
                forged[forged.count - 1] ^= 1
                #expect(throws: CryptoError.authenticationFailed) {
                    try AEAD.open(forged, key: key, associatedData: [9])
                }
                #expect(ERR_peek_error() == 0, "an error must not be left for the thread's next user of OpenSSL")
                #expect(try AEAD.open(sealed, key: key, associatedData: [9]) == value)
                #expect(try AEAD.open(sealed, key: key, associatedData: [9]) == value)
                #expect(
                    try AEAD.open(AEAD.seal(value, key: key, associatedData: []), key: key, associatedData: []) == value
                )
            }
        }
    }

    @Test func `sealed values need a key of 32 bytes`() {
        for count in [0, 16, 31, 33] {
            #expect(throws: CryptoError.symmetricKeyLength) { try SymmetricKey(Secret(Random.bytes(count))) }
        }
        #expect(throws: Never.self) { try SymmetricKey(Secret(Random.bytes(32))) }
    }
}
