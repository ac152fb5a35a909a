public import Accounts

/// The rotation of a refresh token, as ``RefreshDecision`` decides it.
struct RefreshTransaction {
    fileprivate static let isRetired = Query("SELECT 1 FROM retired_refresh_tokens WHERE session_id = ? AND hash = ?")
    private static let retire = Query(
        "INSERT INTO retired_refresh_tokens (session_id, hash, expires) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    private static let rotate = Query(
        """
        UPDATE sessions
        SET previous_hash = refresh_hash, refresh_hash = ?, next_wrapped = ?, rotated = ?, expires = ? WHERE id = ?
        """)
    private static let deleteFamily = Query("DELETE FROM sessions WHERE user_id = ? AND family = ?")

    let connection: Connection
    let record: RefreshRecord

    func run() throws(RepositoryError) -> RefreshOutcome {
        guard let (session, nextWrapped) = try SessionRows(connection: connection).find(record.session, now: record.now)
        else { return .refused }
        let isRetired =
            record.presented == session.refreshHash
            ? false : try connection.first(Self.isRetired, record.session, record.presented) { _ in true } ?? false
        let chain = RefreshDecision.Chain(
            current: session.refreshHash, previous: session.previousRefreshHash, rotatedAt: session.rotatedAt,
            expiresAt: session.expiresAt, presentedIsRetired: isRetired,
            endsAt: record.absoluteSeconds.map { session.createdAt + $0 })
        switch RefreshDecision.decide(
            presented: record.presented, chain: chain, now: record.now, graceSeconds: record.graceSeconds)
        {
        case .rotate:
            return .rotated(try rotate(session, expiresAt: chain.expiry(ofSuccessor: record.expiresAt)))
        case .repeatAnswer: return .repeated(session, nextWrapped: nextWrapped)
        case .reuse: return .reused(try revokeFamily(of: session))
        case .refuse: return .refused
        }
    }

    private func rotate(_ session: Session, expiresAt: Int64) throws(RepositoryError) -> Session {
        // Remembered for as long as it would have lived: from then on it is refused for its age anyway.
        try connection.run(Self.retire, session.id, session.refreshHash, session.expiresAt)
        try connection.run(Self.rotate, record.next, record.nextWrapped, record.now, expiresAt, session.id)
        var rotated = session
        rotated.previousRefreshHash = session.refreshHash
        rotated.refreshHash = record.next
        rotated.rotatedAt = record.now
        rotated.expiresAt = expiresAt
        return rotated
    }

    private func revokeFamily(of session: Session) throws(RepositoryError) -> UserID {
        try connection.run(Self.deleteFamily, session.user, session.family)
        try AuditTrail(connection: connection, now: record.now).add(.refreshTokenReused, user: session.user)
        return session.user
    }
}

/// The end of a session by one of its refresh tokens (RFC 7009).
struct RefreshRevocation {
    let connection: Connection
    let presented: TokenHash
    let now: Int64

    func run(_ id: SessionID) throws(RepositoryError) -> Bool {
        let sessions = SessionRows(connection: connection)
        guard let session = try sessions.find(id, now: now)?.session, try isToken(of: session),
            let user = try sessions.delete(id)
        else { return false }
        try AuditTrail(connection: connection, now: now).add(.sessionRevoked, user: user)
        return true
    }

    private func isToken(of session: Session) throws(RepositoryError) -> Bool {
        if presented == session.refreshHash || presented == session.previousRefreshHash { return true }
        return try connection.first(RefreshTransaction.isRetired, session.id, presented) { _ in true } ?? false
    }
}

extension SQLiteAccounts {
    public func revokeSession(
        _ id: SessionID, presenting refreshToken: TokenHash, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await writer.write { connection throws(RepositoryError) in
            try RefreshRevocation(connection: connection, presented: refreshToken, now: now).run(id)
        }
    }

    public func refresh(_ record: RefreshRecord) async throws(RepositoryError) -> RefreshOutcome {
        try await writer.write { connection throws(RepositoryError) in
            try RefreshTransaction(connection: connection, record: record).run()
        }
    }
}
