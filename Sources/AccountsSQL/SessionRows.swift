public import Accounts

/// The sessions table.
package struct SessionRows {
    private static let columns = """
        id, user_id, family, generation, rotated, expires, created, user_agent, acr, amr, auth_time, provider, client,
        identity_id, authenticated, scope
        """
    private static let insert = Query(
        """
        INSERT INTO sessions (id, user_id, family, refresh_hash, expires, created, user_agent, acr, amr, auth_time,
            provider, client, identity_id, authenticated, generation, scope, upstream_sid)
        VALUES (?, ?, ?, x'', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let find = Query("SELECT \(columns) FROM sessions WHERE id = ? AND expires > ?")
    private static let findWithTokens = Query(
        "SELECT \(columns), refresh_hash, previous_hash, next_wrapped FROM sessions WHERE id = ? AND expires > ?")
    private static let ofUser = Query(
        "SELECT \(columns) FROM sessions WHERE user_id = ? AND expires > ? ORDER BY created, id")
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

    package let connection: any Connection

    package init(connection: any Connection) {
        self.connection = connection
    }

    package func insert(
        _ session: NewSession, user: UserID, identity: IdentityID, provider: String, now: Int64
    ) throws(RepositoryError) {
        try connection.run(
            Self.insert, session.id, user, session.family, session.expiresAt, now, session.userAgent,
            session.authentication.acr, session.authentication.methods, session.authentication.time, provider,
            session.client, identity,
            session.authenticatedAt, Session.firstGeneration, session.scope, session.upstreamSession)
    }

    /// A live session.
    package func find(_ id: SessionID, now: Int64) throws(RepositoryError) -> Session? {
        try connection.first(Self.find, id, now) { row throws(RepositoryError) in try Self.session(row) }
    }

    /// A live session, with what is left of its refresh tokens of the earlier form.
    func findWithTokens(
        _ id: SessionID, now: Int64
    ) throws(RepositoryError) -> (session: Session, earlier: EarlierTokenColumns)? {
        try connection.first(Self.findWithTokens, id, now) { row throws(RepositoryError) in
            (try Self.session(row), try EarlierTokenColumns(row, from: 16))
        }
    }

    package func live(of user: UserID, now: Int64) throws(RepositoryError) -> [Session] {
        try connection.all(Self.ofUser, user, now) { row throws(RepositoryError) in try Self.session(row) }
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

    private static func session(_ row: any Statement) throws(RepositoryError) -> Session {
        Session(
            id: try row.sessionID(0), user: UserID(rawValue: row.integer(1)), family: try row.sessionID(2),
            generation: row.integer(3), rotatedAt: row.optionalInteger(4), expiresAt: row.integer(5),
            createdAt: row.integer(6), userAgent: row.optionalText(7),
            authentication: row.authentication(acr: 8, methods: 9, time: 10),
            authenticatedAt: row.integer(14), provider: row.text(11), client: row.text(12),
            identity: row.optionalInteger(13).map(IdentityID.init(rawValue:)), scope: row.optionalText(15))
    }
}

extension Authentication {
    /// The methods as they are stored.
    package var methods: String { amr.joined(separator: " ") }
}

extension Statement {
    /// How a user was authenticated, from three columns of the row it stands on.
    func authentication(acr: Int32, methods: Int32, time: Int32) -> Authentication {
        Authentication(
            acr: optionalText(acr), amr: text(methods).split(separator: " ").map(String.init),
            time: optionalInteger(time))
    }
}

/// What a session keeps of refresh tokens of the earlier form: nothing, unless it was opened by an earlier version.
struct EarlierTokenColumns {
    let current: TokenHash?
    let previous: TokenHash?
    /// The current one, sealed for who presents the previous one.
    let nextWrapped: [UInt8]

    /// - Parameter column: the first of the three.
    init(_ row: any Statement, from column: Int32) throws(RepositoryError) {
        current = row.isEmpty(column) ? nil : try row.hash(column)
        previous = row.isEmpty(column + 1) ? nil : try row.hash(column + 1)
        nextWrapped = row.blob(column + 2)
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
