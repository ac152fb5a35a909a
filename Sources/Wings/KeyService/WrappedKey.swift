internal import Accounts
internal import Crypto

/// A key wrapped twice, so that the password opens it, and the long secret does: nothing else here does, and neither is
/// kept.
///
/// Under the password (``Scrypt``, a salt of its own) lies the key with its long secret, which unlocking by password
/// tells; under the long secret lies the key alone. The long secret is 256 bits of randomness that nobody tries
/// through, so one keyed hash derives what wraps under it. What stands before the wraps, and the key's name, is
/// authenticated with both.
struct WrappedKey {
    static let keyBytes = 32
    static let longSecretBytes = 32
    private static let version: UInt8 = 1
    private static let saltBytes = 16
    /// Version, cost, r, p, and the salt.
    private static let headBytes = 4 + saltBytes
    private static let wrappedKeyBytes = keyBytes + AEAD.overhead
    // Keys derived for one purpose are good for no other.
    private static let passwordLabel = Array("gatehouse keyservice password".utf8)
    private static let longSecretLabel = Array("gatehouse keyservice long secret".utf8)

    private let id: UnlockKeyID
    private let scrypt: Scrypt
    private let head: [UInt8]
    private let underLongSecret: [UInt8]
    private let underPassword: [UInt8]

    /// What the store keeps.
    var content: [UInt8] { head + underLongSecret + underPassword }

    /// Wraps a key; it takes as long as ``Scrypt`` does.
    init(_ key: UnlockedKey, under password: Secret, _ scrypt: Scrypt) throws(CryptoError) {
        id = key.id
        self.scrypt = scrypt
        let salt = Random.bytes(Self.saltBytes)
        head =
            [
                Self.version, UInt8(truncatingIfNeeded: scrypt.cost), UInt8(truncatingIfNeeded: scrypt.blockSize),
                UInt8(truncatingIfNeeded: scrypt.parallelization),
            ] + salt
        let associatedData = head + id.bytes
        underLongSecret = try Self.seal(
            key.key, Self.wrappingKey(of: key.longSecret, associatedData), associatedData)
        let both = key.key.withBytes { first in key.longSecret.withBytes { Secret(joining: first, $0) } }
        underPassword = try Self.seal(
            both, try Self.wrappingKey(of: password, salt, scrypt), associatedData)
    }

    /// Reads what the store has kept.
    ///
    /// - Returns: nil for what no version has written.
    init?(_ content: [UInt8], of id: UnlockKeyID) {
        guard content.count > Self.headBytes + Self.wrappedKeyBytes, content[0] == Self.version,
            let scrypt = try? Scrypt(
                cost: Int(content[1]), blockSize: Int(content[2]), parallelization: Int(content[3]))
        else { return nil }
        (self.id, self.scrypt) = (id, scrypt)
        head = Array(content[..<Self.headBytes])
        underLongSecret = Array(content[Self.headBytes...].prefix(Self.wrappedKeyBytes))
        underPassword = Array(content[(Self.headBytes + Self.wrappedKeyBytes)...])
    }

    /// Opens the key by its password; it takes as long as ``Scrypt`` did when the key was made.
    ///
    /// - Returns: nil for a wrong password.
    /// - Throws: what says nothing of the password, as where there is no memory.
    func open(password: Secret) throws(CryptoError) -> UnlockedKey? {
        let wrappingKey = try Self.wrappingKey(of: password, Array(head.suffix(Self.saltBytes)), scrypt)
        guard let both = try Self.open(underPassword, wrappingKey, head + id.bytes) else { return nil }
        return both.withBytes { both in
            UnlockedKey(
                id: id, key: Secret(copying: both.extracting(..<Self.keyBytes)),
                longSecret: Secret(copying: both.extracting(Self.keyBytes...)))
        }
    }

    /// Opens the key by its long secret, at once.
    ///
    /// - Returns: nil for a wrong one.
    func open(longSecret: Secret) throws(CryptoError) -> UnlockedKey? {
        let associatedData = head + id.bytes
        let wrappingKey = try Self.wrappingKey(of: longSecret, associatedData)
        guard let key = try Self.open(underLongSecret, wrappingKey, associatedData) else { return nil }
        return UnlockedKey(id: id, key: key, longSecret: longSecret)
    }

    private static func wrappingKey(
        of password: Secret, _ salt: [UInt8], _ scrypt: Scrypt
    ) throws(CryptoError) -> SymmetricKey {
        // As scrypt itself keys a hash by the password, "1" and "1\0" are one to it, and long ones are their own
        // digest.
        let hashed = hash(password, as: passwordLabel)
        return try SymmetricKey(try scrypt.key(from: hashed, salt: salt, byteCount: SymmetricKey.byteCount))
    }

    private static func wrappingKey(
        of longSecret: Secret, _ associatedData: [UInt8]
    ) throws(CryptoError) -> SymmetricKey {
        try SymmetricKey(hash(longSecret, as: longSecretLabel + associatedData))
    }

    /// The secret is what is hashed, and not the key of the hash, which is kept for the next caller.
    private static func hash(_ secret: Secret, as label: [UInt8]) -> Secret {
        var code = secret.withBytes { HMAC.sha256($0, key: label.span) }
        return Secret(taking: &code)
    }

    private static func seal(
        _ secret: Secret, _ key: SymmetricKey, _ associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try secret.withBytes { bytes throws(CryptoError) in
            try AEAD.seal(bytes, key: key, associatedData: associatedData.span)
        }
    }

    private static func open(
        _ sealed: [UInt8], _ key: SymmetricKey, _ associatedData: [UInt8]
    ) throws(CryptoError) -> Secret? {
        do throws(CryptoError) {
            var bytes = try AEAD.open(sealed, key: key, associatedData: associatedData)
            return Secret(taking: &bytes)
        } catch .authenticationFailed {
            return nil
        }
    }
}

extension Secret {
    fileprivate init(joining first: Span<UInt8>, _ second: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(first.count + second.count)
        for index in first.indices { bytes.append(first[index]) }
        for index in second.indices { bytes.append(second[index]) }
        self.init(taking: &bytes)
    }
}
