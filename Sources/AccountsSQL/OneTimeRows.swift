public import Accounts

/// The port tokens that moved somebody, each until it would be refused for its age.
struct PortTokenRows {
    private static let insert = Query(
        """
        INSERT INTO used_port_tokens (hash, expires) VALUES (?1, ?2)
        ON CONFLICT (hash) DO UPDATE SET expires = ?2 WHERE used_port_tokens.expires < ?2
        """)
    private static let find = Query("SELECT 1 FROM used_port_tokens WHERE hash = ? AND expires > ?")

    let connection: any StoreConnection
    let now: Int64

    func insert(_ token: OneTimeUse) throws(RepositoryError) {
        try connection.run(Self.insert, token.hash, token.expiresAt)
    }

    func isUsed(_ hash: TokenHash) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

/// The challenges that were used, each until it would be refused for its age.
package struct ChallengeRows {
    private static let insert = Query(
        "INSERT INTO used_challenges (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING")
    private static let find = Query("SELECT 1 FROM used_challenges WHERE hash = ? AND expires > ?")

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    /// - Returns: false when it was used before.
    package func consume(_ challenge: OneTimeUse) throws(RepositoryError) -> Bool {
        try connection.run(Self.insert, challenge.hash, challenge.expiresAt)
        return connection.changes == 1
    }

    package func isUsed(_ hash: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

extension SQLStore {
    public func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await read { connection throws(RepositoryError) in
            try ChallengeRows(connection: connection).isUsed(hash, now: now)
        }
    }

}
