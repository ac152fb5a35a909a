public import Accounts

/// The sessions table.
package struct SessionRows {
    private static let opened = SessionColumn.allCases.compactMap { column in
        switch column.opening {
        case .nothing: nil as (name: String, opening: SessionColumn.Opening)?
        case let opening: (column.name, opening)
        }
    }
    /// Whether no line in time has been drawn since for everybody, the app or the provider, whose sessions are too many
    /// to be deleted in one transaction. They end with the line, and their rows go by and by. Key by key, since SQLite
    /// makes a table of several each time.
    package static let isNotBarred = [
        "'\(NotBeforeKey.everybody)'", "'\(NotBeforeKey.providerPrefix)' || provider",
        "CASE WHEN scope IS NOT NULL THEN '\(NotBeforeKey.appPrefix)' || client END",
    ].map { "NOT EXISTS (SELECT 1 FROM not_before WHERE key = \($0) AND sessions_before > sessions.id)" }
        .joined(separator: " AND ")
    private static let insert = Query(
        """
        INSERT INTO sessions (\(opened.map(\.name).joined(separator: ", ")))
        VALUES (\(opened.map { if case .noBytes = $0.opening { "x''" } else { "?" } }.joined(separator: ", ")))
        """)
    private static let find = Query(
        "SELECT \(SessionColumn.readNames) FROM sessions WHERE id = ? AND expires > ? AND \(isNotBarred)")
    private static let findWithTokens = Query(
        "SELECT \(SessionColumn.readNamesWithTokens) FROM sessions WHERE id = ? AND expires > ? AND \(isNotBarred)")
    private static let ofUser = Query(
        """
        SELECT \(SessionColumn.readNames) FROM sessions WHERE user_id = ? AND expires > ? AND \(isNotBarred)
        ORDER BY created, id
        """)
    private static let delete = Query("DELETE FROM sessions WHERE id = ? RETURNING user_id")
    private static let deleteAll = Query("DELETE FROM sessions WHERE user_id = ?")
    private static let deleteOthers = Query(
        "DELETE FROM sessions WHERE user_id = ? AND id IS NOT ? RETURNING expires > ?")
    // A session that an earlier version opened may not know its identity. It ends with any identity of its provider,
    // and where no identity of the user bears the provider's name, which the configuration may have changed, with any
    // at all.
    private static let deleteOfIdentity = Query(
        """
        DELETE FROM sessions WHERE user_id = ?1 AND (identity_id = ?2 OR identity_id IS NULL AND (provider = ?3
            OR NOT EXISTS (SELECT 1 FROM identities WHERE user_id = ?1 AND provider = sessions.provider)))
            AND (created <= ?5 OR ?5 IS NULL)
        RETURNING expires > ?4
        """)
    private static let deleteEvery = Query("DELETE FROM sessions")
    private static let forgetTokens = Query("DELETE FROM retired_refresh_tokens")

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    package func insert(
        _ session: NewSession, user: UserID, identity: IdentityID, provider: String, now: Int64
    ) throws(RepositoryError) {
        try connection.run(Self.insert) { statement throws(RepositoryError) in
            var index: Int32 = 1
            for column in Self.opened {
                switch column.opening {
                case .session(let value): try value(session).bind(to: statement, at: index)
                case .user: try user.bind(to: statement, at: index)
                case .identity: try identity.bind(to: statement, at: index)
                case .provider: try provider.bind(to: statement, at: index)
                case .now: try now.bind(to: statement, at: index)
                // It stands in the text.
                case .noBytes, .nothing: continue
                }
                index += 1
            }
        }
        if let replaced = session.replaces { try replace(replaced, by: session.id, now: now) }
    }

    /// Ends a session that another one takes the place of. Its provider is not told, for the user has just signed in
    /// there: a logout could end the new session with the old one.
    func replace(_ replaced: SessionID, by session: SessionID, now: Int64) throws(RepositoryError) {
        guard replaced != session, let found = try find(replaced, now: now) else { return }
        _ = try delete(replaced)
        try AuditTrail(connection: connection, now: now).add(
            .sessionRevoked, user: found.user, origin: connection.auditOrigin.about(replaced, found.client))
    }

    /// A live session.
    package func find(_ id: SessionID, now: Int64) throws(RepositoryError) -> Session? {
        try connection.first(Self.find, id, now) { row throws(RepositoryError) in try Session(StatementRow(row)) }
    }

    /// A live session, with what is left of its refresh tokens of the earlier form, and how often one was given late.
    func findWithTokens(
        _ id: SessionID, now: Int64
    ) throws(RepositoryError) -> (session: Session, earlier: EarlierTokenColumns, late: LateRepeatColumns)? {
        try connection.first(Self.findWithTokens, id, now) { row throws(RepositoryError) in
            (try Session(StatementRow(row)), try EarlierTokenColumns(row), LateRepeatColumns(row))
        }
    }

    package func live(of user: UserID, now: Int64) throws(RepositoryError) -> [Session] {
        try connection.all(Self.ofUser, user, now) { row throws(RepositoryError) in try Session(StatementRow(row)) }
    }

    /// - Returns: whose it was; nil when there was none.
    package func delete(_ id: SessionID) throws(RepositoryError) -> UserID? {
        try connection.first(Self.delete, id) { UserID(rawValue: $0.integer(0)) }
    }

    package func deleteAll(of user: UserID) throws(RepositoryError) {
        try connection.run(Self.deleteAll, user)
    }

    /// Ends the sessions that were opened by an identity.
    ///
    /// - Parameter openedBy: only those that were opened by then, in seconds since 1970; nil for all.
    /// - Returns: how many live ones went.
    @discardableResult
    package func deleteAll(
        of user: UserID, identity: IdentityID, provider: String, openedBy: Int64? = nil, now: Int64
    ) throws(RepositoryError) -> Int {
        try connection.all(Self.deleteOfIdentity, user, identity, provider, now, openedBy) { $0.integer(0) }.count {
            $0 != 0
        }
    }

    /// - Returns: how many live ones went.
    package func deleteAll(of user: UserID, except: SessionID?, now: Int64) throws(RepositoryError) -> Int {
        try connection.all(Self.deleteOthers, user, except, now) { $0.integer(0) }.count { $0 != 0 }
    }

    /// - Returns: how many there were.
    package func deleteEverybodys() throws(RepositoryError) -> Int {
        try connection.run(Self.forgetTokens)
        try connection.run(Self.deleteEvery)
        return connection.changes
    }
}

