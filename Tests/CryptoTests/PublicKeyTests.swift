import Crypto
import Testing

@Suite struct `Public keys` {
    private func modulus(bits: Int) -> [UInt8] {
        var bytes = Random.bytes((bits + 7) / 8)
        let top = (bits - 1) % 8
        bytes[0] = bytes[0] & UInt8((1 << top) - 1) | UInt8(1 << top)
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    @Test(arguments: [512, 1024, 2040, 2047, 8193, 16384])
    func `public keys refuse an RSA modulus that is too weak, or so large that it is an attack`(_ bits: Int) {
        #expect(throws: CryptoError.rsaModulusSize(bits: bits)) {
            try PublicKey(rsaModulus: modulus(bits: bits), exponent: [1, 0, 1])
        }
    }

    @Test(arguments: [2048, 3072, 4095, 8192]) func `take RSA from 2048 to 8192 bits`(_ bits: Int) throws {
        let key = try PublicKey(rsaModulus: modulus(bits: bits), exponent: [1, 0, 1])
        #expect(key.keyType == .rsa)
    }

    @Test func `measure a modulus by its value, not by its leading zeros`() throws {
        let modulus = modulus(bits: 2048)
        let key = try PublicKey(rsaModulus: [0, 0] + modulus, exponent: [0, 1, 0, 1])
        #expect(key.parameters == .rsa(modulus: modulus, exponent: [1, 0, 1]))
        #expect(throws: CryptoError.rsaModulusSize(bits: 1024)) {
            try PublicKey(rsaModulus: [UInt8](repeating: 0, count: 128) + self.modulus(bits: 1024), exponent: [3])
        }
        #expect(throws: CryptoError.rsaModulusSize(bits: 0)) { try PublicKey(rsaModulus: [], exponent: [3]) }
    }

    @Test func `public keys refuse an even RSA modulus`() {
        var even = modulus(bits: 2048)
        even[255] &= 0xFE
        #expect(throws: CryptoError.rsaModulusEven) { try PublicKey(rsaModulus: even, exponent: [3]) }
    }

    @Test(arguments: [[], [0], [1], [0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 1], [UInt8](repeating: 0xFF, count: 256)])
    func `public keys refuse an RSA exponent that is even, one or too wide`(_ exponent: [UInt8]) {
        #expect(throws: CryptoError.rsaExponent) {
            try PublicKey(rsaModulus: modulus(bits: 2048), exponent: exponent)
        }
    }

    @Test(arguments: [[3], [17], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]])
    func `take every odd RSA exponent from 3 to 32 bits`(_ exponent: [UInt8]) {
        #expect(throws: Never.self) { try PublicKey(rsaModulus: modulus(bits: 2048), exponent: exponent) }
    }

    @Test(arguments: EllipticCurve.allCases) func `public keys refuse a point off the curve`(_ curve: EllipticCurve)
        throws
    {
        let key = try PrivateKey.generate(.ellipticCurve(curve)).publicKey
        guard case .ellipticCurve(_, let x, let y) = key.parameters else { return }
        #expect(throws: Never.self) { try PublicKey(curve: curve, x: x, y: y) }
        var off = y
        off[curve.byteCount - 1] ^= 1
        #expect(throws: CryptoError.pointNotOnCurve) { try PublicKey(curve: curve, x: x, y: off) }
        #expect(throws: CryptoError.pointNotOnCurve) { try PublicKey(curve: curve, x: y, y: x) }
        let zero = [UInt8](repeating: 0, count: curve.byteCount)
        #expect(throws: CryptoError.pointNotOnCurve) { try PublicKey(curve: curve, x: zero, y: zero) }
        let ones = [UInt8](repeating: 0xFF, count: curve.byteCount)
        #expect(throws: CryptoError.pointNotOnCurve) { try PublicKey(curve: curve, x: ones, y: ones) }
    }

    @Test(arguments: EllipticCurve.allCases)
    func `public keys refuse a coordinate that has not exactly the curve's width`(_ curve: EllipticCurve) throws {
        let key = try PrivateKey.generate(.ellipticCurve(curve)).publicKey
        guard case .ellipticCurve(_, let x, let y) = key.parameters else { return }
        #expect(throws: CryptoError.coordinateLength) { try PublicKey(curve: curve, x: [0] + x, y: y) }
        #expect(throws: CryptoError.coordinateLength) { try PublicKey(curve: curve, x: x, y: Array(y.dropFirst())) }
        #expect(throws: CryptoError.coordinateLength) { try PublicKey(curve: curve, x: [], y: []) }
    }

    @Test func `public keys refuse a point of another curve`() throws {
        let key = try PrivateKey.generate(.ellipticCurve(.p256)).publicKey
        guard case .ellipticCurve(_, let x, let y) = key.parameters else { return }
        #expect(throws: CryptoError.coordinateLength) { try PublicKey(curve: .p384, x: x, y: y) }
        let padding = [UInt8](repeating: 0, count: 16)
        #expect(throws: CryptoError.pointNotOnCurve) { try PublicKey(curve: .p384, x: padding + x, y: padding + y) }
    }

    @Test func `public keys refuse an Ed25519 key that has not 32 bytes`() {
        for count in [0, 31, 33, 57] {
            #expect(throws: CryptoError.coordinateLength) { try PublicKey(ed25519: Random.bytes(count)) }
        }
    }
}
