internal import COpenSSL

/// A public key that verifies signatures. It is checked once, when it is made.
public final class PublicKey: Sendable {
    /// The sizes of RSA modulus taken, in bits.
    ///
    /// Less than 2048 is too weak (RFC 7518 §3.3). Verification costs the square of the size, so a hostile key set
    /// with a huge modulus would be an attack on the processor: 8192 bits cost about sixteen times 2048.
    public static let rsaModulusBits = 2048...8192

    /// The widest RSA public exponent taken, in bits.
    ///
    /// Verification costs one squaring for each bit. All exponents in use (3, 17, 65537) fit; Go's library, which
    /// many relying parties stand on, takes no wider ones either.
    public static let rsaExponentBits = 32

    /// What a key consists of; big-endian bytes, RSA numbers without leading zeros, the others in full width.
    public enum Parameters: Equatable, Sendable {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
        case ed25519([UInt8])
    }

    public let parameters: Parameters
    let handle: KeyHandle
    let operations: OperationPool

    /// An RSA key (RFC 7518 §6.3.1).
    ///
    /// Leading zeros do not change a number and are dropped: RFC 7518 §6.3.1.1 knows libraries that emit one.
    /// - Parameters:
    ///   - modulus: `n`, big-endian; its size must be in ``rsaModulusBits``.
    ///   - exponent: `e`, big-endian; odd, greater than one, at most ``rsaExponentBits`` wide.
    /// - Throws: `CryptoError.rsaModulusSize`, `.rsaModulusEven` or `.rsaExponent`.
    public convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let bits = bitWidth(modulus)
        guard Self.rsaModulusBits.contains(bits) else { throw .rsaModulusSize(bits: bits) }
        guard let last = modulus.last, last & 1 == 1 else { throw .rsaModulusEven }
        guard let last = exponent.last, last & 1 == 1, exponent != [1], bitWidth(exponent) <= Self.rsaExponentBits
        else { throw .rsaExponent }
        let handle = drainingErrors {
            var parameters = KeyParameters()
            parameters.add(OSSL_PKEY_PARAM_RSA_N, number: modulus)
            parameters.add(OSSL_PKEY_PARAM_RSA_E, number: exponent)
            return parameters.publicKey(ofType: "RSA")
        }
        guard let handle else { throw .operationFailed(.makingKey) }
        self.init(.rsa(modulus: modulus, exponent: exponent), handle)
    }

    /// A key on one of the curves of RFC 7518 §6.2.1.
    /// - Parameters:
    ///   - x: the first coordinate, big-endian, exactly the curve's width.
    ///   - y: the second one.
    /// - Throws: `CryptoError.coordinateLength` or `.pointNotOnCurve`.
    public convenience init(curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == curve.byteCount, y.count == curve.byteCount else { throw .coordinateLength }
        // SEC 1 §2.3.4: 4 marks an uncompressed point; OpenSSL refuses one that does not satisfy the curve's equation.
        let point = [4] + x + y
        let handle: KeyHandle? = drainingErrors {
            var parameters = KeyParameters()
            parameters.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
            parameters.add(OSSL_PKEY_PARAM_PUB_KEY, octets: point)
            let handle = parameters.publicKey(ofType: "EC")
            return unsafe handle?.passes { unsafe EVP_PKEY_public_check_quick($0) } == true ? handle : nil
        }
        guard let handle else { throw .pointNotOnCurve }
        self.init(.ellipticCurve(curve, x: x, y: y), handle)
    }

    /// An Ed25519 key (RFC 8037 §2).
    /// - Parameter bytes: `x`, exactly 32 bytes.
    /// - Throws: `CryptoError.coordinateLength`.
    public convenience init(ed25519 bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == 32 else { throw .coordinateLength }
        let handle = drainingErrors {
            unsafe KeyHandle(owning: EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count))
        }
        guard let handle else { throw .operationFailed(.makingKey) }
        self.init(.ed25519(bytes), handle)
    }

    private init(_ parameters: Parameters, _ handle: KeyHandle) {
        (self.parameters, self.handle) = (parameters, handle)
        operations = OperationPool(key: handle, purpose: .verifying)
    }

    public var keyType: KeyType {
        switch parameters {
        case .rsa: .rsa
        case .ellipticCurve(let curve, _, _): .ellipticCurve(curve)
        case .ed25519: .ed25519
        }
    }
}

/// The number of significant bits of a big-endian number without leading zeros.
private func bitWidth(_ number: [UInt8]) -> Int {
    number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
}

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
