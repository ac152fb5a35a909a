public import Accounts

/// The few rows whose types differ between engines: what the store knows of itself, and how far it is sealed anew. They
/// are copied together with the mark that a copy has begun.
struct CopiedHead: Equatable, Sendable {
    private struct Fact: Equatable {
        let name: String
        let number: Int64?
        let content: [UInt8]?
        let word: String?
    }

    // A file has a value of any type where PostgreSQL has a column for each. Names that one engine gives, and what is
    // counted anew at the end, stay where they are.
    private static let facts = Query(
        """
        SELECT name, CASE typeof(value) WHEN 'integer' THEN value END, CASE typeof(value) WHEN 'blob' THEN value END,
            CASE typeof(value) WHEN 'text' THEN value END
        FROM meta WHERE name NOT IN (\(own)) ORDER BY name
        """,
        postgres: "SELECT name, value, content, word FROM meta WHERE name NOT IN (\(own)) ORDER BY name")
    private static let own =
        """
        'erased_users', 'erasure_in_log', 'server_commits', 'server_writes', 'server_largest_commit', 'backup_wanted', \
        'backup_state', 'probed', 'failed_sign_ins', 'epoch', 'beat', 'timeline', 'code_uses_since', 'session_walk', \
        'ledger_before', '\(CopyMark.name)'
        """
    private static let insert = Query(
        "INSERT INTO meta (name, value) VALUES (?1, coalesce(?2, ?3, ?4)) ON CONFLICT DO NOTHING",
        postgres: "INSERT INTO meta (name, value, content, word) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")
    private static let sealProof = "seal_proof"

    private let facts: [Fact]
    private let resealing: [ResealPlace]

    init(_ connection: any StoreConnection, _ tables: StoreTables) throws(RepositoryError) {
        facts = try connection.all(Self.facts) { row in
            Fact(
                name: row.text(0), number: row.optionalInteger(1), content: row.isNull(2) ? nil : row.blob(2),
                word: row.optionalText(3))
        }
        resealing = try ResealPlace.all(connection, tables)
    }

    var isEmpty: Bool { facts.isEmpty && resealing.isEmpty }

    /// What no two stores have alike: a value that was sealed when the store was made, or when it was last sealed anew.
    var proof: [UInt8]? { facts.first { $0.name == Self.sealProof }?.content }

    func write(_ connection: any StoreConnection) throws(RepositoryError) {
        for fact in facts { try connection.run(Self.insert, fact.name, fact.number, fact.content, fact.word) }
        for place in resealing { try place.save(connection) }
    }
}

/// Says that a store is being filled with what another one has. Until that is done nobody may serve it: half of the
/// users would be new users.
package enum CopyMark {
    static let name = "unfinished_copy"

    private static let insert = Query("INSERT INTO meta (name, value) VALUES ('\(name)', 1) ON CONFLICT DO NOTHING")
    private static let find = Query("SELECT 1 FROM meta WHERE name = '\(name)'")
    private static let remove = Query("DELETE FROM meta WHERE name = '\(name)'")

    static func isThere(_ connection: any StoreConnection) throws(RepositoryError) -> Bool {
        try connection.first(find) { _ in true } ?? false
    }

    /// - Throws: `.unfinishedCopy`.
    package static func refuse(_ connection: any StoreConnection) throws(RepositoryError) {
        if try isThere(connection) { throw .notOpened(.unfinishedCopy) }
    }

    static func set(_ connection: any StoreConnection) throws(RepositoryError) { try connection.run(insert) }

    static func clear(_ connection: any StoreConnection) throws(RepositoryError) { try connection.run(remove) }
}

/// The mark that a step of the schema leaves in a store that is older than itself. It goes with a copy as the other
/// facts do.
private let olderDefaults = Query("SELECT 1 FROM meta WHERE name = 'older_defaults'")

extension SQLStore {
    public func hasOlderDefaults() async throws(RepositoryError) -> Bool {
        try await read { connection throws(RepositoryError) in
            try connection.first(olderDefaults) { _ in true } ?? false
        }
    }
}
