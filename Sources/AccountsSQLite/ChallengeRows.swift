public import Accounts

/// The challenges that were used, each until it would be refused for its age.
struct ChallengeRows {
    private static let insert = Query(
        "INSERT INTO used_challenges (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING")
    private static let find = Query("SELECT 1 FROM used_challenges WHERE hash = ? AND expires > ?")

    let connection: Connection

    /// - Returns: false when it was used before.
    func consume(_ challenge: OneTimeUse) throws(RepositoryError) -> Bool {
        try connection.run(Self.insert, challenge.hash, challenge.expiresAt)
        return connection.changes == 1
    }

    func isUsed(_ hash: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

extension SQLiteAccounts {
    public func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await readers.read { connection throws(RepositoryError) in
            try ChallengeRows(connection: connection).isUsed(hash, now: now)
        }
    }

}
