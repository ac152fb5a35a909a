public import Accounts
public import AccountsSQL

/// The authorization codes that were used, each until it would be refused for its age.
struct UsedCodeRows {
    // One whose time is over long enough is as good as swept.
    private static let insert = Query(
        """
        INSERT INTO used_codes (hash, expires) VALUES (?1, ?2)
        ON CONFLICT (hash) DO UPDATE SET expires = ?2 WHERE used_codes.expires <= ?3
        """)
    /// For how long a code is remembered beyond its time, in seconds: clocks differ.
    private static let graceSeconds: Int64 = 300
    private static let find = Query("SELECT 1 FROM used_codes WHERE hash = ? AND expires > ?")

    let connection: Connection

    /// - Returns: false when it was used before.
    func consume(_ code: OneTimeUse, now: Int64) throws(RepositoryError) -> Bool {
        try connection.run(Self.insert, code.hash, code.expiresAt, now - Self.graceSeconds)
        return connection.changes == 1
    }

    func isUsed(_ hash: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now - Self.graceSeconds) { _ in true } ?? false
    }
}

extension PostgresAccounts {
    public func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await read { connection throws(RepositoryError) in
            try UsedCodeRows(connection: connection).isUsed(hash, now: now)
        }
    }

    public func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError) {
        // Where somebody else has recorded it, that is as good.
        _ = try await write { connection throws(RepositoryError) in
            try UsedCodeRows(connection: connection).consume(code, now: now)
        } settled: { _ in
        }
    }

    public func write<Outcome: Refusable>(
        consuming code: OneTimeUse, _ challenge: OneTimeUse?, now: Int64,
        _ body: @escaping @Sendable (Connection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome {
        try await write { connection throws(RepositoryError) in
            guard try UsedCodeRows(connection: connection).consume(code, now: now) else {
                return .refused(.codeAlreadyUsed)
            }
            if let challenge, try !ChallengeRows(connection: connection).consume(challenge) {
                return .refused(.challengeAlreadyUsed)
            }
            return try body(connection)
        } settled: { _ in
        }
    }
}
