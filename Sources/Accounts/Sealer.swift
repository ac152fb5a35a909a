/// Why a value could not be sealed or opened.
public enum SealingError: Error, Equatable, Sendable {
    /// Sealed under a key that is not in the key ring.
    case unknownKey
    /// Changed, moved to another place, or sealed under another key of the same name.
    case notAuthentic
    /// The cipher itself failed.
    case failed
}

/// Seals single values of the store with authenticated encryption. The server's composition makes it from the key ring.
public protocol Sealer: Sendable {
    /// - Returns: the sealed bytes, which name the key they were sealed under.
    func seal(_ plaintext: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8]
    /// Opens what `seal` made for the same context.
    func open(_ sealed: [UInt8], for context: SealContext) throws(SealingError) -> [UInt8]
    /// The number of the data key that `seal` uses.
    var newestKey: Int64 { get }
    /// The number of the data key a value is sealed under; nil when it names none.
    func keyNumber(of sealed: [UInt8]) -> Int64?
    /// The HMAC-SHA-256 (RFC 2104) of a message: what values are found by that must not be told by what they are found
    /// by.
    func authenticationCode(of message: [UInt8], under key: [UInt8]) -> [UInt8]
}

/// The place a sealed value belongs to. A value moved to another row or column does not open.
public struct SealContext: Equatable, Sendable {
    /// What the cipher authenticates besides the value: table, column and row, each behind its length, so that no two
    /// places have the same bytes.
    public let associatedData: [UInt8]

    public init(table: String, column: String, row: Int64) {
        let bits = UInt64(bitPattern: row)
        self.init(
            table: table, column: column, row: (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - $0 * 8)) })
    }

    public init(table: String, column: String, row: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48)
        for name in [table, column] {
            bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
            bytes.append(contentsOf: name.utf8)
        }
        bytes.append(contentsOf: row)
        associatedData = bytes
    }
}

/// A data key, sealed under the master key by the server's composition; opaque to the store.
public struct KeyRingEntry: Equatable, Sendable {
    /// The number by which sealed values name their key.
    public var number: Int64
    public var sealedKey: [UInt8]
    /// Seconds since 1970.
    public var createdAt: Int64

    public init(number: Int64, sealedKey: [UInt8], createdAt: Int64) {
        (self.number, self.sealedKey, self.createdAt) = (number, sealedKey, createdAt)
    }
}

/// A key ring opened with the master key.
public struct UnlockedKeyRing: Sendable {
    public var sealer: any Sealer
    /// Data keys that were made just now, to be stored before anything is sealed under them.
    public var added: [KeyRingEntry]

    public init(sealer: any Sealer, added: [KeyRingEntry]) {
        (self.sealer, self.added) = (sealer, added)
    }
}

/// Opens the stored key ring with the master key; makes a first data key when the ring is empty. Called when a
/// repository opens, and again when the stored ring has changed. Any error means that the master key is not the one the
/// ring was sealed under.
public typealias KeyRingUnlocker = @Sendable (_ stored: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing

/// Makes a data key with the next number after the stored ones.
public typealias DataKeyMaker = @Sendable (_ stored: [KeyRingEntry]) throws(SealingError) -> KeyRingEntry

/// Seals the stored data keys, all of them and in their order, under another master key.
public typealias KeyRingRewrapper = @Sendable (_ stored: [KeyRingEntry]) throws(SealingError) -> [KeyRingEntry]

/// The places of the store's values, in whatever engine: what is sealed in one opens in another.
extension SealContext {
    public static func grant(of identity: IdentityID) -> SealContext {
        SealContext(table: "grants", column: "tokens", row: identity.rawValue)
    }

    public static func idToken(of session: SessionID) -> SealContext {
        SealContext(table: "kept_id_tokens", column: "token", row: session.bytes)
    }

    public static func tokens(of ticket: TokenHash) -> SealContext {
        SealContext(table: "tickets", column: "tokens", row: ticket.bytes)
    }

    public static func outbox(_ number: Int64) -> SealContext {
        SealContext(table: "outbox", column: "content", row: number)
    }

    public static func profile(of user: UserID) -> SealContext {
        SealContext(table: "users", column: "profile", row: user.rawValue)
    }

    public static func profile(of ticket: TokenHash) -> SealContext {
        SealContext(table: "tickets", column: "profile", row: ticket.bytes)
    }

    /// Anyone who can write into the database can't make a key sign what it is not for.
    public static func signingKey(_ kid: String, _ purpose: SigningKeyEntry.Purpose) -> SealContext {
        // The keys of sessions were there before there were any others. No kid has a colon.
        let row = purpose == .session ? kid : "\(purpose.rawValue):\(kid)"
        return SealContext(table: "signing_keys", column: "private_key", row: Array(row.utf8))
    }

    public static func secretKey(_ number: Int64, _ purpose: SecretKey.Purpose) -> SealContext {
        SealContext(table: "secret_keys", column: "sealed_key", row: Array("\(purpose.rawValue):\(number)".utf8))
    }

    public static let proof = SealContext(table: "meta", column: "value", row: Array("seal_proof".utf8))
}
