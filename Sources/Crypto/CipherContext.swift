internal import COpenSSL

/// One AES-256-GCM operation; owns OpenSSL's cipher context. Each step says whether it succeeded.
@safe struct CipherContext: ~Copyable {
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
        key.withBytes { key in
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
