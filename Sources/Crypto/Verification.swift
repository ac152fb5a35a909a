internal import COpenSSL

extension PublicKey {
    /// Whether a signature in JOSE form is this key's signature of the message.
    ///
    /// - Parameters:
    ///   - signature: for RSA exactly as long as the modulus, for ECDSA `r || s` of exactly the curve's width each
    ///     (RFC 7518 §3.4), for Ed25519 64 bytes.
    ///   - message: the signed bytes.
    ///   - algorithm: must fit the key's type and curve.
    /// - Returns: false for every other signature, also when the algorithm does not fit the key.
    public func verifies(
        signature: Span<UInt8>, of message: Span<UInt8>, with algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithm.fits(keyType) else { return false }
        return switch parameters {
        case .rsa(let modulus, _):
            signature.count == modulus.count && verifiesDigest(signature, of: message, with: algorithm)
        case .ellipticCurve(let curve, _, _):
            ECDSASignature.withDER(fromJOSE: signature, curve) { der in
                verifiesDigest(der, of: message, with: algorithm)
            } ?? false
        case .ed25519: verifiesMessage(signature, of: message)
        }
    }

    /// Whether a signature in JOSE form is this key's signature of the message; see ``verifies(signature:of:with:)``.
    public func verifies(signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
        verifies(signature: signature.span, of: message.span, with: algorithm)
    }

    private func verifiesDigest(
        _ signature: Span<UInt8>, of message: Span<UInt8>, with algorithm: SignatureAlgorithm
    ) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: algorithm.digest.byteCount) { digest in
            unsafe algorithm.digest.hash(message, into: digest)
            return unsafe operations.run(algorithm) { context in
                unsafe signature.withUnsafeBufferPointer { signature in
                    // 1 means valid, 0 invalid, a negative number that the check could not be made.
                    unsafe EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count, digest.baseAddress, digest.count) == 1
                }
            }
        }
    }

    /// Ed25519 takes the message, not its digest, so it has an operation of its own.
    private func verifiesMessage(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        drainingErrors {
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, handle.pointer) == 1 else { return false }
            return unsafe signature.withUnsafeBufferPointer { signature in
                unsafe message.withUnsafeBufferPointer { message in
                    unsafe EVP_DigestVerify(
                        context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
                }
            }
        }
    }
}
