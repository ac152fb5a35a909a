public import Accounts

/// What ends when a provider says that somebody has signed out there.
///
/// A session that is gone is found by no code and no refresh token. A link ticket would become a session, so it goes
/// too; and what is under way lies behind a line.
struct ProviderLogoutRows {
    private struct Ended: Hashable {
        let user: UserID
        let identity: IdentityID?
    }

    static let ticketsOfSession = Query(
        """
        DELETE FROM tickets WHERE upstream_sid = ?1 AND (subject = ?2 AND issuer = ?3 OR ?2 IS NULL) AND created <= ?4
        """)
    private static let ticketsOfSubject = Query(
        "DELETE FROM tickets WHERE subject = ? AND issuer = ? AND created <= ?")
    static let sessions = Query(
        """
        DELETE FROM sessions WHERE upstream_sid = ?1 AND (identity_id = ?2 OR ?2 IS NULL) AND created <= ?4
        RETURNING user_id, identity_id, expires > ?3
        """)
    static let others = Query(
        """
        SELECT issuer, subject FROM tickets WHERE upstream_sid = ?1
        UNION ALL
        SELECT issuer, subject FROM sessions JOIN identities ON identities.id = identity_id WHERE upstream_sid = ?1
        """)
    private static let note = Query("INSERT INTO seen_tokens (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let record: LogoutRecord

    private var now: Int64 { record.now }
    private var lines: NotBeforeRows { NotBeforeRows(connection: connection, sealer: sealer, now: now) }
    private var identities: IdentityRows { IdentityRows(connection: connection) }

    /// - Returns: how many live sessions there were; nil where the token was acted on before.
    func run() throws(RepositoryError) -> Int? {
        try connection.run(Self.note, record.token.hash, record.token.expiresAt)
        guard connection.changes > 0 else { return nil }
        return switch record.logout {
        case .session(let session, let subject, let former): try end([session] + former, of: subject)
        case .subject(let subject): try end(subject)
        }
    }

    private func end(_ sessions: [TokenHash], of subject: Subject?) throws(RepositoryError) -> Int {
        var count = 0
        for session in sessions { count += try end(session, of: subject) }
        return count
    }

    private func end(_ session: TokenHash, of subject: Subject?) throws(RepositoryError) -> Int {
        if try !isSomebodyElses(session, subject) { try lines.draw(record.line, forUpstream: session) }
        for subject in names(of: subject) {
            try connection.run(Self.ticketsOfSession, session, subject?.value, subject?.issuer, record.openedBy)
        }
        var identity: IdentityID?
        if let subject {
            guard let found = try identities.find(subject) else { return 0 }
            identity = found.known.identity
        }
        let rows = try connection.all(Self.sessions, session, identity, now, record.openedBy) { row in
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

    /// Whether what has come of a session is another user's than the token names, who can't end it then.
    private func isSomebodyElses(_ session: TokenHash, _ subject: Subject?) throws(RepositoryError) -> Bool {
        guard let subject else { return false }
        let issuers = connection.formerIssuers
        let others = try connection.all(Self.others, session) { row in
            issuers.current(Subject(issuer: row.text(0), value: row.text(1)))
        }
        return others.contains { $0 != issuers.current(subject) }
    }

    /// A subject under each name that its issuer has had.
    private func names(of subject: Subject?) -> [Subject?] {
        [subject] + (subject.map(connection.formerIssuers.subjects) ?? [])
    }

    private func end(_ subject: Subject) throws(RepositoryError) -> Int {
        for subject in [subject] + connection.formerIssuers.subjects(subject) {
            try connection.run(Self.ticketsOfSubject, subject.value, subject.issuer, record.openedBy)
        }
        guard let known = try identities.find(subject)?.known,
            let provider = try identities.find(known.identity, of: known.user)?.provider
        else {
            try lines.draw(record.line, for: subject)
            return 0
        }
        try lines.draw(record.line, for: known.identity)
        let count = try SessionRows(connection: connection).deleteAll(
            of: known.user, identity: known.identity, provider: provider, openedBy: record.openedBy, now: now)
        if count > 0 { try note(Ended(user: known.user, identity: known.identity)) }
        return count
    }

    private func note(_ ended: Ended) throws(RepositoryError) {
        try AuditTrail(connection: connection, now: now).add(.providerLogout, user: ended.user, old: ended.identity)
    }
}

extension SQLStore {
    public func endSessions(_ record: LogoutRecord) async throws(RepositoryError) -> Int? {
        try await write { [sealer] connection throws(RepositoryError) in
            try ProviderLogoutRows(connection: connection, sealer: sealer, record: record).run()
        }
    }
}