extension Authentication {
    /// The methods as they are stored.
    package var methods: String { amr.joined(separator: " ") }

    init(acr: String?, methods: String, time: Int64?) {
        self.init(acr: acr, amr: methods.split(separator: " ").map(String.init), time: time)
    }

    /// What a row's time of the authentication is worth. Earlier versions stored the ID token's own time where the
    /// provider told none, which says nothing of when its user was there. An instance of theirs beside this one does.
    func authenticatedAt(stored: Int64) -> Int64 { time == nil ? Session.neverAuthenticated : stored }
}

extension Statement {
    /// How a user was authenticated, from three columns of the row it stands on.
    func authentication(acr: Int32, methods: Int32, time: Int32) -> Authentication {
        Authentication(acr: optionalText(acr), methods: text(methods), time: optionalInteger(time))
    }
}

/// What a session keeps of refresh tokens of the earlier form: nothing, unless it was opened by an earlier version.
struct EarlierTokenColumns {
    let current: TokenHash?
    let previous: TokenHash?
    /// The current one, sealed for who presents the previous one.
    let nextWrapped: [UInt8]

    /// Reads a row of ``SessionColumn/readNamesWithTokens``.
    init(_ row: any Statement) throws(RepositoryError) {
        let current = Int32(SessionColumn.refreshHash.rawValue)
        let previous = Int32(SessionColumn.previousHash.rawValue)
        self.current = row.isEmpty(current) ? nil : try row.hash(current)
        self.previous = row.isEmpty(previous) ? nil : try row.hash(previous)
        nextWrapped = row.blob(Int32(SessionColumn.nextWrapped.rawValue))
    }
}

/// How often a session's refresh token was given again long after it was made (``RefreshRepeat``).
struct LateRepeatColumns {
    /// The current one.
    let repeats: Int64
    /// In how many generations running, right before it.
    let generations: Int64

    /// Reads a row of ``SessionColumn/readNamesWithTokens``.
    init(_ row: any Statement) {
        repeats = row.integer(Int32(SessionColumn.lateRepeats.rawValue))
        generations = row.integer(Int32(SessionColumn.lateGenerations.rawValue))
    }
}

extension SQLStore {
    public func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session? {
        try await read { connection throws(RepositoryError) in
            try SessionRows(connection: connection).find(id, now: now)
        }
    }

    public func sessions(of user: UserID, now: Int64) async throws(RepositoryError) -> [Session] {
        try await read { connection throws(RepositoryError) in
            try SessionRows(connection: connection).live(of: user, now: now)
        }
    }
}
