public import Accounts

/// One step of the walk that puts every user's address and number into the index under the newest key: after an update
/// from a version without the index, and after another key was made.
///
/// Where it has come to is stored with every step, so it survives restarts, and two processes walk it together. What is
/// written before or behind it lies under the newest key already. At its end no row is left under an older key, and the
/// older keys go.
package struct ContactWalk {
    private static let newest = Query("SELECT max(number) FROM secret_keys WHERE purpose = ?")
    private static let place = Query("SELECT position FROM contact_walk WHERE key_number = ?")
    private static let save = Query(
        """
        INSERT INTO contact_walk (key_number, position) VALUES (?1, ?2) ON CONFLICT (key_number) DO UPDATE SET position = ?2
        """)
    private static let forget = Query("DELETE FROM contact_walk WHERE key_number <> ?")
    private static let anybody = Query("SELECT 1 FROM users LIMIT 1")
    private static let page = Query("SELECT id, profile FROM users WHERE id > ? ORDER BY id LIMIT ?")
    /// Stands for the place behind the last user.
    private static let end = Int64.max

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    /// Whether everybody is in the index under the newest key.
    package func isDone() throws(RepositoryError) -> Bool {
        guard let key = try newestKey() else { return false }
        return try position(key) == Self.end
    }

    /// Spares a new store the walk.
    package func finishWhereNobodyIs() throws(RepositoryError) {
        guard let key = try newestKey(), try connection.first(Self.anybody, read: { _ in true }) == nil else { return }
        try connection.run(Self.save, key, Self.end)
    }

    /// - Returns: at how many users it looked; 0 when there was nothing left to do.
    package func step(_ sealer: StoreSealer, limit: Int) throws(RepositoryError) -> Int {
        guard let key = try newestKey() else { throw .unavailable(.corrupt) }
        let position = try position(key)
        if position == Self.end { return 0 }
        let rows = ContactRows(connection: connection, sealer: sealer)
        let page = try connection.all(Self.page, position, Int64(limit)) {
            (user: UserID(rawValue: $0.integer(0)), sealed: $0.blob(1))
        }
        for entry in page {
            do throws(RepositoryError) {
                let profile = try sealer.profile(entry.sealed, .profile(of: entry.user), connection)
                try rows.replace(profile.contacts, of: entry.user)
            } catch .unavailable(.brokenSeal) {
                // Who can't be read can't be found. `store check` counts those.
                continue
            }
        }
        if let last = page.last, page.count == limit {
            try connection.run(Self.save, key, last.user)
        } else {
            try connection.run(Self.save, key, Self.end)
            try connection.run(Self.forget, key)
            try SecretKeyRows(connection: connection).forget(.contact, replacedBefore: .max)
        }
        return page.count
    }

    private func newestKey() throws(RepositoryError) -> Int64? {
        try connection.first(Self.newest, SecretKey.Purpose.contact.rawValue) { $0.optionalInteger(0) } ?? nil
    }

    private func position(_ key: Int64) throws(RepositoryError) -> Int64 {
        try connection.first(Self.place, key) { $0.integer(0) } ?? 0
    }
}

extension SQLStore {
    public func indexContacts(limit: Int) async throws(RepositoryError) -> Int {
        let isDone = try await read { connection throws(RepositoryError) in
            try ContactWalk(connection: connection).isDone()
        }
        if isDone { return 0 }
        return try await write { [sealer] connection throws(RepositoryError) in
            try ContactWalk(connection: connection).step(sealer, limit: max(1, limit))
        }
    }

    public func users(
        with contact: Contact, _ value: String, limit: Int
    ) async throws(RepositoryError) -> ContactSearch {
        try await readAside { [sealer] connection throws(RepositoryError) in
            try connection.snapshot { () throws(RepositoryError) -> ContactSearch in
                let found = try ContactRows(connection: connection, sealer: sealer)
                    .find(contact, value, limit: min(limit, .max - 1) + 1)
                var matches: [ContactMatch] = []
                for (user, giver) in found.prefix(limit) {
                    if let index = matches.firstIndex(where: { $0.user.id == user }) {
                        matches[index].givers.append(giver)
                    } else if let summary = try Summaries.find(user, connection) {
                        matches.append(ContactMatch(user: summary, givers: [giver]))
                    }
                }
                return ContactSearch(
                    matches: matches, hasMore: found.count > limit,
                    isComplete: try ContactWalk(connection: connection).isDone())
            }
        }
    }
}
