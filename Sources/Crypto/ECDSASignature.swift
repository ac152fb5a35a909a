internal import COpenSSL

/// Between JOSE's form of an ECDSA signature, `r || s` in the curve's width (RFC 7518 §3.4), and OpenSSL's, DER.
enum ECDSASignature {
    /// The longest DER form: 66-byte numbers with a sign byte each, and nine bytes of tags and lengths.
    static let longestDER = 2 * (66 + 1) + 9

    /// Lends the DER form of a JOSE signature.
    /// - Returns: nil when the signature has not exactly the curve's width.
    static func withDER<Result>(
        fromJOSE signature: Span<UInt8>, _ curve: EllipticCurve, _ body: (Span<UInt8>) -> Result
    ) -> Result? {
        let width = curve.byteCount
        guard signature.count == 2 * width, let parsed = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longestDER) { der in
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

    /// The JOSE form of a DER signature that OpenSSL has just made; nil when memory runs out.
    static func jose(fromDER der: UnsafeBufferPointer<UInt8>, _ curve: EllipticCurve) -> [UInt8]? {
        var start = der.baseAddress
        guard let parsed = unsafe d2i_ECDSA_SIG(nil, &start, der.count) else { return nil }
        defer { unsafe ECDSA_SIG_free(parsed) }
        let width = curve.byteCount
        var isComplete = false
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: 2 * width) { output, count in
            guard let address = output.baseAddress else { return }
            isComplete =
                unsafe BN_bn2binpad(ECDSA_SIG_get0_r(parsed), address, Int32(width)) == Int32(width)
                && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), address + width, Int32(width)) == Int32(width)
            count = isComplete ? 2 * width : 0
        }
        return isComplete ? signature : nil
    }
}
