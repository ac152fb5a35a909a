public import Accounts

/// What ends when a provider says that somebody has signed out there.
///
/// A session that is gone is found by no code and no refresh token. A link ticket would become a session, so it goes
/// too.
struct ProviderLogoutRows {
    private struct Ended: Hashable {
        let user: UserID
        let identity: IdentityID?
    }

    static let ticketsOfSession = Query(
        """
        DELETE FROM tickets WHERE upstream_sid = ?1 AND (subject = ?2 AND issuer = ?3 OR ?2 IS NULL)
        """)
    private static let ticketsOfSubject = Query("DELETE FROM tickets WHERE subject = ? AND issuer = ?")
    static let sessions = Query(
        """
        DELETE FROM sessions WHERE upstream_sid = ?1 AND (identity_id = ?2 OR ?2 IS NULL)
        RETURNING user_id, identity_id, expires > ?3
        """)

    let connection: any Connection
    let now: Int64

    /// - Returns: how many live sessions there were.
    func end(_ logout: ProviderLogout) throws(RepositoryError) -> Int {
        switch logout {
        case .session(let session, let subject): try end(session, of: subject)
        case .subject(let subject): try end(subject)
        }
    }

    private func end(_ session: TokenHash, of subject: Subject?) throws(RepositoryError) -> Int {
        try connection.run(Self.ticketsOfSession, session, subject?.value, subject?.issuer)
        var identity: IdentityID?
        if let subject {
            guard let found = try IdentityRows(connection: connection).find(subject) else { return 0 }
            identity = found.known.identity
        }
        let rows = try connection.all(Self.sessions, session, identity, now) { row in
            (
                Ended(
                    user: UserID(rawValue: row.integer(0)),
                    identity: row.optionalInteger(1).map(IdentityID.init(rawValue:))), row.integer(2) != 0
            )
        }
        let live = rows.filter(\.1).map(\.0)
        for ended in Set(live) { try note(ended) }
        return live.count
    }

    private func end(_ subject: Subject) throws(RepositoryError) -> Int {
        try connection.run(Self.ticketsOfSubject, subject.value, subject.issuer)
        let identities = IdentityRows(connection: connection)
        guard let known = try identities.find(subject)?.known,
            let provider = try identities.find(known.identity, of: known.user)?.provider
        else { return 0 }
        let count = try SessionRows(connection: connection)
            .deleteAll(of: known.user, identity: known.identity, provider: provider, now: now)
        if count > 0 { try note(Ended(user: known.user, identity: known.identity)) }
        return count
    }

    private func note(_ ended: Ended) throws(RepositoryError) {
        try AuditTrail(connection: connection, now: now).add(.providerLogout, user: ended.user, old: ended.identity)
    }
}

extension SQLStore {
    public func endSessions(_ logout: ProviderLogout, now: Int64) async throws(RepositoryError) -> Int {
        try await write { connection throws(RepositoryError) in
            try ProviderLogoutRows(connection: connection, now: now).end(logout)
        }
    }
}
