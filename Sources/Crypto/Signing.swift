internal import COpenSSL

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
                signDigest(of: message, with: algorithm, longest: ECDSASignature.longestDER) { der in
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
