public import Accounts

/// The identities table.
package struct IdentityRows {
    /// An identity with what signing in by it needs of its user.
    package struct Found {
        let known: Migration.Known
        let bar: Bar
        let reference: String
        let sealedProfile: [UInt8]
        /// How many sessions of the source that was asked for may be opened by it before they are counted, under a
        /// maximum of `roomOf`.
        let room: Int64
        let roomOf: Int64
        /// What the user has agreed that the app may do which was asked for; nil for nothing.
        let agreed: String?
        /// The name of the issuer under which it is stored, where that is a former one.
        var formerIssuer: String?
    }

    /// What may keep out who signs in by it.
    struct Bar {
        let line: NotBefore
        /// In seconds since 1970; 0 where it is not locked.
        let lockedUntil: Int64
    }

    private static let exists = Query("SELECT 1 FROM identities WHERE subject = ? AND issuer = ?")
    private static let find = finding(.signIn)
    private static let findExchanging = finding(.tokenExchange)
    // Read with the identity, so that it costs no way to the server of its own.
    private static let findForApp = finding(
        .signIn,
        andAgreed: "(SELECT scope FROM consents WHERE consents.user_id = identities.user_id AND consents.client = ?3)")
    private static let columns = """
        id, provider, issuer, subject, origin, linked, last_sign_in, CASE WHEN email_stopped <> 0 THEN email_said END,
        locked_until
        """
    private static let ofUser = Query("SELECT \(columns) FROM identities WHERE user_id = ? ORDER BY linked, id")
    private static let byID = Query("SELECT \(columns) FROM identities WHERE id = ? AND user_id = ?")
    private static let insert = Query(
        """
        INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        RETURNING id
        """)
    private static let atProvider = Query("SELECT 1 FROM identities WHERE user_id = ? AND provider = ? LIMIT 1")
    private static let touch = touching(.signIn)
    private static let touchExchanging = touching(.tokenExchange)
    private static let delete = Query("DELETE FROM identities WHERE id = ?")
    // Of two who find it under the former name one gives it the other.
    private static let rename = Query("UPDATE identities SET issuer = ?2 WHERE id = ?1 AND issuer = ?3")

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    package func exists(_ subject: Subject) throws(RepositoryError) -> Bool {
        for subject in [subject] + connection.formerIssuers.subjects(subject)
        where try connection.first(Self.exists, subject.value, subject.issuer, read: { _ in true }) ?? false {
            return true
        }
        return false
    }

    private static func finding(_ source: SessionSource, andAgreed agreed: String = "NULL") -> Query {
        Query(
            """
            SELECT identities.id, identities.user_id, reference, profile, \(source.room), \(source.roomOf), not_before,
                authenticated_after, locked_until, \(agreed)
            FROM identities JOIN users ON users.id = identities.user_id
            WHERE subject = ?1 AND issuer = ?2
            """)
    }

    private static func touching(_ source: SessionSource) -> Query {
        Query("UPDATE identities SET last_sign_in = ?, \(source.room) = \(source.room) - 1 WHERE id = ?")
    }

    /// Finds an identity, also under a name that its issuer had before. Where both are there, which is two users', it
    /// is the one under the current name: the other has not been signed in by since the issuer changed.
    ///
    /// - Parameters:
    ///   - source: of whose sessions the room is told.
    ///   - client: of which app it is told what the user has agreed to; nil for none.
    package func find(
        _ subject: Subject, opening source: SessionSource = .signIn, for client: String? = nil
    ) throws(RepositoryError) -> Found? {
        if let found = try findStored(subject, source, client) { return found }
        for former in connection.formerIssuers.subjects(subject) {
            guard var found = try findStored(former, source, client) else { continue }
            found.formerIssuer = former.issuer
            return found
        }
        return nil
    }

    private func findStored(
        _ subject: Subject, _ source: SessionSource, _ client: String?
    ) throws(RepositoryError) -> Found? {
        if let client {
            return try connection.first(Self.findForApp, subject.value, subject.issuer, client) { Self.found($0) }
        }
        let query =
            switch source {
            case .signIn: Self.find
            case .tokenExchange: Self.findExchanging
            }
        return try connection.first(query, subject.value, subject.issuer) { Self.found($0) }
    }

    private static func found(_ row: any Statement) -> Found {
        Found(
            known: Migration.Known(
                identity: IdentityID(rawValue: row.integer(0)), user: UserID(rawValue: row.integer(1))),
            bar: Bar(
                line: NotBefore(at: row.integer(6), authenticatedAfter: row.optionalInteger(7)),
                lockedUntil: row.integer(8)),
            reference: row.text(2), sealedProfile: row.blob(3), room: row.integer(4), roomOf: row.integer(5),
            agreed: row.optionalText(9))
    }

    package func all(of user: UserID) throws(RepositoryError) -> [Identity] {
        try connection.all(Self.ofUser, user) { row throws(RepositoryError) in
            try Self.identity(row, of: user)
        }
    }

    package func find(_ identity: IdentityID, of user: UserID) throws(RepositoryError) -> Identity? {
        try connection.first(Self.byID, identity, user) { row throws(RepositoryError) in
            try Self.identity(row, of: user)
        }
    }

    private static func identity(_ row: any Statement, of user: UserID) throws(RepositoryError) -> Identity {
        guard let origin = Identity.Origin(rawValue: row.text(4)) else { throw .unavailable(.corrupt) }
        return Identity(
            id: IdentityID(rawValue: row.integer(0)), user: user, provider: row.text(1),
            subject: Subject(issuer: row.text(2), value: row.text(3)), origin: origin, linkedAt: row.integer(5),
            lastSignInAt: row.integer(6), emailStoppedAt: row.optionalInteger(7), lockedUntil: row.integer(8))
    }

    package func isAny(of user: UserID, at provider: String) throws(RepositoryError) -> Bool {
        try connection.first(Self.atProvider, user, provider) { _ in true } ?? false
    }

    package func insert(
        _ subject: Subject, user: UserID, provider: String, origin: Identity.Origin, now: Int64
    ) throws(RepositoryError) -> IdentityID {
        try insert(subject, user, provider, origin, linkedAt: now, lastSignIn: now)
    }

    /// An identity that nobody has signed in by yet.
    package func insertUnused(
        _ subject: Subject, user: UserID, provider: String, linkedAt: Int64
    ) throws(RepositoryError) -> IdentityID {
        try insert(subject, user, provider, .imported, linkedAt: linkedAt, lastSignIn: 0)
    }

    private func insert(
        _ subject: Subject, _ user: UserID, _ provider: String, _ origin: Identity.Origin, linkedAt: Int64,
        lastSignIn: Int64
    ) throws(RepositoryError) -> IdentityID {
        let number = try connection.first(
            Self.insert, user, provider, subject.issuer, subject.value, origin.rawValue, linkedAt, lastSignIn
        ) { $0.integer(0) }
        guard let number else { throw .unavailable(.corrupt) }
        return IdentityID(rawValue: number)
    }

    /// One more sign-in, which takes of the room for sessions (``SessionRoom``).
    package func touch(
        _ identity: IdentityID, opening source: SessionSource = .signIn, now: Int64
    ) throws(RepositoryError) {
        let query =
            switch source {
            case .signIn: Self.touch
            case .tokenExchange: Self.touchExchanging
            }
        try connection.run(query, now, identity)
    }

    /// Stores an identity under its issuer's current name, by which it has just been signed in, where it was found
    /// under a former one. Its number stays, and so do its sessions, its lines in time, its locks and what was granted
    /// for it.
    ///
    /// - Parameter origin: where that comes from.
    func settle(
        _ found: Found, as subject: Subject, origin: AuditOrigin? = nil, now: Int64
    ) throws(RepositoryError) {
        guard let former = found.formerIssuer else { return }
        try connection.run(Self.rename, found.known.identity, subject.issuer, former)
        guard connection.changes > 0 else { return }
        try AuditTrail(connection: connection, now: now).add(
            .identityRenamed, user: found.known.user, new: found.known.identity, origin: origin)
    }

    package func delete(_ identity: IdentityID) throws(RepositoryError) {
        try connection.run(Self.delete, identity)
    }
}

extension SessionSource {
    /// The column of `identities` for how many sessions may be opened before they are counted.
    package var room: String {
        switch self {
        case .signIn: "room"
        case .tokenExchange: "exchange_room"
        }
    }

    /// The column for the maximum under which that was counted.
    package var roomOf: String {
        switch self {
        case .signIn: "room_of"
        case .tokenExchange: "exchange_room_of"
        }
    }
}

extension SQLStore {
    public func isKnown(_ subject: Subject) async throws(RepositoryError) -> Bool {
        try await read { connection throws(RepositoryError) in
            try IdentityRows(connection: connection).exists(subject)
        }
    }

    public func identities(of user: UserID) async throws(RepositoryError) -> [Identity] {
        try await read { connection throws(RepositoryError) in
            try IdentityRows(connection: connection).all(of: user)
        }
    }
}
