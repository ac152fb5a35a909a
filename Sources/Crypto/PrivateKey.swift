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
