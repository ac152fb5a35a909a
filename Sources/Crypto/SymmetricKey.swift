/// A 256-bit key for ``AEAD``.
public struct SymmetricKey: Sendable, Equatable {
    /// The length of every key in bytes.
    public static let byteCount = 32

    /// The key's bytes.
    public let secret: Secret

    /// Takes a key from outside, as out of a secret file.
    /// - Throws: `CryptoError.symmetricKeyLength` unless it has exactly ``byteCount`` bytes.
    public init(_ secret: Secret) throws(CryptoError) {
        guard secret.count == Self.byteCount else { throw .symmetricKeyLength }
        self.secret = secret
    }

    private init(trusted secret: Secret) { self.secret = secret }

    /// A new random key.
    public static func generate() -> SymmetricKey { SymmetricKey(trusted: Secret(Random.bytes(byteCount))) }
}
