public import Accounts

/// The identities table.
struct IdentityRows {
    /// An identity with what signing in by it needs of its user.
    struct Found {
        let known: Migration.Known
        let reference: String
        let sealedProfile: [UInt8]
        /// How many sessions may be opened by it before they are counted, under a maximum of `roomOf`.
        let room: Int64
        let roomOf: Int64
    }

    private static let exists = Query("SELECT 1 FROM identities WHERE subject = ? AND issuer = ?")
    private static let find = Query(
        """
        SELECT identities.id, user_id, reference, profile, room, room_of FROM identities JOIN users ON users.id = user_id
        WHERE subject = ? AND issuer = ?
        """)
    private static let columns = """
        id, provider, issuer, subject, origin, linked, last_sign_in, iif(email_stopped, email_said, NULL)
        """
    private static let ofUser = Query("SELECT \(columns) FROM identities WHERE user_id = ? ORDER BY linked, id")
    private static let byID = Query("SELECT \(columns) FROM identities WHERE id = ? AND user_id = ?")
    private static let insert = Query(
        """
        INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
    private static let atProvider = Query("SELECT 1 FROM identities WHERE user_id = ? AND provider = ? LIMIT 1")
    private static let touch = Query("UPDATE identities SET last_sign_in = ?, room = room - 1 WHERE id = ?")
    private static let delete = Query("DELETE FROM identities WHERE id = ?")

    let connection: Connection

    func exists(_ subject: Subject) throws(RepositoryError) -> Bool {
        try connection.first(Self.exists, subject.value, subject.issuer) { _ in true } ?? false
    }

    func find(_ subject: Subject) throws(RepositoryError) -> Found? {
        try connection.first(Self.find, subject.value, subject.issuer) { row in
            Found(
                known: Migration.Known(
                    identity: IdentityID(rawValue: row.integer(0)), user: UserID(rawValue: row.integer(1))),
                reference: row.text(2), sealedProfile: row.blob(3), room: row.integer(4), roomOf: row.integer(5))
        }
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
            lastSignInAt: row.integer(6), emailStoppedAt: row.optionalInteger(7))
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

    /// One more sign-in, which takes of the room for sessions (``SessionRoom``).
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
