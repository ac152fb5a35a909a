internal import COpenSSL

/// A private key that makes signatures; prints nothing of itself.
public final class PrivateKey: Sendable {
    /// What kind of key to generate.
    public enum Kind: Equatable, Sendable {
        case rsa(bits: Int)
        case ellipticCurve(EllipticCurve)
        case ed25519
    }

    /// The other half, which anybody may have.
    public let publicKey: PublicKey
    let handle: KeyHandle
    let operations: OperationPool

    /// A new random key.
    /// - Throws: `CryptoError.rsaModulusSize` for a size outside ``PublicKey/rsaModulusBits``.
    public static func generate(_ kind: Kind) throws(CryptoError) -> PrivateKey {
        if case .rsa(let bits) = kind, !PublicKey.rsaModulusBits.contains(bits) { throw .rsaModulusSize(bits: bits) }
        guard let handle = drainingErrors({ generateHandle(kind) }) else { throw .operationFailed(.generatingKey) }
        return try PrivateKey(handle)
    }

    init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = try PublicKey(publicPartOf: handle)
        operations = OperationPool(key: handle, purpose: .signing)
    }

    private static func generateHandle(_ kind: Kind) -> KeyHandle? {
        let type =
            switch kind {
            case .rsa: "RSA"
            case .ellipticCurve: "EC"
            case .ed25519: "ED25519"
            }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { return nil }
        let isSet =
            switch kind {
            case .rsa(let bits): unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1
            case .ellipticCurve(let curve): unsafe EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1
            case .ed25519: true
            }
        var key: OpaquePointer?
        guard isSet, unsafe EVP_PKEY_generate(context, &key) == 1 else { return nil }
        return unsafe KeyHandle(owning: key)
    }
}

extension PublicKey {
    /// The public half of a key pair, held to the same rules as a public key from outside.
    convenience init(publicPartOf handle: KeyHandle) throws(CryptoError) {
        switch handle.keyType {
        case .rsa:
            guard let modulus = handle.number(OSSL_PKEY_PARAM_RSA_N),
                let exponent = handle.number(OSSL_PKEY_PARAM_RSA_E)
            else { throw .operationFailed(.makingKey) }
            try self.init(rsaModulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve):
            guard let x = handle.number(OSSL_PKEY_PARAM_EC_PUB_X, byteCount: curve.byteCount),
                let y = handle.number(OSSL_PKEY_PARAM_EC_PUB_Y, byteCount: curve.byteCount)
            else { throw .operationFailed(.makingKey) }
            try self.init(curve: curve, x: x, y: y)
        case .ed25519:
            guard let bytes = handle.rawPublicKey else { throw .operationFailed(.makingKey) }
            try self.init(ed25519: bytes)
        case nil: throw .unsupportedKeyType
        }
    }
}

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
        try self.init(handle)
        guard isOnePair else { throw .unreadableKey }
    }

    /// Whether its public half verifies what it signs. OpenSSL's own check also looks whether the factors of an RSA key
    /// are primes, which takes thirty times as long and would be a part of every start.
    private var isOnePair: Bool {
        let message: [UInt8] = [0]
        guard let algorithm = SignatureAlgorithm.allCases.first(where: { $0.fits(publicKey.keyType) }),
            let signature = try? sign(message.span, with: algorithm)
        else { return false }
        return publicKey.verifies(signature: signature.span, of: message.span, with: algorithm)
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

extension PrivateKey {
    /// Signs a message.
    /// - Returns: the signature in JOSE form, as ``PublicKey/verifies(signature:of:with:)`` takes it.
    /// - Throws: `CryptoError.algorithmMismatch` when the algorithm does not fit the key's type and curve.
    public func sign(_ message: Span<UInt8>, with algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
        guard algorithm.fits(publicKey.keyType) else { throw .algorithmMismatch }
        let signature: [UInt8]? =
            switch publicKey.parameters {
            case .rsa(let modulus, _):
                signDigest(of: message, with: algorithm, longest: modulus.count) { signature in
                    unsafe signature.withUnsafeBufferPointer { unsafe Array($0) }
                }
            case .ellipticCurve(let curve, _, _):
                signDigest(of: message, with: algorithm, longest: ECDSASignature.maximumDERBytes) { der in
                    ECDSASignature.jose(fromDER: der, curve)
                }
            case .ed25519: signMessage(message)
            }
        guard let signature else { throw .operationFailed(.signing) }
        return signature
    }

    /// Signs a message; see ``sign(_:with:)``.
    public func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
        try sign(message.span, with: algorithm)
    }

    private func signDigest(
        of message: Span<UInt8>, with algorithm: SignatureAlgorithm, longest: Int,
        _ convert: (Span<UInt8>) -> [UInt8]?
    ) -> [UInt8]? {
        let digestCount = algorithm.digest.byteCount
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digestCount + longest) { buffer in
            let digest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<digestCount])
            let signature = unsafe UnsafeMutableBufferPointer(rebasing: buffer[digestCount...])
            unsafe algorithm.digest.hash(message, into: digest)
            var length = longest
            let isSigned = unsafe operations.run(algorithm) { context in
                unsafe EVP_PKEY_sign(context, signature.baseAddress, &length, digest.baseAddress, digest.count) == 1
            }
            guard isSigned else { return nil }
            return unsafe convert(UnsafeBufferPointer(rebasing: signature[..<length]).span)
        }
    }

    /// Ed25519 takes the message, not its digest, so it has an operation of its own.
    private func signMessage(_ message: Span<UInt8>) -> [UInt8]? {
        drainingErrors {
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestSignInit(context, nil, nil, nil, handle.pointer) == 1 else { return nil }
            var length = 64
            let signature = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                let result = unsafe message.withUnsafeBufferPointer { message in
                    unsafe EVP_DigestSign(context, buffer.baseAddress, &length, message.baseAddress, message.count)
                }
                count = result == 1 ? length : 0
            }
            return signature.count == 64 ? signature : nil
        }
    }
}
