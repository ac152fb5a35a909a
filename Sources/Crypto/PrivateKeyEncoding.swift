internal import COpenSSL

extension PrivateKey {
    /// Reads a private key from PEM text: PKCS #8 (RFC 5958), or the older `RSA PRIVATE KEY` and `EC PRIVATE KEY`.
    /// - Throws: `CryptoError.unreadableKey` for anything else, an encrypted key, or parts that do not belong together;
    ///   `.unsupportedKeyType`; and what ``PublicKey`` refuses, such as a short RSA modulus.
    public convenience init(pem: Secret) throws(CryptoError) {
        let handle: KeyHandle? = drainingErrors {
            pem.withBytes { text in
                unsafe text.withUnsafeBufferPointer { text in
                    guard let length = Int32(exactly: text.count),
                        let input = unsafe BIO_new_mem_buf(text.baseAddress, length)
                    else { return nil }
                    defer { unsafe BIO_free(input) }
                    // Without a function that refuses, OpenSSL would ask the terminal for a password.
                    let key = unsafe PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
                    return unsafe KeyHandle(owning: key)
                }
            }
        }
        guard let handle else { throw .unreadableKey }
        guard handle.keyType != nil else { throw .unsupportedKeyType }
        guard drainingErrors({ unsafe handle.passes { unsafe EVP_PKEY_pairwise_check($0) } }) else {
            throw .unreadableKey
        }
        try self.init(handle)
    }

    /// The key as unencrypted PKCS #8 PEM text (RFC 7468 §10).
    /// - Throws: `CryptoError.operationFailed`.
    public func pemRepresentation() throws(CryptoError) -> Secret {
        try unsafe export { output in
            unsafe PEM_write_bio_PKCS8PrivateKey(output, handle.pointer, nil, nil, 0, nil, nil) == 1
        }
    }

    /// The key as unencrypted PKCS #8 DER bytes (RFC 5958).
    /// - Throws: `CryptoError.operationFailed`.
    public func derRepresentation() throws(CryptoError) -> Secret {
        try unsafe export { output in
            unsafe i2d_PKCS8PrivateKey_bio(output, handle.pointer, nil, nil, 0, nil, nil) == 1
        }
    }

    private func export(_ write: (OpaquePointer) -> Bool) throws(CryptoError) -> Secret {
        let secret: Secret? = drainingErrors {
            // A secure-memory BIO wipes its buffer when it is freed.
            guard let output = unsafe BIO_new(BIO_s_secmem()) else { return nil }
            defer { unsafe BIO_free(output) }
            guard unsafe write(output) else { return nil }
            var start: UnsafeMutablePointer<CChar>?
            let length = unsafe COpenSSL_BIO_get_mem_data(output, &start)
            guard length > 0, let start = unsafe start else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
            return unsafe Secret(copying: Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
        }
        guard let secret else { throw .operationFailed(.exportingKey) }
        return secret
    }
}
