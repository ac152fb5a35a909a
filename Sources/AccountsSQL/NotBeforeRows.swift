package import Accounts
import Syntax

/// The lines in time: of users and subjects that are known, in columns of their identities, so that what opens a
/// session and what draws a line meet at one row; of all others in a table of their own.
package struct NotBeforeRows {
    private static let later = """
        at = CASE WHEN not_before.at > excluded.at THEN not_before.at ELSE excluded.at END,
        authenticated_after = CASE
            WHEN excluded.authenticated_after IS NULL OR not_before.authenticated_after > excluded.authenticated_after
            THEN not_before.authenticated_after ELSE excluded.authenticated_after END,
        sessions_before = CASE WHEN not_before.sessions_before > excluded.sessions_before
            THEN not_before.sessions_before ELSE excluded.sessions_before END
        """
    private static let draw = Query(
        """
        INSERT INTO not_before (key, at, authenticated_after, sessions_before, user_id, expires)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET \(later),
            expires = CASE WHEN not_before.expires > excluded.expires THEN not_before.expires ELSE excluded.expires END
        WHERE not_before.at < excluded.at OR excluded.authenticated_after > coalesce(not_before.authenticated_after, 0)
        """)
    // The later one of two holds.
    private static let raise = """
        UPDATE identities SET not_before = CASE WHEN not_before > ?1 THEN not_before ELSE ?1 END,
            authenticated_after = CASE
                WHEN CAST(?2 AS BIGINT) IS NULL OR authenticated_after > ?2 THEN authenticated_after ELSE ?2 END
        """
    // Where that is the one that is there already, nothing is written.
    private static let isLater = "(not_before < ?1 OR ?2 > coalesce(authenticated_after, 0))"
    private static let raiseOfUser = Query("\(raise) WHERE user_id = ?3 AND \(isLater)")
    private static let raiseOfIdentity = Query("\(raise) WHERE id = ?3 AND \(isLater)")
    private static let ofIdentity = Query("SELECT not_before, authenticated_after FROM identities WHERE id = ?")
    private static let ofUser = Query(
        "SELECT max(not_before), max(authenticated_after) FROM identities WHERE user_id = ?")
    private static let find = find(keys: 5)
    private static let findFewest = find(keys: 2)
    private static let isThere = Query("SELECT 1 FROM not_before WHERE key = ? AND (expires > ? OR expires IS NULL)")
    private static let ofKey = Query(
        "SELECT at, authenticated_after FROM not_before WHERE key = ? AND (expires > ? OR expires IS NULL)")
    private static let forget = Query("DELETE FROM not_before WHERE user_id = ?")

    /// The latest line of so many keys, the first bindings, that is not before the last binding.
    ///
    /// Row by row: for `key IN (…)` SQLite makes a table of the keys each time, which costs more than the whole search.
    private static func find(keys: Int) -> Query {
        let rows = (1...keys).map { number in
            "SELECT at, authenticated_after FROM not_before"
                + " WHERE key = ?\(number) AND (at >= ?\(keys + 1) OR authenticated_after IS NOT NULL)"
        }
        return Query(
            "SELECT max(at), max(authenticated_after) FROM (\(rows.joined(separator: " UNION ALL "))) AS lines")
    }

    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    package init(connection: any StoreConnection, sealer: StoreSealer, now: Int64) {
        (self.connection, self.sealer, self.now) = (connection, sealer, now)
    }

    /// Draws a line for all sessions of a scope; it stays.
    func draw(_ line: NotBefore, for scope: SessionScope) throws(RepositoryError) {
        try draw(line, for: .scope(key: NotBeforeKey.scope(scope)))
    }

    /// Draws a line for all identities of a user.
    func draw(_ line: NotBefore, for user: UserID) throws(RepositoryError) { try draw(line, for: .user(user)) }

    func draw(_ line: NotBefore, for identity: IdentityID) throws(RepositoryError) {
        try draw(line, for: .identity(identity))
    }

    private func draw(_ line: NotBefore, for owner: LedgerRecord.LineOwner) throws(RepositoryError) {
        try drawAgain(line, for: owner)
        // The end of all sessions does what any other line does.
        guard line.authenticatedAfter != nil else { return }
        try LedgerRows(connection: connection, sealer: sealer, now: now)
            .add(.lineDrawn(owner, at: line.at, authenticatedAfter: line.authenticatedAfter))
    }

    /// The same without a record in the ledger.
    package func drawAgain(_ line: NotBefore, for owner: LedgerRecord.LineOwner) throws(RepositoryError) {
        switch owner {
        case .user(let user): try connection.run(Self.raiseOfUser, line.at, line.authenticatedAfter, user)
        case .identity(let identity):
            try connection.run(Self.raiseOfIdentity, line.at, line.authenticatedAfter, identity)
        case .scope(let key):
            let first = SessionID(milliseconds: line.at + 1, random: (0, 0))
            try connection.run(
                Self.draw, key, line.at, line.authenticatedAfter, first, nil as Int64?, nil as Int64?)
        }
    }

    /// Draws a line for everybody at this moment: whatever began before it opens no session.
    package func drawForEverybody() throws(RepositoryError) {
        try draw(NotBefore(at: now * 1000, authenticatedAfter: nil), for: .everybody)
    }

    /// Draws a line for a subject that nobody has, or will have in a moment.
    func draw(_ line: NotBefore, for subject: Subject) throws(RepositoryError) {
        if line == .none { return }
        try draw(line, try key(of: subject, NotBeforeKey.subject), expiresAt: now + NotBefore.shortMemorySeconds)
    }

    /// Has the identity that a subject gets keep the line that was drawn while the subject was nobody's: the sign-ins
    /// that it bars may come yet, and find somebody who has the subject.
    func carry(from subject: Subject, to identity: IdentityID) throws(RepositoryError) {
        let line = try connection.first(Self.ofKey, try key(of: subject, NotBeforeKey.subject), now) { Self.line($0) }
        if let line, line != .none { try draw(line, for: identity) }
    }

    /// Draws a line for what comes of a session at a provider. A provider that goes on with a session of that name
    /// opens others by it.
    func draw(_ line: NotBefore, forUpstream session: TokenHash) throws(RepositoryError) {
        try draw(line, NotBeforeKey.session(session), expiresAt: now + NotBefore.shortMemorySeconds)
    }

    /// Keeps a subject locked whose user is erased.
    ///
    /// - Parameters:
    ///   - user: by whose number it can be unlocked.
    ///   - until: when the lock ends by itself, in seconds since 1970; nil for never.
    func lock(_ subject: Subject, of user: UserID, until: Int64?) throws(RepositoryError) {
        try connection.run(
            Self.draw, try key(of: subject, NotBeforeKey.locked), Int64.max, nil as Int64?, nil as [UInt8]?,
            user, until)
    }

    /// Unlocks the subjects of a user who is erased.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package func unlock(_ user: UserID) throws(RepositoryError) -> Bool {
        try connection.run(Self.forget, user)
        return connection.changes > 0
    }

    /// Whether a subject that nobody has is locked.
    func isLocked(_ subject: Subject) throws(RepositoryError) -> Bool {
        try connection.first(Self.isThere, try key(of: subject, NotBeforeKey.locked), now) { _ in true } ?? false
    }

    private func key(of subject: Subject, _ prefix: String) throws(RepositoryError) -> String {
        NotBeforeKey.subject(subject, prefix, under: try sealer.subjectKey(connection), try sealer.current)
    }

    private func draw(_ line: NotBefore, _ key: String, expiresAt: Int64?) throws(RepositoryError) {
        try connection.run(
            Self.draw, key, line.at, line.authenticatedAfter, nil as [UInt8]?, nil as Int64?, expiresAt)
    }

    /// The line of the user's identities, the latest of all.
    func line(of user: UserID) throws(RepositoryError) -> NotBefore {
        try connection.first(Self.ofUser, user) { Self.line($0) } ?? .none
    }

    func line(of identity: IdentityID) throws(RepositoryError) -> NotBefore {
        try connection.first(Self.ofIdentity, identity) { Self.line($0) } ?? .none
    }

    /// The latest of the lines in the table that could bar a sign-in.
    ///
    /// - Parameter subject: where nobody has it.
    func line(
        app: String?, provider: String, upstreamSession: TokenHash?, unknown subject: Subject?,
        _ beginning: SignInBeginning
    ) throws(RepositoryError) -> NotBefore {
        let least = beginning.leastLine(now: now)
        if app == nil, upstreamSession == nil, subject == nil {
            return try connection.first(
                Self.findFewest, NotBeforeKey.everybody, NotBeforeKey.provider(provider), least
            ) { Self.line($0) } ?? .none
        }
        let subject = try subject.map { subject throws(RepositoryError) in
            try key(of: subject, NotBeforeKey.subject)
        }
        return try connection.first(
            Self.find, NotBeforeKey.everybody, app.map(NotBeforeKey.app), NotBeforeKey.provider(provider),
            upstreamSession.map(NotBeforeKey.session), subject, least
        ) { Self.line($0) } ?? .none
    }

    private static func line(_ row: any Statement) -> NotBefore {
        NotBefore(at: row.optionalInteger(0) ?? 0, authenticatedAfter: row.optionalInteger(1))
    }
}

