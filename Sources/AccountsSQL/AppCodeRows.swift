public import Accounts

/// The one-time codes of our own apps, each until it is redeemed or expires, and for a while after it was redeemed.
struct AppCodeRows {
    private struct Found {
        let session: SessionID
        let nonce: String?
        let state: State
        let expiresAt: Int64
        let answer: KeptAnswer?

        func answers(_ redemption: AppCodeRedemption) -> Bool {
            answer?.answers(redemption.request, now: redemption.now) ?? false
        }
    }

    private enum State: Int64 {
        case fresh = 0
        /// Redeemed, and the answer was handed to the connection. As versions before have it from the redemption on.
        case redeemed
        /// Redeemed, and the answer is being made.
        case underWay
        /// Redeemed, and the answer's connection broke.
        case lost
    }

    private static let insert = Query(
        """
        INSERT INTO app_codes (hash, session_id, client, redirect_uri, code_challenge, nonce, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    private static let find = Query(
        """
        SELECT session_id, nonce, redeemed, expires, answer FROM app_codes
        WHERE hash = ?1 AND client = ?2 AND (redirect_uri = ?3 OR CAST(?3 AS TEXT) IS NULL) AND code_challenge = ?4
        """)
    private static let redeem = Query(
        "UPDATE app_codes SET redeemed = \(State.underWay.rawValue), expires = ?, answer = ? WHERE hash = ?")
    private static let answerAgain = Query(
        "UPDATE app_codes SET redeemed = \(State.underWay.rawValue) WHERE hash = ?")
    private static let noteTaken = Query(
        """
        UPDATE app_codes SET redeemed = \(State.redeemed.rawValue)
        WHERE hash = ? AND redeemed = \(State.underWay.rawValue)
        """)
    private static let noteLost = Query(
        """
        UPDATE app_codes SET redeemed = \(State.lost.rawValue)
        WHERE hash = ? AND redeemed IN (\(State.underWay.rawValue), \(State.redeemed.rawValue))
        """)
    private static let extend = Query("UPDATE sessions SET expires = ? WHERE id = ? AND expires > ?")

    let connection: any StoreConnection

    func insert(_ code: NewAppCode, of session: NewSession) throws(RepositoryError) {
        try connection.run(
            Self.insert, code.hash, session.id, session.client, code.redirectURI, code.codeChallenge, code.nonce,
            code.expiresAt)
    }

    func redeem(_ redemption: AppCodeRedemption) throws(RepositoryError) -> AppCodeOutcome {
        guard let found = try find(redemption), found.expiresAt > redemption.now else { return .refused }
        let sessions = SessionRows(connection: connection)
        if found.state != .fresh {
            if let session = try again(found, redemption) { return .redeemed(session, nonce: found.nonce) }
            if redemption.mayWait, found.state == .redeemed, found.answers(redemption) { return .handedOver }
            if let user = try sessions.delete(found.session) {
                try AuditTrail(connection: connection, now: redemption.now).add(
                    .appCodeReused, user: user,
                    origin: connection.auditOrigin.about(found.session, redemption.client))
            }
            return .reused
        }
        let answer = KeptAnswer(
            request: redemption.request, at: redemption.now, outcome: .session(found.session, .known))
        try connection.run(Self.redeem, redemption.rememberedUntil, answer.encoded, redemption.code)
        try connection.run(Self.extend, redemption.sessionExpiresAt, found.session, redemption.now)
        guard let session = try sessions.find(found.session, now: redemption.now) else { return .refused }
        if let replaced = redemption.replaces {
            try sessions.replace(replaced, by: session.id, now: redemption.now)
        }
        return .redeemed(session, nonce: found.nonce)
    }

    /// The session once more, where its answer has not been handed over, or was lost.
    private func again(_ found: Found, _ redemption: AppCodeRedemption) throws(RepositoryError) -> Session? {
        guard found.state == .underWay || found.state == .lost,
            found.answers(redemption),
            let session = try SessionRows(connection: connection).find(found.session, now: redemption.now),
            session.generation == Session.firstGeneration, session.rotatedAt == nil,
            try !LockRows(connection: connection, now: redemption.now).closes(session.user)
        else { return nil }
        try connection.run(Self.answerAgain, redemption.code)
        try AuditTrail(connection: connection, now: redemption.now).add(
            .signInAnswerRepeated, user: session.user,
            origin: connection.auditOrigin.about(session.id, redemption.client))
        return session
    }

    func note(_ delivery: AppCodeDelivery, of code: TokenHash) throws(RepositoryError) {
        switch delivery {
        case .taken: try connection.run(Self.noteTaken, code)
        case .lost: try connection.run(Self.noteLost, code)
        }
    }

    /// The code, if it is bound to what comes with it.
    private func find(_ redemption: AppCodeRedemption) throws(RepositoryError) -> Found? {
        try connection.first(
            Self.find, redemption.code, redemption.client, redemption.redirectURI, redemption.codeChallenge
        ) { row throws(RepositoryError) in
            Found(
                session: try row.sessionID(0), nonce: row.optionalText(1),
                state: State(rawValue: row.integer(2)) ?? .redeemed, expiresAt: row.integer(3),
                answer: row.isEmpty(4) ? nil : KeptAnswer(encoded: row.blob(4)))
        }
    }
}

extension SQLStore {
    public func note(_ delivery: AppCodeDelivery, of code: TokenHash) async throws(RepositoryError) {
        try await write(of: .value(code)) { connection throws(RepositoryError) in
            try AppCodeRows(connection: connection).note(delivery, of: code)
        }
    }

    public func redeem(_ redemption: AppCodeRedemption) async throws(RepositoryError) -> AppCodeOutcome {
        try await write(of: .value(redemption.code)) { connection throws(RepositoryError) in
            try AppCodeRows(connection: connection).redeem(redemption)
        }
    }
}
