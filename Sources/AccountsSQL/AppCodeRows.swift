public import Accounts

/// The one-time codes of our own apps, each until it is redeemed or expires, and for a while after it was redeemed.
struct AppCodeRows {
    private struct Found {
        let session: SessionID
        let nonce: String?
        let isRedeemed: Bool
        let expiresAt: Int64
    }

    private static let insert = Query(
        """
        INSERT INTO app_codes (hash, session_id, client, redirect_uri, code_challenge, nonce, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    private static let find = Query(
        """
        SELECT session_id, nonce, redeemed, expires FROM app_codes
        WHERE hash = ?1 AND client = ?2 AND (redirect_uri = ?3 OR CAST(?3 AS TEXT) IS NULL) AND code_challenge = ?4
        """)
    private static let redeem = Query("UPDATE app_codes SET redeemed = 1, expires = ? WHERE hash = ?")
    private static let extend = Query("UPDATE sessions SET expires = ? WHERE id = ? AND expires > ?")

    let connection: any Connection

    func insert(_ code: NewAppCode, of session: NewSession) throws(RepositoryError) {
        try connection.run(
            Self.insert, code.hash, session.id, session.client, code.redirectURI, code.codeChallenge, code.nonce,
            code.expiresAt)
    }

    func redeem(_ redemption: AppCodeRedemption) throws(RepositoryError) -> AppCodeOutcome {
        guard let found = try find(redemption), found.expiresAt > redemption.now else { return .refused }
        let sessions = SessionRows(connection: connection)
        if found.isRedeemed {
            if let user = try sessions.delete(found.session) {
                try AuditTrail(connection: connection, now: redemption.now).add(
                    .appCodeReused, user: user,
                    origin: connection.auditOrigin.about(found.session, redemption.client))
            }
            return .reused
        }
        try connection.run(Self.redeem, redemption.rememberedUntil, redemption.code)
        try connection.run(Self.extend, redemption.sessionExpiresAt, found.session, redemption.now)
        guard let session = try sessions.find(found.session, now: redemption.now) else { return .refused }
        if let replaced = redemption.replaces {
            try sessions.replace(replaced, by: session.id, now: redemption.now)
        }
        return .redeemed(session, nonce: found.nonce)
    }

    /// The code, if it is bound to what comes with it.
    private func find(_ redemption: AppCodeRedemption) throws(RepositoryError) -> Found? {
        try connection.first(
            Self.find, redemption.code, redemption.client, redemption.redirectURI, redemption.codeChallenge
        ) { row throws(RepositoryError) in
            Found(
                session: try row.sessionID(0), nonce: row.optionalText(1), isRedeemed: row.integer(2) != 0,
                expiresAt: row.integer(3))
        }
    }
}

extension SQLStore {
    public func redeem(_ redemption: AppCodeRedemption) async throws(RepositoryError) -> AppCodeOutcome {
        try await write { connection throws(RepositoryError) in
            try AppCodeRows(connection: connection).redeem(redemption)
        }
    }
}
