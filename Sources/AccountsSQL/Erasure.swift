public import Accounts

/// Erasing a user. That nothing is left of their rows' bytes is the engine's concern (``Connection/noteErasure()``).
package struct Erasure {
    // Of tables whose rows refer to nothing; not every engine has sessions refer to their user either. What belongs to
    // a session is found by it, so sessions come last.
    private static let bound = Table.all.compactMap { table in
        switch table.bond {
        case .session(let column)?:
            Query("DELETE FROM \(table.name) WHERE \(column) IN (SELECT id FROM sessions WHERE user_id = ?)")
        case .subject(let subject, let issuer)?:
            Query(
                """
                DELETE FROM \(table.name) WHERE (\(subject), \(issuer)) IN
                    (SELECT subject, issuer FROM identities WHERE user_id = ?)
                """)
        case .user?, nil: nil
        }
    }
    private static let users = Table.all.compactMap { table in
        if case .user(let column)? = table.bond { Query("DELETE FROM \(table.name) WHERE \(column) = ?") } else { nil }
    }
    // All other rows refer to the user, or to what does, and go with it.
    private static let user = Query("DELETE FROM users WHERE id = ?")
    private static let count = Query("UPDATE meta SET value = value + 1 WHERE name = 'erased_users'")

    package let connection: any StoreConnection
    package let sealer: StoreSealer
    /// What is under way for the user's subjects is over, too.
    package let line: NotBefore
    package let now: Int64

    package init(connection: any StoreConnection, sealer: StoreSealer, line: NotBefore, now: Int64) {
        (self.connection, self.sealer, self.line, self.now) = (connection, sealer, line, now)
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
        try barSubjects(of: user)
        try Self.removeBound(of: user, connection)
        guard try Self.removeUser(user, connection) else { return false }
        try AuditTrail(connection: connection, now: now).add(.userErased, user: user)
        return true
    }

    /// Sessions and tickets.
    static func removeBound(of user: UserID, _ connection: any StoreConnection) throws(RepositoryError) {
        for query in bound + users { try connection.run(query, user) }
    }

    /// The user's row, and all that refers to it.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    static func removeUser(_ user: UserID, _ connection: any StoreConnection) throws(RepositoryError) -> Bool {
        try connection.run(Self.user, user)
        guard connection.changes > 0 else { return false }
        try connection.run(count)
        try connection.noteErasure()
        return true
    }

    /// Of each subject a hash stays for a while, and longer where it is locked: else an erasure would be the way out of
    /// a lock.
    private func barSubjects(of user: UserID) throws(RepositoryError) {
        let lines = NotBeforeRows(connection: connection, sealer: sealer, now: now)
        let locks = LockRows(connection: connection, now: now)
        let ofUser = try locks.find(user)
        for identity in try IdentityRows(connection: connection).all(of: user) {
            // One that was drawn while the erasure waited is later than its own.
            try lines.draw(line.joined(try lines.line(of: identity.id)), for: identity.subject)
            let held = [ofUser, try locks.find(user, identity.id)].compactMap(\.self).filter { $0.holds(now: now) }
            if held.isEmpty { continue }
            let ends = held.compactMap(\.until)
            try lines.lock(identity.subject, of: user, until: ends.count == held.count ? ends.max() : nil)
        }
    }
}

extension SQLStore {
    public func erase(_ user: UserID, line: NotBefore, now: Int64) async throws(RepositoryError) -> Bool {
        try await write(
            of: .user(user),
            { [sealer] connection throws(RepositoryError) in
                try Erasure(connection: connection, sealer: sealer, line: line, now: now).erase(user)
            },
            settled: { if $0 == true { self.noteErasure() } })
    }

    public func erase(
        under session: SessionID, demands: SensitiveDemands, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> ErasureOutcome {
        try await write(
            of: .session(session),
            { [sealer] connection throws(RepositoryError) in
                let sensitive = SensitiveSession(connection: connection, now: now)
                switch try sensitive.check(session, .erase, demands: demands) {
                case .refused(let refusal): return .refused(refusal)
                case .allowed(let session):
                    _ = try Erasure(connection: connection, sealer: sealer, line: line, now: now)
                        .erase(session.user)
                    return .erased
                }
            },
            settled: { if $0 == .erased { self.noteErasure() } })
    }
}
