import Testing

@testable import Crypto

@Suite struct `The JOSE form of an ECDSA signature` {
    /// A number as DER has it: without leading zeros, but with one before a first bit that is set.
    private func integer(_ number: [UInt8]) -> [UInt8] {
        var contents = Array(number.drop { $0 == 0 })
        if contents.first.map({ $0 >= 0x80 }) ?? true { contents.insert(0, at: 0) }
        return [0x02, UInt8(contents.count)] + contents
    }

    private func sequence(_ contents: [UInt8]) -> [UInt8] {
        [0x30] + (contents.count < 0x80 ? [] : [0x81]) + [UInt8(contents.count)] + contents
    }

    private func jose(_ der: [UInt8], _ curve: EllipticCurve = .p256) -> [UInt8]? {
        ECDSASignature.jose(fromDER: der.span, curve)
    }

    @Test(arguments: EllipticCurve.allCases)
    func `the JOSE form of an ECDSA signature has both numbers in full width, however short they are`(
        _ curve: EllipticCurve
    ) {
        let width = curve.byteCount
        for missing in 0..<width {
            for first: UInt8 in [0x01, 0x7F, 0x80, 0xFF] {
                let zeros = [UInt8](repeating: 0, count: missing)
                let short = zeros + [first] + [UInt8](repeating: 0xA5, count: width - missing - 1)
                let long = [UInt8](repeating: 0x5A, count: width)
                #expect(jose(sequence(integer(short) + integer(long)), curve) == short + long)
                #expect(jose(sequence(integer(long) + integer(short)), curve) == long + short)
            }
        }
    }

    @Test func `the JOSE form of an ECDSA signature is made of nothing that is no pair of numbers`() {
        let (r, s) = (integer([1, 2, 3]), integer([4, 5, 6]))
        let good = sequence(r + s)
        #expect(jose(good) != nil)
        for count in 0..<good.count { #expect(jose(Array(good[..<count])) == nil) }
        #expect(jose(good + [0]) == nil)
        #expect(jose(sequence(r)) == nil)
        #expect(jose(sequence(r + s + s)) == nil)
        #expect(jose(sequence(r + [0x04, 0x01, 0x01])) == nil)
        #expect(jose(sequence(r + [0x02, 0x00])) == nil)
        #expect(jose(sequence(r + [0x02, 0x01, 0x80])) == nil, "a negative number")
        #expect(jose([0x31] + good.dropFirst()) == nil)
        #expect(jose([0x30, 0x81, UInt8(r.count + s.count)] + r + s) == nil, "a length in more bytes than it takes")
        #expect(jose([0x30, 0x82, 0x00, UInt8(r.count + s.count)] + r + s) == nil)
        #expect(jose(sequence(integer([UInt8](repeating: 1, count: 33)) + s)) == nil, "a number wider than the curve")
    }
}
