public import Accounts
import Synchronization

/// Erasing a user.
///
/// `secure_delete` overwrites the rows in the database itself. The log still has the pages as they were, until it is
/// copied back and started over; ``SQLiteAccounts/scrub()`` does that, and the next sweep does it by itself.
struct Erasure {
    // Retired tokens of sessions that were revoked before name no session any more; their expiry removes them.
    private static let tokens = Query(
        "DELETE FROM retired_refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE user_id = ?)")
    private static let tickets = Query(
        """
        DELETE FROM tickets WHERE (subject, issuer) IN (SELECT subject, issuer FROM identities WHERE user_id = ?)
        """)
    // Identities, sessions and receipts refer to the user and go with it.
    private static let user = Query("DELETE FROM users WHERE id = ?")
    private static let count = Query("UPDATE meta SET value = value + 1 WHERE name = 'erased_users'")
    fileprivate static let truncateLog = Query("PRAGMA wal_checkpoint(TRUNCATE)")

    let connection: Connection
    let now: Int64

    /// - Returns: whether there was one.
    func erase(_ user: UserID) throws(RepositoryError) -> Bool {
        try connection.run(Self.tokens, user)
        try connection.run(Self.tickets, user)
        try connection.run(Self.user, user)
        guard connection.changes > 0 else { return false }
        try connection.run(Self.count)
        try AuditTrail(connection: connection, now: now).add(.userErased, user: user)
        return true
    }
}

extension SQLiteAccounts {
    public func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool {
        let isErased = try await writer.write { connection throws(RepositoryError) in
            try Erasure(connection: connection, now: now).erase(user)
        }
        if isErased { hasRemains.store(true, ordering: .relaxed) }
        return isErased
    }

    public func erase(
        under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in
            let user = try SensitiveSession(connection: connection, now: now).check(session, demands: demands).get()
                .user
            _ = try Erasure(connection: connection, now: now).erase(user)
        }
        hasRemains.store(true, ordering: .relaxed)
    }

    /// On a connection of its own: a checkpoint can't run inside a transaction, and the writer has one most of the time.
    public func scrub() async throws(RepositoryError) -> Bool {
        let settings = settings
        let isClean = try await aside("gatehouse.store.scrub") { () throws(RepositoryError) in
            try Connection.writer(settings)
        } body: { connection throws(RepositoryError) in
            // The first column tells whether somebody was in the way.
            try connection.first(Erasure.truncateLog) { $0.integer(0) == 0 } ?? false
        }
        if isClean { hasRemains.store(false, ordering: .relaxed) }
        return isClean
    }
}
