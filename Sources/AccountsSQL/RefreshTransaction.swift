public import Accounts

/// The rotation of a refresh token, as ``RefreshDecision`` decides it.
package struct RefreshTransaction {
    /// What a rotation does to the count of late repeats: a generation that had one joins those running before it.
    package static let countsLateGenerations = """
        late_generations = CASE WHEN late_repeats > 0 THEN late_generations + 1 ELSE 0 END, late_repeats = 0
        """
    private static let rotate = Query(
        """
        UPDATE sessions SET generation = generation + 1, rotated = ?, expires = ?, \(countsLateGenerations)
        WHERE id = ?
        """)
    private static let countLate = Query("UPDATE sessions SET late_repeats = late_repeats + 1 WHERE id = ?")
    // The last token of the earlier form stays known, so that it is reuse when it comes back; nothing else does.
    private static let rotateEarlier = Query(
        """
        UPDATE sessions
        SET generation = ?, rotated = ?, expires = ?, previous_hash = refresh_hash, refresh_hash = x'',
            next_wrapped = NULL
        WHERE id = ?
        """)
    private static let extend = Query("UPDATE sessions SET expires = ? WHERE id = ?")
    private static let deleteFamily = Query("DELETE FROM sessions WHERE user_id = ? AND family = ?")

    let connection: any StoreConnection
    let record: RefreshRecord

    package init(connection: any StoreConnection, record: RefreshRecord) {
        (self.connection, self.record) = (connection, record)
    }

    package func run() throws(RepositoryError) -> RefreshOutcome {
        guard let chain = try SessionChain(record.session, connection, presented: record.presented, now: record.now)
        else { return try isOfLockedUser ? .locked : .refused }
        let session = chain.session
        guard record.client == session.app else { return .refused }
        let values = chain.values(endsAt: record.absoluteSeconds.map { session.createdAt + $0 })
        switch RefreshDecision.decide(
            presented: record.presented, chain: values, now: record.now, isReusable: record.isReusable,
            repeats: record.repeats)
        {
        case .rotate:
            return .rotated(try rotate(session, expiresAt: values.expiry(ofSuccessor: record.expiresAt)))
        case .repeatAnswer(let isLate):
            try noteRepeat(of: session, isLate: isLate)
            return .repeated(session)
        case .repeatEarlierAnswer(let isLate):
            try noteRepeat(of: session, isLate: isLate)
            return .repeatedEarlier(session, nextWrapped: chain.earlier.nextWrapped)
        case .extend:
            var extended = session
            extended.expiresAt = values.expiry(ofSuccessor: record.expiresAt)
            try connection.run(Self.extend, extended.expiresAt, session.id)
            try audit(.reusableRefreshTokenUsed, session)
            return .extended(extended)
        case .reuse:
            try connection.run(Self.deleteFamily, session.user, session.family)
            try audit(.refreshTokenReused, session)
            return .reused(session.user)
        case .refuse: return .refused
        }
    }

    /// Whether the user whom the token names may not sign in, which is why the session is gone, or would not help.
    private var isOfLockedUser: Bool {
        get throws(RepositoryError) {
            guard case .signed(_, let user) = record.presented else { return false }
            return try LockRows(connection: connection, now: record.now).closes(user)
        }
    }

    private func noteRepeat(of session: Session, isLate: Bool) throws(RepositoryError) {
        if isLate { try connection.run(Self.countLate, session.id) }
        try audit(isLate ? .refreshAnswerRepeatedLate : .refreshAnswerRepeated, session)
    }

    private func rotate(_ session: Session, expiresAt: Int64) throws(RepositoryError) -> Session {
        var rotated = session
        if session.generation == 0 {
            rotated.generation = Session.firstGeneration
            try connection.run(Self.rotateEarlier, rotated.generation, record.now, expiresAt, session.id)
        } else {
            rotated.generation += 1
            try connection.run(Self.rotate, record.now, expiresAt, session.id)
        }
        rotated.rotatedAt = record.now
        rotated.expiresAt = expiresAt
        return rotated
    }

    private func audit(_ kind: AuditEvent.Kind, _ session: Session) throws(RepositoryError) {
        try AuditTrail(connection: connection, now: record.now).add(
            kind, user: session.user, origin: connection.auditOrigin.about(session.id, session.client))
    }
}

/// A live session's refresh tokens, as far as its row and the list of retired ones tell.
private struct SessionChain {
    private static let isRetired = Query("SELECT 1 FROM retired_refresh_tokens WHERE session_id = ? AND hash = ?")

    let session: Session
    let earlier: EarlierTokenColumns
    let late: LateRepeatColumns
    /// Only ever of a token of the earlier form.
    let presentedIsRetired: Bool

    /// - Returns: nil when there is no such session.
    init?(
        _ id: SessionID, _ connection: any StoreConnection, presented: PresentedRefreshToken, now: Int64
    ) throws(RepositoryError) {
        guard let found = try SessionRows(connection: connection).findWithTokens(id, now: now) else { return nil }
        (session, earlier, late) = found
        if case .earlier(let hash) = presented, hash != earlier.current {
            presentedIsRetired = try connection.first(Self.isRetired, id, hash) { _ in true } ?? false
        } else {
            presentedIsRetired = false
        }
    }

    func values(endsAt: Int64?) -> RefreshDecision.Chain {
        RefreshDecision.Chain(
            user: session.user, generation: session.generation, rotatedAt: session.rotatedAt,
            expiresAt: session.expiresAt, endsAt: endsAt, lateRepeats: late.repeats, lateGenerations: late.generations,
            earlier: RefreshDecision.EarlierTokens(
                current: earlier.current, previous: earlier.previous, presentedIsRetired: presentedIsRetired))
    }

    /// Whether the token was ever one of the session's.
    func has(_ token: PresentedRefreshToken) -> Bool {
        switch token {
        // The signature proves it, also of a generation that a store put back does not know.
        case .signed(_, let user): user == session.user
        case .earlier(let hash): hash == earlier.current || hash == earlier.previous || presentedIsRetired
        }
    }
}

/// The end of a session by one of its refresh tokens (RFC 7009).
struct RefreshRevocation {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let presented: PresentedRefreshToken
    let now: Int64

    func run(_ id: SessionID) throws(RepositoryError) -> Bool {
        guard let chain = try SessionChain(id, connection, presented: presented, now: now), chain.has(presented) else {
            return false
        }
        return try SessionEnd(connection: connection, sealer: sealer, now: now).end(id, of: chain.session.user) != nil
    }
}

extension SQLStore {
    public func revokeSession(
        _ id: SessionID, presenting refreshToken: PresentedRefreshToken, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(of: .session(id)) { [sealer] connection throws(RepositoryError) in
            try RefreshRevocation(connection: connection, sealer: sealer, presented: refreshToken, now: now).run(id)
        }
    }

    public func refresh(_ record: RefreshRecord) async throws(RepositoryError) -> RefreshOutcome {
        try await write(of: .session(record.session)) { connection throws(RepositoryError) in
            try RefreshTransaction(connection: connection, record: record).run()
        }
    }
}
