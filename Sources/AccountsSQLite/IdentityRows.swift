public import Accounts

/// The identities table.
struct IdentityRows {
    /// An identity with what signing in by it needs of its user.
    struct Found {
        let known: Migration.Known
        let reference: String
        let sealedProfile: [UInt8]
        /// The youngest session that one more leaves no room for; nil where there is room.
        var surplusSession: SessionID?
    }

    private static let exists = Query("SELECT 1 FROM identities WHERE subject = ? AND issuer = ?")
    private static let find = Query(
        """
        SELECT identities.id, user_id, reference, profile FROM identities JOIN users ON users.id = user_id
        WHERE subject = ? AND issuer = ?
        """)
    // In the same statement, since only this index has to be looked into: its entries of a user are in the order of
    // session names, which is that of time.
    private static let findSigningIn = Query(
        """
        SELECT identities.id, user_id, reference, profile, (
            SELECT sessions.id FROM sessions WHERE sessions.user_id = users.id
            ORDER BY sessions.user_id DESC, sessions.id DESC LIMIT 1 OFFSET ?3 - 1)
        FROM identities JOIN users ON users.id = user_id WHERE subject = ?1 AND issuer = ?2
        """)
    private static let columns = "id, provider, issuer, subject, origin, linked, last_sign_in"
    private static let ofUser = Query("SELECT \(columns) FROM identities WHERE user_id = ? ORDER BY linked, id")
    private static let byID = Query("SELECT \(columns) FROM identities WHERE id = ? AND user_id = ?")
    private static let insert = Query(
        """
        INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
    private static let atProvider = Query("SELECT 1 FROM identities WHERE user_id = ? AND provider = ? LIMIT 1")
    private static let touch = Query("UPDATE identities SET last_sign_in = ? WHERE id = ?")
    private static let delete = Query("DELETE FROM identities WHERE id = ?")

    let connection: Connection

    func exists(_ subject: Subject) throws(RepositoryError) -> Bool {
        try connection.first(Self.exists, subject.value, subject.issuer) { _ in true } ?? false
    }

    func find(_ subject: Subject) throws(RepositoryError) -> Found? {
        try connection.first(Self.find, subject.value, subject.issuer) { Self.found($0) }
    }

    /// For a sign-in, which opens one more session.
    ///
    /// - Parameter maximumSessions: how many sessions the user may have; nil for any number.
    func find(_ subject: Subject, maximumSessions: Int64?) throws(RepositoryError) -> Found? {
        guard let maximumSessions else { return try find(subject) }
        return try connection.first(Self.findSigningIn, subject.value, subject.issuer, maximumSessions) {
            row throws(RepositoryError) in
            var found = Self.found(row)
            if !row.isNull(4) { found.surplusSession = try row.sessionID(4) }
            return found
        }
    }

    private static func found(_ row: Statement) -> Found {
        Found(
            known: Migration.Known(
                identity: IdentityID(rawValue: row.integer(0)), user: UserID(rawValue: row.integer(1))),
            reference: row.text(2), sealedProfile: row.blob(3))
    }

    func all(of user: UserID) throws(RepositoryError) -> [Identity] {
        try connection.all(Self.ofUser, user) { row throws(RepositoryError) in
            try Self.identity(row, of: user)
        }
    }

    func find(_ identity: IdentityID, of user: UserID) throws(RepositoryError) -> Identity? {
        try connection.first(Self.byID, identity, user) { row throws(RepositoryError) in
            try Self.identity(row, of: user)
        }
    }

    private static func identity(_ row: Statement, of user: UserID) throws(RepositoryError) -> Identity {
        guard let origin = Identity.Origin(rawValue: row.text(4)) else { throw .unavailable(.corrupt) }
        return Identity(
            id: IdentityID(rawValue: row.integer(0)), user: user, provider: row.text(1),
            subject: Subject(issuer: row.text(2), value: row.text(3)), origin: origin, linkedAt: row.integer(5),
            lastSignInAt: row.integer(6))
    }

    func isAny(of user: UserID, at provider: String) throws(RepositoryError) -> Bool {
        try connection.first(Self.atProvider, user, provider) { _ in true } ?? false
    }

    func insert(
        _ subject: Subject, user: UserID, provider: String, origin: Identity.Origin, now: Int64
    ) throws(RepositoryError) -> IdentityID {
        try connection.run(Self.insert, user, provider, subject.issuer, subject.value, origin.rawValue, now, now)
        return IdentityID(rawValue: connection.lastInsertedRow)
    }

    /// An identity that nobody has signed in by yet.
    func insertUnused(
        _ subject: Subject, user: UserID, provider: String, linkedAt: Int64
    ) throws(RepositoryError) -> IdentityID {
        let origin = Identity.Origin.imported.rawValue
        try connection.run(Self.insert, user, provider, subject.issuer, subject.value, origin, linkedAt, 0 as Int64)
        return IdentityID(rawValue: connection.lastInsertedRow)
    }

    func touch(_ identity: IdentityID, now: Int64) throws(RepositoryError) {
        try connection.run(Self.touch, now, identity)
    }

    func delete(_ identity: IdentityID) throws(RepositoryError) {
        try connection.run(Self.delete, identity)
    }
}

extension SQLiteAccounts {
    public func isKnown(_ subject: Subject) async throws(RepositoryError) -> Bool {
        try await readers.read { connection throws(RepositoryError) in
            try IdentityRows(connection: connection).exists(subject)
        }
    }

    public func identities(of user: UserID) async throws(RepositoryError) -> [Identity] {
        try await readers.read { connection throws(RepositoryError) in
            try IdentityRows(connection: connection).all(of: user)
        }
    }
}
