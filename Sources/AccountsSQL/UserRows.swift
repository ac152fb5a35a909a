public import Accounts

/// The users table, profiles sealed.
package struct UserRows {
    private static let insert = Query(
        "INSERT INTO users (reference, profile, created, updated) VALUES (?1, ?2, ?3, ?3) RETURNING id")
    private static let setProfile = Query("UPDATE users SET profile = ?, updated = ? WHERE id = ?")
    private static let find = Query("SELECT reference, profile, created, updated FROM users WHERE id = ?")

    private static let existing = Query("SELECT 1 FROM users WHERE id = ?")

    package let connection: any StoreConnection
    package let sealer: StoreSealer

    package init(connection: any StoreConnection, sealer: StoreSealer) {
        (self.connection, self.sealer) = (connection, sealer)
    }

    package func insert(reference: String, profile: Profile, now: Int64) throws(RepositoryError) -> UserID {
        let number = try connection.first(Self.insert, reference, [UInt8](), now) { $0.integer(0) }
        guard let number else { throw .unavailable(.corrupt) }
        let user = UserID(rawValue: number)
        // In a second statement: the seal binds the number of the row, which there has to be first.
        try connection.run(Self.setProfile, try sealer.sealing(profile, .profile(of: user)), now, user)
        try ContactRows(connection: connection, sealer: sealer).insert(profile.contacts, of: user)
        return user
    }

    /// - Parameter before: what the profile was; what users are found by is only touched where that has changed.
    package func setProfile(of user: UserID, _ profile: Profile, before: Profile, now: Int64) throws(RepositoryError) {
        try connection.run(Self.setProfile, try sealer.sealing(profile, .profile(of: user)), now, user)
        let contacts = profile.contacts
        if contacts == before.contacts { return }
        try ContactRows(connection: connection, sealer: sealer).replace(contacts, of: user)
    }

    /// Takes from a user's profile what only a provider without any identity of the user could vouch for.
    package func forgetUnlinked(_ provider: String, of user: UserID, now: Int64) throws(RepositoryError) {
        guard try !IdentityRows(connection: connection).isAny(of: user, at: provider) else { return }
        guard let before = try find(user)?.profile else { throw .unavailable(.corrupt) }
        var profile = before
        profile.forget(provider: provider)
        if profile != before { try setProfile(of: user, profile, before: before, now: now) }
    }

    func sealedProfile(of user: UserID) throws(RepositoryError) -> [UInt8]? {
        try connection.first(Self.find, user) { $0.blob(1) }
    }

    package static func exists(_ id: UserID, _ connection: any StoreConnection) throws(RepositoryError) -> Bool {
        try connection.first(existing, id) { _ in true } ?? false
    }

    package func find(_ id: UserID) throws(RepositoryError) -> User? {
        try connection.first(Self.find, id) { row throws(RepositoryError) in
            User(
                id: id, reference: row.text(0), profile: try sealer.profile(row.blob(1), .profile(of: id), connection),
                createdAt: row.integer(2), updatedAt: row.integer(3))
        }
    }
}

extension SQLStore {
    public func editProfile(
        under session: SessionID, _ edits: [ProfileEdit], demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> EditOutcome {
        try await write(of: .session(session)) { [sealer] connection throws(RepositoryError) in
            let users = UserRows(connection: connection, sealer: sealer)
            guard let session = try SessionRows(connection: connection).find(session, now: now),
                var found = try users.find(session.user)
            else { return .refused(.sessionGone) }
            let before = found.profile
            let changes = found.profile.edit(edits, reference: found.reference)
            guard !changes.isEmpty else { return .edited(found) }
            let sensitive = SensitiveSession(connection: connection, now: now)
            for act in Set(changes.compactMap(\.sensitiveAct)) {
                if case .refused(let refusal) = try sensitive.check(session.id, act, demands: demands) {
                    return .refused(refusal)
                }
            }
            found.updatedAt = now
            try users.setProfile(of: found.id, found.profile, before: before, now: now)
            try AuditTrail(connection: connection, now: now)
                .add(.profileEdited, user: found.id, fields: changes.map(\.name))
            return .edited(found)
        }
    }

    public func authenticatedUser(of id: SessionID, now: Int64) async throws(RepositoryError) -> AuthenticatedUser? {
        try await read { [sealer] connection throws(RepositoryError) in
            guard let session = try SessionRows(connection: connection).find(id, now: now),
                // A user who was erased between the two has no session either.
                let user = try UserRows(connection: connection, sealer: sealer).find(session.user)
            else { return nil }
            return AuthenticatedUser(session: session, user: user)
        }
    }

    public func user(_ id: UserID) async throws(RepositoryError) -> User? {
        try await read { [sealer] connection throws(RepositoryError) in
            try UserRows(connection: connection, sealer: sealer).find(id)
        }
    }
}
