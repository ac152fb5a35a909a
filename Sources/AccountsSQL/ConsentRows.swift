public import Accounts

/// What users have agreed to, of each app.
struct ConsentRows {
    private static let put = Query(
        """
        INSERT INTO consents (user_id, client, scope, agreed) VALUES (?, ?, ?, ?)
        ON CONFLICT (user_id, client) DO UPDATE SET scope = excluded.scope, agreed = excluded.agreed
        """)
    private static let find = Query("SELECT scope FROM consents WHERE user_id = ? AND client = ?")
    private static let ofUser = Query("SELECT client, scope, agreed FROM consents WHERE user_id = ? ORDER BY client")
    private static let remove = Query("DELETE FROM consents WHERE user_id = ? AND client = ?")
    private static let release = Query(
        "UPDATE app_codes SET expires = ? WHERE hash = ? AND session_id = ? AND redeemed = 0 AND expires > ?")

    let connection: any StoreConnection
    let now: Int64

    private var audit: AuditTrail { AuditTrail(connection: connection, now: now) }

    func all(of user: UserID) throws(RepositoryError) -> [Consent] {
        try connection.all(Self.ofUser, user) { row in
            Consent(client: row.text(0), scope: row.text(1), agreedAt: row.integer(2))
        }
    }

    func scope(of user: UserID, _ client: String) throws(RepositoryError) -> String? {
        try connection.first(Self.find, user, client) { $0.text(0) }
    }

    /// Keeps that a user agrees to what an app is given. The audit trail has what is new in it: who is asked each time
    /// agrees again and again.
    ///
    /// - Parameter agreed: what is kept of before.
    func add(
        _ scope: String, of user: UserID, to client: String, agreed: String?, for session: SessionID
    ) throws(RepositoryError) {
        let joined = Consent.joined(agreed ?? "", scope)
        try connection.run(Self.put, user, client, joined, now)
        guard joined != agreed else { return }
        try audit.add(
            .consentGiven, user: user, fields: scope.split(separator: " ").map(String.init),
            origin: connection.auditOrigin.about(session, client))
    }

    /// - Returns: false where the session or the code is over.
    func agree(to id: SessionID, _ code: TokenHash, expiresAt: Int64) throws(RepositoryError) -> Bool {
        guard let session = try SessionRows(connection: connection).find(id, now: now), let scope = session.scope
        else { return false }
        try connection.run(Self.release, expiresAt, code, id, now)
        guard connection.changes > 0 else { return false }
        let agreed = try self.scope(of: session.user, session.client)
        try add(scope, of: session.user, to: session.client, agreed: agreed, for: id)
        return true
    }

    func withdraw(of user: UserID, from client: String) throws(RepositoryError) {
        try connection.run(Self.remove, user, client)
        guard connection.changes > 0 else { return }
        try audit.add(.consentWithdrawn, user: user, origin: connection.auditOrigin.about(nil, client))
    }
}

extension SQLStore {
    public func consents(of user: UserID) async throws(RepositoryError) -> [Consent] {
        try await read { connection throws(RepositoryError) in
            try ConsentRows(connection: connection, now: 0).all(of: user)
        }
    }

    public func agree(
        to session: SessionID, code: TokenHash, expiresAt: Int64, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(of: .session(session)) { connection throws(RepositoryError) in
            try ConsentRows(connection: connection, now: now).agree(to: session, code, expiresAt: expiresAt)
        }
    }

    public func endSessions(
        ofApp client: String, isWithdrawn: Bool, under session: SessionID, demands: SensitiveDemands, line: NotBefore,
        now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome {
        try await write(of: .session(session)) { [sealer] connection throws(RepositoryError) in
            guard let own = try SessionRows(connection: connection).find(session, now: now) else {
                return .refused(.sessionGone)
            }
            let end = SessionEnd(connection: connection, sealer: sealer, now: now)
            if let refusal = try end.refusal(under: own, demands) { return .refused(refusal) }
            if isWithdrawn { try ConsentRows(connection: connection, now: now).withdraw(of: own.user, from: client) }
            return .ended(try end.endAll(of: own.user, withApp: client, line))
        }
    }
}
