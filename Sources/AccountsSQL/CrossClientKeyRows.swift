import Accounts

/// Which identities are one person's by a key that names the person at all clients of an issuer. An identity has one
/// key at most, and it goes with the identity.
struct CrossClientKeyRows {
    /// Whom a key leads to.
    enum Owner {
        case nobody
        case user(UserID)
        /// Several users: who signed in before the key was looked at may have become two.
        case several
    }

    // A third one would tell nothing more.
    private static let owners = Query(
        """
        SELECT DISTINCT user_id FROM cross_client_keys JOIN identities ON identities.id = identity_id
        WHERE cross_client_keys.issuer = ? AND hash = ? LIMIT 2
        """)
    private static let isNoted = Query(
        "SELECT 1 FROM cross_client_keys WHERE issuer = ? AND hash = ? AND identity_id = ?")
    private static let forget = Query("DELETE FROM cross_client_keys WHERE identity_id = ?")
    private static let insert = Query("INSERT INTO cross_client_keys (issuer, hash, identity_id) VALUES (?, ?, ?)")

    let connection: any StoreConnection
    let issuer: String

    func owner(of key: TokenHash) throws(RepositoryError) -> Owner {
        var owners: Set<UserID> = []
        for issuer in [issuer] + connection.formerIssuers.names(of: issuer) {
            owners.formUnion(
                try connection.all(Self.owners, issuer, key) { row in UserID(rawValue: row.integer(0)) })
        }
        guard let first = owners.first else { return .nobody }
        return owners.count == 1 ? .user(first) : .several
    }

    /// Writes down the key that an identity has now.
    func note(_ key: TokenHash, of identity: IdentityID) throws(RepositoryError) {
        let isNoted = try connection.first(Self.isNoted, issuer, key, identity) { _ in true } ?? false
        if isNoted { return }
        try connection.run(Self.forget, identity)
        try connection.run(Self.insert, issuer, key, identity)
    }
}
