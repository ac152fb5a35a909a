public import Accounts

/// The end of a session by its user's request, of which its provider is told where the session's ID token was kept for
/// that.
///
/// A session that ends in another way, by its age or by the provider's own word, takes its ID token along.
struct SessionEnd {
    private static let keep = Query("INSERT INTO kept_id_tokens (session_id, token) VALUES (?, ?)")
    private static let find = Query(
        """
        SELECT sessions.user_id, sessions.provider, identities.issuer, identities.id, token,
            sessions.client
        FROM sessions LEFT JOIN identities ON identities.id = identity_id
            LEFT JOIN kept_id_tokens ON session_id = sessions.id
        WHERE sessions.id = ?1 AND (sessions.user_id = ?2 OR ?2 IS NULL)
        """)
    private static let keptFor = Query(
        "SELECT session_id FROM kept_id_tokens JOIN sessions ON id = session_id WHERE user_id = ?")

    private struct Found {
        let user: UserID
        let provider: String
        let identity: IdentityID?
        let issuer: String?
        let sealedToken: [UInt8]?
        let client: String
    }

    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    /// Keeps what says at the provider which session is to end there.
    func keep(_ idToken: String, for session: SessionID) throws(RepositoryError) {
        try connection.run(Self.keep, session, try sealer.sealing(Array(idToken.utf8), .idToken(of: session)))
    }

    /// - Parameter user: whose it has to be; nil for anybody's.
    /// - Returns: nil when there is no such session.
    func end(_ session: SessionID, of user: UserID?) throws(RepositoryError) -> EndedSession? {
        guard let found = try find(session, of: user) else { return nil }
        let idToken = try tell(found, session)
        _ = try SessionRows(connection: connection).delete(session)
        try AuditTrail(connection: connection, now: now).add(
            .sessionRevoked, user: found.user, origin: connection.auditOrigin.about(session, found.client))
        return EndedSession(provider: found.provider, idToken: idToken)
    }

    /// Removes a session that has ended by a line in time.
    ///
    /// - Returns: whether there was one.
    func remove(_ session: SessionID) throws(RepositoryError) -> Bool {
        guard let found = try find(session, of: nil) else { return false }
        _ = try tell(found, session)
        return try SessionRows(connection: connection).delete(session) != nil
    }

    /// Ends all of a user's sessions, but the one excepted, and where none is, what providers have granted; and what is
    /// under way to become one.
    ///
    /// - Returns: how many live ones went.
    func endAll(of user: UserID, except: SessionID?, _ line: NotBefore) throws(RepositoryError) -> Int {
        try NotBeforeRows(connection: connection, sealer: sealer, now: now).draw(line, for: user)
        try tellAll(of: user, except: except)
        if except == nil { try GrantRows(connection: connection, sealer: sealer, now: now).revokeAll(of: user) }
        let count = try SessionRows(connection: connection).deleteAll(of: user, except: except, now: now)
        if count > 0 { try AuditTrail(connection: connection, now: now).add(.sessionsRevoked, user: user) }
        return count
    }

    /// Ends all of a user's sessions with one app, and what is under way to become one. The line holds for the user, so
    /// a sign-in of theirs to another app that is under way has to be begun anew, too.
    ///
    /// - Returns: how many live ones went.
    func endAll(of user: UserID, withApp client: String, _ line: NotBefore) throws(RepositoryError) -> Int {
        try NotBeforeRows(connection: connection, sealer: sealer, now: now).draw(line, for: user)
        let live = try SessionRows(connection: connection).live(of: user, now: now).filter { $0.app == client }
        for session in live { _ = try end(session.id, of: user) }
        return live.count
    }

    /// Whether more ends with all of a user's sessions than what belongs to this one: another live session, or what a
    /// provider has granted to another identity.
    func reachesOthers(_ session: Session) throws(RepositoryError) -> Bool {
        let live = try SessionRows(connection: connection).live(of: session.user, now: now)
        if live.contains(where: { $0.id != session.id }) { return true }
        return try GrantRows(connection: connection, sealer: sealer, now: now).all(of: session.user)
            .contains { $0.identity != session.identity }
    }

