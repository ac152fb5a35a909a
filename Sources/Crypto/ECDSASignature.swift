internal import COpenSSL

/// Between JOSE's form of an ECDSA signature, `r || s` in the curve's width (RFC 7518 §3.4), and OpenSSL's, DER.
enum ECDSASignature {
    /// The longest DER form: 66-byte numbers with a sign byte each, and nine bytes of tags and lengths.
    static let maximumDERBytes = 2 * (66 + 1) + 9

    /// Lends the DER form of a JOSE signature.
    /// - Returns: nil when the signature has not exactly the curve's width.
    static func withDER<Result>(
        fromJOSE signature: Span<UInt8>, _ curve: EllipticCurve, _ body: (Span<UInt8>) -> Result
    ) -> Result? {
        let width = curve.byteCount
        guard signature.count == 2 * width, let parsed = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumDERBytes) { der in
            let length = unsafe signature.withUnsafeBufferPointer { signature -> Int32 in
                guard let start = signature.baseAddress else { return 0 }
                let r = unsafe BN_bin2bn(start, Int32(width), nil)
                let s = unsafe BN_bin2bn(start + width, Int32(width), nil)
                guard unsafe ECDSA_SIG_set0(parsed, r, s) == 1 else {
                    unsafe BN_free(r)
                    unsafe BN_free(s)
                    return 0
                }
                var end = der.baseAddress
                return unsafe i2d_ECDSA_SIG(parsed, &end)
            }
            guard length > 0 else { return nil }
            return unsafe body(Span(_unsafeElements: UnsafeBufferPointer(rebasing: der[..<Int(length)])))
        }
    }

    /// The JOSE form of a DER signature, `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), that OpenSSL has just
    /// made.
    ///
    /// Taken apart here: OpenSSL would make two numbers of it and write them out again.
    /// - Returns: nil for anything else.
    static func jose(fromDER der: Span<UInt8>, _ curve: EllipticCurve) -> [UInt8]? {
        var reader = DERReader(offset: 0)
        guard let contents = reader.contents(ofTag: 0x30, in: der), contents.upperBound == der.count,
            let r = reader.contents(ofTag: 0x02, in: der), !r.isEmpty
        else { return nil }
        reader.offset = r.upperBound
        guard let s = reader.contents(ofTag: 0x02, in: der), !s.isEmpty, s.upperBound == der.count else { return nil }
        let width = curve.byteCount
        var isComplete = false
        var signature: [UInt8] = []
        signature.append(addingCapacity: 2 * width) { output in
            isComplete =
                append(der.extracting(r), width: width, to: &output)
                && append(der.extracting(s), width: width, to: &output)
        }
        return isComplete ? signature : nil
    }

    /// Appends a number that is not negative, in full width.
    /// - Returns: false when it is negative or wider.
    private static func append(_ number: Span<UInt8>, width: Int, to output: inout OutputSpan<UInt8>) -> Bool {
        // A zero stands before a first bit that is set, which would be a sign.
        guard number[0] < 0x80 else { return false }
        let start = number[0] == 0 ? 1 : 0
        let missing = width - (number.count - start)
        guard missing >= 0 else { return false }
        output.append(repeating: 0, count: missing)
        for index in start..<number.count { output.append(number[index]) }
        return true
    }
}

/// Walks through DER (X.690 §8.1, §10.1), as far as signatures need it: lengths up to 255.
private struct DERReader {
    var offset: Int

    /// Steps into an element.
    /// - Returns: where its contents lie; nil when another one stands there, or it goes beyond the bytes.
    mutating func contents(ofTag tag: UInt8, in bytes: Span<UInt8>) -> Range<Int>? {
        guard offset + 2 <= bytes.count, bytes[offset] == tag else { return nil }
        var length = Int(bytes[offset + 1])
        offset += 2
        // One more byte holds the length where it takes eight bits.
        if length == 0x81, offset < bytes.count {
            length = Int(bytes[offset])
            offset += 1
            guard length >= 0x80 else { return nil }
        } else if length >= 0x80 {
            return nil
        }
        guard length <= bytes.count - offset else { return nil }
        return offset..<(offset + length)
    }
}
