public import Accounts

/// Under which issuers users are stored, as the start and operators have to know.
struct IssuerRows {
    private static let counts = Query(
        "SELECT provider, issuer, count(*) FROM identities GROUP BY provider, issuer ORDER BY provider, issuer")
    private static let doubles = Query(
        """
        SELECT former.id, former.user_id, here.id, here.user_id
        FROM identities AS former JOIN identities AS here ON here.subject = former.subject AND here.issuer = ?2
        WHERE former.issuer = ?1 AND former.id > ?3 ORDER BY former.id LIMIT ?4
        """)
    private static let noted = Query(
        "SELECT value FROM meta WHERE name = 'providers'",
        postgres: "SELECT content FROM meta WHERE name = 'providers'")
    private static let note = Query(
        "INSERT INTO meta (name, value) VALUES ('providers', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
        postgres:
            "INSERT INTO meta (name, content) VALUES ('providers', ?1) ON CONFLICT (name) DO UPDATE SET content = ?1")

    let connection: any StoreConnection

    func identityCounts() throws(RepositoryError) -> [IdentityCount] {
        try connection.all(Self.counts) { row in
            IdentityCount(provider: row.text(0), issuer: row.text(1), count: Int(row.integer(2)))
        }
    }

    func doubles(after: IdentityID?, limit: Int) throws(RepositoryError) -> [DoubleIdentity] {
        var found: [DoubleIdentity] = []
        for (former, current) in connection.formerIssuers.all {
            found += try connection.all(Self.doubles, former, current, after?.rawValue ?? 0, Int64(limit)) { row in
                func known(_ column: Int32) -> Migration.Known {
                    Migration.Known(
                        identity: IdentityID(rawValue: row.integer(column)),
                        user: UserID(rawValue: row.integer(column + 1)))
                }
                return DoubleIdentity(former: known(0), current: known(2))
            }
        }
        return Array(found.sorted { $0.former.identity.rawValue < $1.former.identity.rawValue }.prefix(limit))
    }

    func notedProviders() throws(RepositoryError) -> [UInt8]? {
        try connection.first(Self.noted) { $0.blob(0) }
    }

    func note(_ content: [UInt8]) throws(RepositoryError) { try connection.run(Self.note, content) }
}

extension SQLStore {
    public func identityCounts() async throws(RepositoryError) -> [IdentityCount] {
        try await readAside { connection throws(RepositoryError) in
            try IssuerRows(connection: connection).identityCounts()
        }
    }

    public func doubleIdentities(after: IdentityID?, limit: Int) async throws(RepositoryError) -> [DoubleIdentity] {
        try await readAside { connection throws(RepositoryError) in
            try IssuerRows(connection: connection).doubles(after: after, limit: limit)
        }
    }

    public func notedProviders() async throws(RepositoryError) -> [UInt8]? {
        try await read { connection throws(RepositoryError) in
            try IssuerRows(connection: connection).notedProviders()
        }
    }

    public func noteProviders(_ content: [UInt8]) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in
            try IssuerRows(connection: connection).note(content)
        }
    }
}
