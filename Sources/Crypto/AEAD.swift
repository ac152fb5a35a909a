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

/// One AES-256-GCM operation; owns OpenSSL's cipher context. Each step says whether it succeeded.
@safe private struct CipherContext: ~Copyable {
    private let pointer: OpaquePointer?
    private var isFinished = false

    init() { unsafe pointer = EVP_CIPHER_CTX_new() }

    deinit {
        // A failed step leaves its reasons in this thread's queue, where the next user of OpenSSL would find them.
        if !isFinished { ERR_clear_error() }
        // The next operation gets another context: this one's holds the key until it is freed.
        unsafe EVP_CIPHER_CTX_free(pointer)
    }

    borrowing func start(_ key: SymmetricKey, nonce: UnsafeBufferPointer<UInt8>, encrypting: Bool) -> Bool {
        key.secret.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe EVP_CipherInit_ex2(
                    pointer, Self.cipher, key.baseAddress, nonce.baseAddress, encrypting ? 1 : 0, nil) == 1
            }
        }
    }

    borrowing func authenticate(_ associatedData: Span<UInt8>) -> Bool {
        unsafe associatedData.withUnsafeBufferPointer { unsafe process($0, into: nil) }
    }

    borrowing func process(_ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>?) -> Bool {
        // OpenSSL takes a null input for the end of the message, and an empty buffer may have no address.
        guard !input.isEmpty else { return true }
        guard let length = Int32(exactly: input.count) else { return false }
        var written: Int32 = 0
        return unsafe EVP_CipherUpdate(pointer, output, &written, input.baseAddress, length) == 1 && written == length
    }

    /// Ends the message; when decrypting, only a right tag lets this succeed.
    mutating func finish() -> Bool {
        // GCM has no last block, but OpenSSL wants an address.
        var nothing: (UInt64, UInt64) = (0, 0)
        var written: Int32 = 0
        let pointer = unsafe pointer
        isFinished = unsafe withUnsafeMutableBytes(of: &nothing) { buffer in
            unsafe EVP_CipherFinal_ex(
                pointer, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &written) == 1
        }
        return isFinished
    }

    borrowing func readTag(_ tag: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
    }

    borrowing func expectTag(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        // The parameter is not const in C; setting a tag only reads it.
        unsafe EVP_CIPHER_CTX_ctrl(
            pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), UnsafeMutablePointer(mutating: tag.baseAddress)) == 1
    }

    // Proof: an EVP_CIPHER never changes after it is fetched, lives as long as the process, and may be shared.
    private nonisolated(unsafe) static let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
}
