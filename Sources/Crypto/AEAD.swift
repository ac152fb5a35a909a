internal import COpenSSL

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D): how values at rest are sealed.
///
/// A sealed value is `nonce (12) || ciphertext || tag (16)`. Nonces are random, so one key must not seal more than
/// 2³² values (SP 800-38D §8.3).
public enum AEAD {
    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    /// How much longer a sealed value is than its plaintext, in bytes.
    public static let overhead = nonceByteCount + tagByteCount

    /// Seals bytes under a key.
    /// - Parameter associatedData: what the value belongs to, such as its table and row: not hidden, but needed
    ///   unchanged to open it.
    public static func seal(
        _ plaintext: Span<UInt8>, key: SymmetricKey, associatedData: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        var isSealed = false
        let sealed = unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + overhead) { output, count in
            let nonce = unsafe UnsafeMutableBufferPointer(rebasing: output[..<nonceByteCount])
            unsafe Random.fill(nonce)
            var context = CipherContext()
            isSealed =
                unsafe context.start(key, nonce: UnsafeBufferPointer(nonce), encrypting: true)
                && context.authenticate(associatedData)
                && plaintext.withUnsafeBufferPointer { plaintext in
                    unsafe context.process(plaintext, into: output.baseAddress.map { unsafe $0 + nonceByteCount })
                }
                && context.finish()
                && context.readTag(UnsafeMutableBufferPointer(rebasing: output[(nonceByteCount + plaintext.count)...]))
            count = isSealed ? output.count : 0
        }
        guard isSealed else { throw .operationFailed(.sealing) }
        return sealed
    }

    /// Opens what ``seal(_:key:associatedData:)`` made with the same key and associated data.
    /// - Throws: `CryptoError.authenticationFailed` for anything else, however it came about.
    public static func open(
        _ sealed: Span<UInt8>, key: SymmetricKey, associatedData: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        let plaintextCount = sealed.count - overhead
        guard plaintextCount >= 0 else { throw .authenticationFailed }
        var isAuthentic = false
        let plaintext = unsafe sealed.withUnsafeBufferPointer { sealed in
            unsafe [UInt8](unsafeUninitializedCapacity: plaintextCount) { output, count in
                let nonce = unsafe UnsafeBufferPointer(rebasing: sealed[..<nonceByteCount])
                let ciphertext = unsafe UnsafeBufferPointer(
                    rebasing: sealed[nonceByteCount..<(nonceByteCount + plaintextCount)])
                let tag = unsafe UnsafeBufferPointer(rebasing: sealed[(nonceByteCount + plaintextCount)...])
                var context = CipherContext()
                isAuthentic =
                    unsafe context.start(key, nonce: nonce, encrypting: false)
                    && context.authenticate(associatedData)
                    && context.process(ciphertext, into: output.baseAddress)
                    && context.expectTag(tag)
                    && context.finish()
                // What a wrong tag decrypts to is the attacker's choice, so nobody may see it.
                if !isAuthentic { unsafe OPENSSL_cleanse(output.baseAddress, plaintextCount) }
                count = isAuthentic ? plaintextCount : 0
            }
        }
        guard isAuthentic else { throw .authenticationFailed }
        return plaintext
    }

    /// Seals bytes under a key; see ``seal(_:key:associatedData:)``.
    public static func seal(
        _ plaintext: [UInt8], key: SymmetricKey, associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try seal(plaintext.span, key: key, associatedData: associatedData.span)
    }

    /// Opens a sealed value; see ``open(_:key:associatedData:)``.
    public static func open(
        _ sealed: [UInt8], key: SymmetricKey, associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try open(sealed.span, key: key, associatedData: associatedData.span)
    }
}
