public import Accounts
import Postgres

/// The symmetric keys that the service keeps to itself.
struct SecretKeyRows {
    private static let find = Statement(
        "SELECT number, purpose, sealed_key, created FROM secret_keys ORDER BY number DESC")
    // The number is part of what the key is sealed with, so the row comes first.
    private static let add = Statement(
        "INSERT INTO secret_keys (purpose, sealed_key, created) VALUES ($1, '', $2) RETURNING number")
    private static let seal = Statement("UPDATE secret_keys SET sealed_key = $1 WHERE number = $2")
    private static let isThere = Statement("SELECT 1 FROM secret_keys WHERE purpose = $1 LIMIT 1")

    private static let forget = Statement(
        """
        DELETE FROM secret_keys WHERE purpose = $1
            AND number < (SELECT max(number) FROM secret_keys WHERE purpose = $1 AND created <= $2)
        """)

    let work: Work

    func all() async throws(RepositoryError) -> [SecretKey] {
        var keys: [SecretKey] = []
        for row in try await work.all(Self.find) {
            guard let purpose = SecretKey.Purpose(rawValue: try row.text(1)) else { throw .unavailable(.corrupt) }
            let number = try row.integer(0)
            keys.append(
                SecretKey(
                    purpose: purpose, number: number,
                    bytes: try await work.open(try row.bytes(2), .secretKey(number, purpose)),
                    createdAt: try row.integer(3)))
        }
        return keys
    }

    func make(_ purpose: SecretKey.Purpose, now: Int64) async throws(RepositoryError) {
        // The standard library's generator is the kernel's (getrandom).
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<SecretKey.byteCount).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        guard let number = try await work.first(Self.add, purpose.rawValue, now)?.integer(0) else {
            throw .unavailable(.corrupt)
        }
        try await work.run(Self.seal, try await work.seal(bytes, .secretKey(number, purpose)), number)
    }

    func makeMissing(now: Int64) async throws(RepositoryError) {
        for purpose in SecretKey.Purpose.allCases where try await !work.any(Self.isThere, purpose.rawValue) {
            try await make(purpose, now: now)
        }
    }

    /// Erases the keys in whose place a newer one has been since that time.
    func forget(_ purpose: SecretKey.Purpose, replacedBefore time: Int64) async throws(RepositoryError) {
        try await work.run(Self.forget, purpose.rawValue, time)
    }
}

extension PostgresAccounts: SecretKeyRepository {
    public func secretKeys(for purpose: SecretKey.Purpose) async throws(RepositoryError) -> [SecretKey] {
        secretKeys.all.filter { $0.purpose == purpose }
    }

    public func reloadSecretKeys() async throws(RepositoryError) -> Bool {
        secretKeys.use(try await SecretKeyRows(work: Work(self)).all())
    }

    public func rotateSecretKey(
        for purpose: SecretKey.Purpose, keepingSeconds: Int64, now: Int64
    ) async throws(RepositoryError) {
        try await transact { work throws(RepositoryError) in
            let rows = SecretKeyRows(work: work)
            try await rows.forget(purpose, replacedBefore: now - keepingSeconds)
            try await rows.make(purpose, now: now)
        }
        _ = try await reloadSecretKeys()
    }
}
