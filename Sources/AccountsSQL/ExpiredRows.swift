public import Accounts

/// What is of no use any more. Each table finds its rows by an index on the expiry, and no step takes long. Sessions
/// have none: ``SessionSweep``.
package struct ExpiredRows {
    package let connection: any StoreConnection
    package let tables: StoreTables

    package init(connection: any StoreConnection, tables: StoreTables) {
        (self.connection, self.tables) = (connection, tables)
    }

    /// - Returns: how many went, `limit` at most.
    package func remove(now: Int64, lingering: Int64?, limit: Int) throws(RepositoryError) -> Int {
        var removed = 0
        for table in tables.all {
            guard removed < limit, let query = table.sweep else { continue }
            guard let time = table.table.lingers ? lingering.map({ now - $0 }) : now else { continue }
            try connection.run(query, time, Int64(limit - removed))
            removed += connection.changes
        }
        return removed
    }
}

/// A small durable write, which succeeds where a sign-in would.
struct Probe {
    private static let set = Query(
        "INSERT INTO meta (name, value) VALUES ('probed', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1")

    let connection: any StoreConnection

    func set(now: Int64) throws(RepositoryError) { try connection.run(Self.set, now) }
}

extension SQLStore {
    public func probe(now: Int64) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in try Probe(connection: connection).set(now: now) }
    }
}
