public import Accounts

/// Two accounts become one: the identities of one move to the other with their numbers, and with them what belongs to
/// an identity; of what belongs to the user each table says what becomes of it (``Table/Merged``).
///
/// Nothing is left of the account that goes but its rows in the audit trail.
package struct MergeTransaction {
    private static let moves = Table.all.compactMap(\.moving)
    private static let isLocked = Query(
        "SELECT 1 FROM locks WHERE user_id IN (?, ?) AND (until IS NULL OR until > ?) LIMIT 1")
    private static let bothInDirectory = Query(
        """
        SELECT 1 FROM directory_users AS one JOIN directory_users AS other ON other.provider = one.provider
        WHERE one.user_id = ? AND other.user_id = ? LIMIT 1
        """)
    // How many sessions each may open is counted anew, among those of its new user.
    private static let moveIdentities = Query(
        """
        UPDATE identities SET user_id = ?1, origin = ?3, linked = ?4, room = 0, exchange_room = 0 WHERE user_id = ?2
        RETURNING id
        """)
    private static let moveDirectoryUser = Query("UPDATE directory_users SET user_id = ?1 WHERE user_id = ?2")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let tables: StoreTables
    let line: NotBefore
    let now: Int64

    package init(
        connection: any StoreConnection, sealer: StoreSealer, tables: StoreTables, line: NotBefore, now: Int64
    ) {
        (self.connection, self.sealer, self.tables, self.line, self.now) = (connection, sealer, tables, line, now)
    }

    private var users: UserRows { UserRows(connection: connection, sealer: sealer) }
    private var locks: LockRows { LockRows(connection: connection, now: now) }
    private var lines: NotBeforeRows { NotBeforeRows(connection: connection, sealer: sealer, now: now) }
    private var audit: AuditTrail { AuditTrail(connection: connection, now: now) }

    func run(_ authority: MergeRecord.Authority) throws(RepositoryError) -> MergeOutcome {
        let kept: UserID
        let absorbed: UserID
        switch authority {
        case .operator(let first, let second): (kept, absorbed) = (first, second)
        case .users(let first, let second):
            var users: [UserID] = []
            for proof in [first, second] {
                switch try SensitiveSession(connection: connection, now: now)
                    .check(proof.session, .merge, demands: proof.demands)
                {
                case .allowed(let session): users.append(session.user)
                case .refused(let refusal): return .refused(refusal)
                }
            }
            (kept, absorbed) = (users[0], users[1])
        }
        if kept == absorbed { return .sameUser }
        if try connection.first(Self.isLocked, kept, absorbed, now, read: { _ in true }) != nil {
            return .refused(.locked)
        }
        let outcome = try join(absorbed, to: kept)
        if case .merged = outcome {
            try LedgerRows(connection: connection, sealer: sealer, now: now).add(.usersMerged(absorbed, into: kept))
        }
        return outcome
    }

    /// The same by nobody's leave, and without a record in the ledger. A lock that holds is carried along.
    package func join(_ absorbed: UserID, to kept: UserID) throws(RepositoryError) -> MergeOutcome {
        guard let staying = try users.find(kept) else { return .noSuchUser(kept) }
        guard let going = try users.find(absorbed) else { return .noSuchUser(absorbed) }
        if try connection.first(Self.bothInDirectory, kept, absorbed, read: { _ in true }) != nil {
            return .bothInDirectory
        }
        // Those who hold its sessions may not be the one who has merged it.
        try Erasure.removeBound(of: absorbed, connection)
        let identities = try moveIdentities(of: absorbed, to: kept)
        try locks.carry(from: absorbed, to: kept)
        try connection.run(Self.moveDirectoryUser, kept, absorbed)
        for query in Self.moves + tables.added.compactMap(\.moving) { try connection.run(query, kept, absorbed) }
        var profile = staying.profile
        profile.absorb(going.profile)
        if profile != staying.profile {
            try users.setProfile(of: kept, profile, before: staying.profile, now: now)
        }
        try Erasure.removeUser(absorbed, connection)
        try note(MergedUsers(kept: kept, absorbed: absorbed, identities: identities))
        return .merged(MergedUsers(kept: kept, absorbed: absorbed, identities: identities))
    }

    private func moveIdentities(
        of absorbed: UserID, to kept: UserID
    ) throws(RepositoryError) -> [IdentityID] {
        // Who must authenticate anew to be the one user must do so by whatever identity.
        let line = line.joined(NotBefore(at: 0, authenticatedAfter: try lines.line(of: kept).authenticatedAfter))
        let moved = try connection.all(Self.moveIdentities, kept, absorbed, Identity.Origin.link.rawValue, now) {
            IdentityID(rawValue: $0.integer(0))
        }.sorted { $0.rawValue < $1.rawValue }
        for identity in moved { try lines.draw(line, for: identity) }
        return moved
    }

    private func note(_ merged: MergedUsers) throws(RepositoryError) {
        for identity in merged.identities {
            try audit.add(.identityMerged, user: merged.kept, old: identity, new: identity)
        }
        try audit.add(.usersMerged, user: merged.kept, fields: ["from:\(merged.absorbed.rawValue)"])
        try audit.add(.userAbsorbed, user: merged.absorbed, fields: ["into:\(merged.kept.rawValue)"])
    }
}

extension Table {
    /// Gives the rows of one user (?2) to another (?1), where they move when accounts are merged.
    var moving: Query? {
        guard case .user(let column, merged: .moves) = owner else { return nil }
        return Query("UPDATE \(name) SET \(column) = ?1 WHERE \(column) = ?2")
    }
}

extension SQLStore {
    public func merge(_ record: MergeRecord) async throws(RepositoryError) -> MergeOutcome {
        try await write(
            of: nil,
            { [sealer, tables] connection throws(RepositoryError) in
                try MergeTransaction(
                    connection: connection, sealer: sealer, tables: tables, line: record.line, now: record.now
                ).run(record.authority)
            },
            settled: { if case .merged? = $0 { self.noteErasure() } })
    }
}
