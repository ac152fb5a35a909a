/// Why a cryptographic operation can't be carried out. None of the cases carries key material or input.
public enum CryptoError: Error, Equatable, Sendable {
    /// An RSA modulus outside ``PublicKey/rsaModulusBits``.
    case rsaModulusSize(bits: Int)
    /// An RSA modulus that is even, which no product of two odd primes is.
    case rsaModulusEven
    /// An RSA public exponent that is even, one, or wider than ``PublicKey/rsaExponentBits``.
    case rsaExponent
    /// A coordinate or Ed25519 key that has not exactly the width of its curve (RFC 7518 §6.2.1.2, RFC 8037 §2).
    case coordinateLength
    /// An elliptic-curve point that does not satisfy the curve's equation.
    case pointNotOnCurve
    /// The text or bytes are no private key, are encrypted, or their parts do not belong together.
    case unreadableKey
    /// A key of a type or curve outside ``KeyType``.
    case unsupportedKeyType
    /// The algorithm asked for does not belong to the key's type and curve.
    case algorithmMismatch
    /// A symmetric key that has not exactly ``SymmetricKey/byteCount`` bytes.
    case symmetricKeyLength
    /// Parameters of ``Scrypt`` that it does not take.
    case scryptParameters
    /// A sealed value was made with another key or other associated data, or was altered or cut.
    case authenticationFailed
    /// OpenSSL refused an operation that has no reason to fail, such as for want of memory.
    case operationFailed(Operation)

    /// Which operation OpenSSL refused.
    public enum Operation: Equatable, Sendable {
        case makingKey, generatingKey, exportingKey, signing, sealing, derivingKey
    }
}
