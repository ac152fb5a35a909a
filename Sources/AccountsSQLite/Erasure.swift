public import Accounts
import Synchronization

/// Erasing a user.
///
/// `secure_delete` overwrites the rows in the database itself. The log still has the pages as they were until it is
/// emptied, which an ``ErasureMark`` has done soon after by whoever keeps the log (``LogKeeper``).
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

    let connection: Connection
    let sealer: StoreSealer
    let now: Int64

    /// - Returns: whether there was one.
    func erase(_ user: UserID) throws(RepositoryError) -> Bool {
        guard try remove(user) else { return false }
        try LedgerRows(connection: connection, sealer: sealer, now: now).add(.userErased(user))
        return true
    }

    /// The same without a record in the ledger.
    func remove(_ user: UserID) throws(RepositoryError) -> Bool {
        try SessionEnd(connection: connection, sealer: sealer, now: now).tellAll(of: user)
        try GrantRows(connection: connection, sealer: sealer, now: now).revokeAll(of: user)
        try connection.run(Self.tokens, user)
        try connection.run(Self.tickets, user)
        try connection.run(Self.user, user)
        guard connection.changes > 0 else { return false }
        try connection.run(Self.count)
        try ErasureMark(connection: connection).set()
        try AuditTrail(connection: connection, now: now).add(.userErased, user: user)
        return true
    }
}

extension SQLiteAccounts {
    public func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool {
        try await writer.write(
            { [sealer] connection throws(RepositoryError) in
                try Erasure(connection: connection, sealer: sealer, now: now).erase(user)
            },
            settled: { [log = writer.log] in if $0 == true { log.hasRemains.store(true, ordering: .relaxed) } })
    }

    public func erase(
        under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> ErasureOutcome {
        try await writer.write(
            { [sealer] connection throws(RepositoryError) in
                switch try SensitiveSession(connection: connection, now: now).check(session, demands: demands) {
                case .refused(let refusal): return .refused(refusal)
                case .allowed(let session):
                    _ = try Erasure(connection: connection, sealer: sealer, now: now).erase(session.user)
                    return .erased
                }
            },
            settled: { [log = writer.log] in if $0 == .erased { log.hasRemains.store(true, ordering: .relaxed) } })
    }

    public func scrub() async throws(RepositoryError) -> Bool {
        let log = writer.log
        let isMarked = try await writer.write { connection throws(RepositoryError) in
            guard try ErasureMark(connection: connection).renew() else { return false }
            log.hasRemains.store(true, ordering: .relaxed)
            log.hurry()
            return true
        }
        guard isMarked else { return true }
        // The log is looked after before whatever comes after the write.
        return try await writer.between { _ in !log.hasRemains.load(ordering: .relaxed) }
    }
}

/// Says that the log may still have pages of somebody who was erased. It is set in the transaction that erases, so a crash
/// forgets nothing; older versions pass over it.
struct ErasureMark {
    private static let set = Query(
        """
        INSERT INTO meta (name, value) VALUES ('erasure_in_log', 1) ON CONFLICT DO UPDATE SET value = value + 1
        """)
    private static let find = Query("SELECT value FROM meta WHERE name = 'erasure_in_log'")
    private static let renew = Query("UPDATE meta SET value = value + 1 WHERE name = 'erasure_in_log'")
    private static let clear = Query("DELETE FROM meta WHERE name = 'erasure_in_log' AND value = ?")

    let connection: Connection

    func set() throws(RepositoryError) { try connection.run(Self.set) }

    /// How often it was set and renewed; nil when it is not set.
    func count() throws(RepositoryError) -> Int64? { try connection.first(Self.find) { $0.integer(0) } }

    /// Changes it, for the sake of the write: SQLite writes no page on which everything stays as it is.
    ///
    /// - Returns: whether it is set.
    func renew() throws(RepositoryError) -> Bool {
        try connection.run(Self.renew)
        return connection.changes > 0
    }

    /// Takes it away, unless somebody was erased meanwhile.
    ///
    /// - Returns: whether it is gone.
    func clear(_ count: Int64) throws(RepositoryError) -> Bool {
        try connection.run(Self.clear, count)
        return connection.changes > 0
    }
}