    /// Why sessions other than its own are not ended under a session; nil where they are.
    func refusal(under session: Session, _ demands: SensitiveDemands) throws(RepositoryError) -> Refusal? {
        let outcome = try SensitiveSession(connection: connection, now: now)
            .check(session.id, .signOutOthers, demands: demands)
        if case .refused(let refusal) = outcome { return refusal }
        return nil
    }

    /// Has the providers of all of a user's sessions told that they end; they do so in the caller's hands, after this.
    func tellAll(of user: UserID, except: SessionID? = nil) throws(RepositoryError) {
        let sessions = try connection.all(Self.keptFor, user) { row throws(RepositoryError) in try row.sessionID(0) }
        for session in sessions where session != except {
            if let found = try find(session, of: user) { _ = try tell(found, session) }
        }
    }

    func isThere(_ session: SessionID, of user: UserID) throws(RepositoryError) -> Bool {
        try find(session, of: user) != nil
    }

    private func find(_ session: SessionID, of user: UserID?) throws(RepositoryError) -> Found? {
        try connection.first(Self.find, session, user) { row in
            Found(
                user: UserID(rawValue: row.integer(0)), provider: row.text(1),
                identity: row.optionalInteger(3).map(IdentityID.init(rawValue:)), issuer: row.optionalText(2),
                sealedToken: row.isEmpty(4) ? nil : row.blob(4), client: row.text(5))
        }
    }

    /// - Returns: the ID token, where one was kept.
    private func tell(_ found: Found, _ session: SessionID) throws(RepositoryError) -> String? {
        guard let sealed = found.sealedToken, let identity = found.identity, let issuer = found.issuer else {
            return nil
        }
        let bytes = try sealer.opening(sealed, .idToken(of: session), connection)
        guard let idToken = String(validating: bytes, as: UTF8.self) else { throw .unavailable(.corrupt) }
        try OutboxRows(connection: connection, sealer: sealer, now: now).add(
            .logout(idToken: idToken), provider: found.provider, issuer: issuer, user: found.user, identity: identity)
        return idToken
    }
}

extension SQLStore {
    public func revokeSession(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Bool {
        try await end(id, of: nil, now: now) != nil
    }

    public func revokeSession(_ id: SessionID, of user: UserID, now: Int64) async throws(RepositoryError) -> Bool {
        try await end(id, of: user, now: now) != nil
    }

    public func endSession(
        _ id: SessionID, of user: UserID, now: Int64
    ) async throws(RepositoryError) -> EndedSession? {
        try await end(id, of: user, now: now)
    }

    /// - Parameter user: whose it must be; nil for anybody's.
    private func end(
        _ id: SessionID, of user: UserID?, now: Int64
    ) async throws(RepositoryError) -> EndedSession? {
        try await write(of: .session(id)) { [sealer] connection throws(RepositoryError) in
            try SessionEnd(connection: connection, sealer: sealer, now: now).end(id, of: user)
        }
    }

    public func revokeSessions(
        of user: UserID, except: SessionID?, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Int {
        try await write(of: .user(user)) { [sealer] connection throws(RepositoryError) in
            try SessionEnd(connection: connection, sealer: sealer, now: now).endAll(of: user, except: except, line)
        }
    }

    public func endSession(
        _ id: SessionID, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome {
        try await write(of: .session(id)) { [sealer] connection throws(RepositoryError) in
            guard let own = try SessionRows(connection: connection).find(session, now: now) else {
                return .refused(.sessionGone)
            }
            let end = SessionEnd(connection: connection, sealer: sealer, now: now)
            if id != own.id {
                guard try end.isThere(id, of: own.user) else { return .notFound }
                if let refusal = try end.refusal(under: own, demands) { return .refused(refusal) }
            }
            return try end.end(id, of: own.user) == nil ? .notFound : .ended(1)
        }
    }

    public func endSessions(
        under session: SessionID, demands: SensitiveDemands, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome {
        try await write(of: .session(session)) { [sealer] connection throws(RepositoryError) in
            guard let own = try SessionRows(connection: connection).find(session, now: now) else {
                return .refused(.sessionGone)
            }
            let end = SessionEnd(connection: connection, sealer: sealer, now: now)
            if try end.reachesOthers(own), let refusal = try end.refusal(under: own, demands) {
                return .refused(refusal)
            }
            return .ended(try end.endAll(of: own.user, except: nil, line))
        }
    }
}
