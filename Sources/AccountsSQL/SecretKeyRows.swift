public import Accounts
import Synchronization

/// The symmetric keys that the service keeps to itself.
package struct SecretKeyRows {
    private static let find = Query("SELECT number, purpose, sealed_key, created FROM secret_keys ORDER BY number DESC")
    // The number is part of what the key is sealed with, so the row comes first.
    private static let add = Query(
        "INSERT INTO secret_keys (purpose, sealed_key, created) VALUES (?, ?, ?) RETURNING number")
    private static let seal = Query("UPDATE secret_keys SET sealed_key = ? WHERE number = ?")
    private static let forgetPurpose = Query("DELETE FROM secret_keys WHERE purpose = ?")
    private static let isThere = Query("SELECT 1 FROM secret_keys WHERE purpose = ? LIMIT 1")
    private static let forget = Query(
        """
        DELETE FROM secret_keys WHERE purpose = ?1
            AND number < (SELECT max(number) FROM secret_keys WHERE purpose = ?1 AND created <= ?2)
        """)

    private static let forgetUpTo = Query("DELETE FROM secret_keys WHERE purpose = ? AND number <= ?")
    private static let newestNumber = Query("SELECT max(number) FROM secret_keys WHERE purpose = ?")
    private static let ofPurpose = Query(
        "SELECT number, sealed_key FROM secret_keys WHERE purpose = ? ORDER BY number DESC")

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    /// The keys of one purpose, the newest first.
    package func keys(for purpose: SecretKey.Purpose, _ sealer: StoreSealer) throws(RepositoryError) -> [[UInt8]] {
        try connection.all(Self.ofPurpose, purpose.rawValue) { row throws(RepositoryError) in
            try sealer.opening(row.blob(1), .secretKey(row.integer(0), purpose), connection)
        }
    }

    package func newestNumber(for purpose: SecretKey.Purpose) throws(RepositoryError) -> Int64? {
        try connection.first(Self.newestNumber, purpose.rawValue) { $0.optionalInteger(0) } ?? nil
    }

    package func all(_ sealer: StoreSealer) throws(RepositoryError) -> [SecretKey] {
        try connection.all(Self.find) { row throws(RepositoryError) in
            guard let purpose = SecretKey.Purpose(rawValue: row.text(1)) else { throw .unavailable(.corrupt) }
            let number = row.integer(0)
            return SecretKey(
                purpose: purpose, number: number,
                bytes: try sealer.opening(row.blob(2), .secretKey(number, purpose), connection),
                createdAt: row.integer(3))
        }
    }

    package func make(_ purpose: SecretKey.Purpose, _ sealer: StoreSealer, now: Int64) throws(RepositoryError) {
        // The standard library's generator is the kernel's (getrandom).
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<SecretKey.byteCount).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        guard let number = try connection.first(Self.add, purpose.rawValue, [UInt8](), now, read: { $0.integer(0) })
        else { throw .unavailable(.corrupt) }
        try connection.run(Self.seal, try sealer.sealing(bytes, .secretKey(number, purpose)), number)
    }

    package func makeMissing(_ sealer: StoreSealer, now: Int64) throws(RepositoryError) {
        for purpose in SecretKey.Purpose.allCases {
            if try connection.first(Self.isThere, purpose.rawValue, read: { _ in true }) == nil {
                try make(purpose, sealer, now: now)
            }
        }
    }

    /// Makes the key of every purpose anew, but that of the ledger, whose records older backups need, and that of
    /// names, which nobody could hash anew. All others are erased but those of refresh tokens, which users would be
    /// signed out without.
    package func renewAll(_ sealer: StoreSealer, now: Int64) throws(RepositoryError) {
        for purpose in SecretKey.Purpose.allCases where purpose != .ledger && purpose != .directory {
            if purpose != .refresh { try connection.run(Self.forgetPurpose, purpose.rawValue) }
            try make(purpose, sealer, now: now)
        }
    }

    /// Makes the key of a purpose anew, and erases all others of it.
    package func replace(_ purpose: SecretKey.Purpose, _ sealer: StoreSealer, now: Int64) throws(RepositoryError) {
        try connection.run(Self.forgetPurpose, purpose.rawValue)
        try make(purpose, sealer, now: now)
    }

    /// Erases the keys of a purpose up to a number.
    package func forget(_ purpose: SecretKey.Purpose, upTo number: Int64) throws(RepositoryError) {
        try connection.run(Self.forgetUpTo, purpose.rawValue, number)
    }

    /// Erases the keys in whose place a newer one has been since that time.
    package func forget(_ purpose: SecretKey.Purpose, replacedBefore time: Int64) throws(RepositoryError) {
        try connection.run(Self.forget, purpose.rawValue, time)
    }
}

extension SecretKeyCache {
    /// Hashes a name or an address of strangers, so that a thief of the database without its keys can't try any.
    ///
    /// - Parameter kind: what it is, so that nothing is taken for another thing.
    func strangerHash(
        of kind: String, _ bytes: [UInt8], _ sealer: StoreSealer
    ) throws(RepositoryError) -> [UInt8] {
        guard let key = all.first(where: { $0.purpose == .directory }) else { throw .unavailable(.brokenSeal) }
        return try sealer.current.authenticationCode(of: Array("\(kind):".utf8) + bytes, under: key.bytes)
    }
}

/// The secret keys of one open store, the newest first.
public final class SecretKeyCache: Sendable {
    private let keys = Mutex<[SecretKey]>([])

    public init() {}

    public var all: [SecretKey] { keys.withLock(\.self) }

    /// - Returns: whether they are others than before.
    @discardableResult
    public func use(_ renewed: [SecretKey]) -> Bool {
        keys.withLock { keys in
            guard keys != renewed else { return false }
            keys = renewed
            return true
        }
    }
}

extension SQLStore {
    public func secretKeys(for purpose: SecretKey.Purpose) async throws(RepositoryError) -> [SecretKey] {
        knownSecretKeys.all.filter { $0.purpose == purpose }
    }

    public func reloadSecretKeys() async throws(RepositoryError) -> Bool {
        try await read { [sealer, knownSecretKeys] connection throws(RepositoryError) in
            knownSecretKeys.use(try SecretKeyRows(connection: connection).all(sealer))
        }
    }

    public func rotateSecretKey(
        for purpose: SecretKey.Purpose, keepingSeconds: Int64, now: Int64
    ) async throws(RepositoryError) {
        try await write { [sealer] connection throws(RepositoryError) in
            let rows = SecretKeyRows(connection: connection)
            try rows.forget(purpose, replacedBefore: now - keepingSeconds)
            try rows.make(purpose, sealer, now: now)
            try AuditTrail(connection: connection, now: now)
                .addOperators(.keyRotated, fields: [purpose.rawValue])
        }
        _ = try await reloadSecretKeys()
    }
}
