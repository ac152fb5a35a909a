package import Accounts

/// The index by which users are found by address and number: keyed hashes with whose word it is, and nothing that tells
/// the value.
package struct ContactRows {
    /// Of a hash, what is kept: more than enough to tell all addresses and numbers of the world apart.
    private static let hashBytes = 16

    /// In the order of belief.
    package enum Standing: Int64 {
        case own, given, verified
    }

    /// A key that hashes, by the number it has among the secret keys.
    package struct Key {
        package let number: Int64
        let bytes: [UInt8]
    }

    /// What is kept of an address or a number beside whose it is.
    package struct Row {
        package let hash: [UInt8]
        package let standing: Standing
        package let provider: String
    }

    private static let keys = Query(
        "SELECT number, sealed_key FROM secret_keys WHERE purpose = ? ORDER BY number DESC")
    private static let forget = Query("DELETE FROM contacts WHERE user_id = ?")
    private static let insert = Query(
        "INSERT INTO contacts (user_id, hash, standing, provider) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
    private static let find = Query(
        """
        SELECT user_id, standing, provider FROM contacts WHERE hash = ? ORDER BY standing DESC, user_id LIMIT ?
        """)

    package let connection: any StoreConnection
    package let sealer: StoreSealer

    package init(connection: any StoreConnection, sealer: StoreSealer) {
        (self.connection, self.sealer) = (connection, sealer)
    }

    /// The keys under which there may be rows, the newest first. One that does not open is left out: a process whose
    /// master key is not the store's any more goes on with the keys it knows.
    @discardableResult
    package func keys() throws(RepositoryError) -> [Key] {
        var keys: [Key] = []
        try connection.forEach(Self.keys, SecretKey.Purpose.contact.rawValue) { row throws(RepositoryError) in
            let number = row.integer(0)
            do throws(RepositoryError) {
                keys.append(Key(number: number, bytes: try sealer.contactKey(number, row.blob(1), connection)))
            } catch .unavailable(.brokenSeal) {
                return
            }
        }
        return keys
    }

    /// Puts what is known of a user in the place of what was, under the newest key.
    package func replace(_ contacts: [GivenContact], of user: UserID) throws(RepositoryError) {
        try connection.run(Self.forget, user)
        try insert(contacts, of: user)
    }

    /// What is known of a user of whom there is nothing in the index.
    package func insert(_ contacts: [GivenContact], of user: UserID) throws(RepositoryError) {
        if contacts.isEmpty { return }
        guard let key = try keys().first else { throw .unavailable(.brokenSeal) }
        for row in try Self.rows(of: contacts, under: key, sealer) {
            try connection.run(Self.insert, user, row.hash, row.standing.rawValue, row.provider)
        }
    }

    package static func rows(
        of contacts: [GivenContact], under key: Key, _ sealer: StoreSealer
    ) throws(RepositoryError) -> [Row] {
        var rows: [Row] = []
        for contact in contacts {
            guard let hash = try hash(contact.contact, contact.value, key, sealer) else { continue }
            let (standing, provider) = row(contact.giver)
            rows.append(Row(hash: hash, standing: standing, provider: provider))
        }
        return rows
    }

    /// The users with a value, with whose word it is, the most believable first; at most `limit` rows.
    package func find(
        _ contact: Contact, _ value: String, limit: Int
    ) throws(RepositoryError) -> [(user: UserID, giver: GivenContact.Giver)] {
        var rows: [(user: UserID, standing: Int64, provider: String)] = []
        // While a new key takes over, each user's rows lie under one of both.
        for key in try keys() {
            guard let hash = try Self.hash(contact, value, key, sealer) else { return [] }
            rows += try connection.all(Self.find, hash, Int64(limit)) {
                (UserID(rawValue: $0.integer(0)), $0.integer(1), $0.text(2))
            }
        }
        rows.sort { ($1.standing, $0.user.rawValue) < ($0.standing, $1.user.rawValue) }
        return try rows.prefix(limit).map { row throws(RepositoryError) in
            guard let standing = Standing(rawValue: row.standing) else { throw .unavailable(.corrupt) }
            return (row.user, Self.giver(standing, row.provider))
        }
    }

    private static func hash(
        _ contact: Contact, _ value: String, _ key: Key, _ sealer: StoreSealer
    ) throws(RepositoryError) -> [UInt8]? {
        guard let term = contact.searchTerm(value) else { return nil }
        return Array(try sealer.current.authenticationCode(of: term, under: key.bytes).prefix(hashBytes))
    }

    private static func row(_ giver: GivenContact.Giver) -> (Standing, provider: String) {
        switch giver {
        case .user: (.own, "")
        case .provider(let name, let isVerified): (isVerified ? .verified : .given, name ?? "")
        }
    }

    private static func giver(_ standing: Standing, _ provider: String) -> GivenContact.Giver {
        switch standing {
        case .own: .user
        case .given, .verified: .provider(provider.isEmpty ? nil : provider, isVerified: standing == .verified)
        }
    }
}