/// What the rows of the table are found by.
package enum NotBeforeKey {
    package static let everybody = "all"
    package static let appPrefix = "app "
    package static let providerPrefix = "provider "
    /// As many as no two subjects share by chance.
    private static let hashBytes = 16

    /// Of a subject that nobody has.
    package static let subject = "subject "
    /// Of a subject whose user was erased while locked.
    package static let locked = "locked "

    package static func app(_ client: String) -> String { appPrefix + client }
    package static func provider(_ name: String) -> String { providerPrefix + name }
    package static func session(_ upstream: TokenHash) -> String { "session " + Hexadecimal.encode(upstream.bytes) }

    /// A subject is told by a hash under a key of the store's own: who has the table alone can't try out numbers.
    package static func subject(
        _ subject: Subject, _ prefix: String, under key: [UInt8], _ sealer: any Sealer
    ) -> String {
        let text = "\(prefix)\(subject.issuer.utf8.count) \(subject.issuer) \(subject.value)"
        let code = sealer.authenticationCode(of: Array(text.utf8), under: key)
        return prefix + Hexadecimal.encode(Array(code.prefix(hashBytes)))
    }

    package static func scope(_ scope: SessionScope) -> String {
        switch scope {
        case .everybody: everybody
        case .app(let client): app(client)
        case .provider(let name): provider(name)
        }
    }
}

extension StoreSealer {
    /// The key that subjects are hashed under: that of names, which is never another one.
    package func subjectKey(_ connection: any StoreConnection) throws(RepositoryError) -> [UInt8] {
        try keptSubjectKey { () throws(RepositoryError) in
            guard let key = try SecretKeyRows(connection: connection).keys(for: .directory, self).last else {
                throw .unavailable(.brokenSeal)
            }
            return key
        }
    }
}
