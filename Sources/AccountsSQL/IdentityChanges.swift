public import Accounts

/// Taking an identity from its user, and giving it to another.
struct IdentityChanges {
    // One conditional statement: of two identities unlinked at once one stays.
    private static let delete = Query(
        """
        DELETE FROM identities WHERE id = ?1 AND user_id = ?2
            AND EXISTS (SELECT 1 FROM identities AS other WHERE other.user_id = ?2 AND other.id <> ?1)
        RETURNING provider
        """)

    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    private var users: UserRows { UserRows(connection: connection, sealer: sealer) }
    private var identities: IdentityRows { IdentityRows(connection: connection) }
    private var sessions: SessionRows { SessionRows(connection: connection) }
    private var audit: AuditTrail { AuditTrail(connection: connection, now: now) }
    private var grants: GrantRows { GrantRows(connection: connection, sealer: sealer, now: now) }
    private var lines: NotBeforeRows { NotBeforeRows(connection: connection, sealer: sealer, now: now) }
    private var ledger: LedgerRows { LedgerRows(connection: connection, sealer: sealer, now: now) }

    func unlink(
        _ identity: IdentityID, under session: SessionID, _ demands: SensitiveDemands, _ line: NotBefore
    ) throws(RepositoryError) -> UnlinkOutcome {
        let user: UserID
        switch try check(session, unlinking: identity, demands) {
        case .allowed(let session): user = session.user
        case .refused(let refusal): return .refused(refusal)
        }
        return try unlink(identity, of: user, line)
    }

    /// Takes an identity from a user by an operator's word.
    func unlink(
        _ identity: IdentityID, of user: UserID, _ line: NotBefore
    ) throws(RepositoryError) -> UnlinkOutcome {
        let subject = try identities.find(identity, of: user)?.subject
        // One that was drawn while this waited is later than its own.
        let line = line.joined(try lines.line(of: identity))
        let grant = try grants.find(identity, of: user)
        guard let provider = try connection.first(Self.delete, identity, user, read: { $0.text(0) }) else {
            return try identities.find(identity, of: user) == nil ? .notFound : .lastIdentity
        }
        if let grant { try grants.revoke(grant) }
        if let subject { try lines.draw(line, for: subject) }
        try LockRows(connection: connection, now: now).remove(from: user, identity)
        try sessions.deleteAll(of: user, identity: identity, provider: provider, now: now)
        try audit.add(.identityUnlinked, user: user, old: identity)
        try ledger.add(.identityUnlinked(identity, of: user))
        try users.forgetUnlinked(provider, of: user, now: now)
        return .unlinked
    }

    private func check(
        _ session: SessionID, unlinking identity: IdentityID, _ demands: SensitiveDemands
    ) throws(RepositoryError) -> SensitiveSession.Outcome {
        let isItself = try sessions.find(session, now: now)?.identity == identity
        return try SensitiveSession(connection: connection, now: now)
            .check(session, isItself ? .unlinkItself : .unlink, demands: demands)
    }

    func repoint(
        _ subject: Subject, provider: String, to user: UserID, _ line: NotBefore
    ) throws(RepositoryError) -> RepointOutcome {
        guard try UserRows.exists(user, connection) else { return .noSuchUser }
        let found = try identities.find(subject)?.known
        guard found?.user != user else { return .alreadyThere }
        let former = try found.map { found throws(RepositoryError) in try lines.line(of: found.identity) } ?? .none
        if let found, let provider = try identities.find(found.identity, of: found.user)?.provider {
            try grants.revoke(found.identity, of: found.user)
            // A row of its own at the new user, so that the trail tells the two apart by their numbers.
            try identities.delete(found.identity)
            try lines.draw(line, for: found.user)
            try sessions.deleteAll(of: found.user)
            try LockRows(connection: connection, now: now).remove(from: found.user, found.identity)
            try audit.add(.identityUnlinked, user: found.user, old: found.identity)
            try ledger.add(.identityMoved(found.identity, from: found.user))
            try users.forgetUnlinked(provider, of: found.user, now: now)
        }
        let id = try identities.insert(subject, user: user, provider: provider, origin: .link, now: now)
        try lines.carry(from: subject, to: id)
        try lines.draw(line.joined(former), for: id)
        try LockRows(connection: connection, now: now).carry(to: user)
        try audit.add(.identityRepointed, user: user, old: found?.identity, new: id)
        guard let identity = try identities.find(id, of: user) else { throw .unavailable(.corrupt) }
        guard let found else { return .linked(identity) }
        return .moved(identity, from: found.user, identitiesLeft: try identities.all(of: found.user).count)
    }
}

extension SQLStore {
    public func unlink(
        _ identity: IdentityID, under session: SessionID, demands: SensitiveDemands, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome {
        try await write(of: .session(session)) { [sealer] connection throws(RepositoryError) in
            try IdentityChanges(connection: connection, sealer: sealer, now: now).unlink(
                identity, under: session, demands, line)
        }
    }

    public func unlink(
        _ identity: IdentityID, of user: UserID, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome {
        try await write(of: .user(user)) { [sealer] connection throws(RepositoryError) in
            try IdentityChanges(connection: connection, sealer: sealer, now: now).unlink(identity, of: user, line)
        }
    }

    public func repoint(
        _ subject: Subject, provider: String, to user: UserID, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> RepointOutcome {
        try await write(of: .subject(subject)) { [sealer] connection throws(RepositoryError) in
            try IdentityChanges(connection: connection, sealer: sealer, now: now).repoint(
                subject, provider: provider, to: user, line)
        }
    }
}
