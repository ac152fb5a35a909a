public import Accounts

/// What is of no use any more, but for sessions, which each engine finds in its own way.
package struct ExpiredRows {
    // Each finds its rows by an index on the expiry, and no step takes long. Sessions have none: ``SessionSweep``.
    private static let expired = [
        Query(
            """
            DELETE FROM used_codes WHERE (expires, hash) IN
                (SELECT expires, hash FROM used_codes WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM used_port_tokens WHERE hash IN
                (SELECT hash FROM used_port_tokens WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM used_challenges WHERE hash IN
                (SELECT hash FROM used_challenges WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM retired_refresh_tokens WHERE (session_id, hash) IN
                (SELECT session_id, hash FROM retired_refresh_tokens WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM failed_sign_ins WHERE id IN
                (SELECT id FROM failed_sign_ins WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM tickets WHERE hash IN (SELECT hash FROM tickets WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM pending_sign_ins WHERE number IN
                (SELECT number FROM pending_sign_ins WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM app_codes WHERE hash IN
                (SELECT hash FROM app_codes WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM pushes WHERE number IN
                (SELECT number FROM pushes WHERE forgotten <= ? ORDER BY forgotten LIMIT ?)
            """),
    ]

    package let connection: any Connection

    package init(connection: any Connection) {
        self.connection = connection
    }

    /// - Returns: how many went, `limit` at most.
    package func remove(now: Int64, limit: Int) throws(RepositoryError) -> Int {
        var removed = 0
        for query in Self.expired where removed < limit {
            try connection.run(query, now, Int64(limit - removed))
            removed += connection.changes
        }
        return removed
    }
}

/// A small durable write, which succeeds where a sign-in would.
struct Probe {
    private static let set = Query(
        "INSERT INTO meta (name, value) VALUES ('probed', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1")

    let connection: any Connection

    func set(now: Int64) throws(RepositoryError) { try connection.run(Self.set, now) }
}

extension SQLStore {
    public func probe(now: Int64) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in try Probe(connection: connection).set(now: now) }
    }
}
