public import Accounts

/// Erasing a user. That nothing is left of his rows' bytes is the engine's concern (``Connection/noteErasure()``).
package struct Erasure {
    // Retired tokens of sessions that were revoked before name no session any more; their expiry removes them.
    private static let tokens = Query(
        "DELETE FROM retired_refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE user_id = ?)")
    private static let tickets = Query(
        """
        DELETE FROM tickets WHERE (subject, issuer) IN (SELECT subject, issuer FROM identities WHERE user_id = ?)
        """)
    // Where they refer to the user they go with it; not every engine has them do so, for that costs each sign-in
    // something.
    private static let sessions = Query("DELETE FROM sessions WHERE user_id = ?")
    // Identities and receipts refer to the user and go with it.
    private static let user = Query("DELETE FROM users WHERE id = ?")
    private static let count = Query("UPDATE meta SET value = value + 1 WHERE name = 'erased_users'")

    package let connection: any Connection
    package let sealer: StoreSealer
    package let now: Int64

    package init(connection: any Connection, sealer: StoreSealer, now: Int64) {
        self.connection = connection
        self.sealer = sealer
        self.now = now
    }

    /// - Returns: whether there was one.
    package func erase(_ user: UserID) throws(RepositoryError) -> Bool {
        guard try remove(user) else { return false }
        try LedgerRows(connection: connection, sealer: sealer, now: now).add(.userErased(user))
        return true
    }

    /// The same without a record in the ledger.
    package func remove(_ user: UserID) throws(RepositoryError) -> Bool {
        try SessionEnd(connection: connection, sealer: sealer, now: now).tellAll(of: user)
        try GrantRows(connection: connection, sealer: sealer, now: now).revokeAll(of: user)
        try connection.run(Self.tokens, user)
        try connection.run(Self.tickets, user)
        try connection.run(Self.sessions, user)
        try connection.run(Self.user, user)
        guard connection.changes > 0 else { return false }
        try connection.run(Self.count)
        try connection.noteErasure()
        try AuditTrail(connection: connection, now: now).add(.userErased, user: user)
        return true
    }
}

extension SQLStore {
    public func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool {
        try await write(
            { [sealer] connection throws(RepositoryError) in
                try Erasure(connection: connection, sealer: sealer, now: now).erase(user)
            },
            settled: { if $0 == true { self.noteErasure() } })
    }

    public func erase(
        under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> ErasureOutcome {
        try await write(
            { [sealer] connection throws(RepositoryError) in
                switch try SensitiveSession(connection: connection, now: now).check(session, demands: demands) {
                case .refused(let refusal): return .refused(refusal)
                case .allowed(let session):
                    _ = try Erasure(connection: connection, sealer: sealer, now: now).erase(session.user)
                    return .erased
                }
            },
            settled: { if $0 == .erased { self.noteErasure() } })
    }
}
