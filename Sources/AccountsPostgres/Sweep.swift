public import Accounts
import AccountsSQL
import Postgres

/// The removal of what has expired, a step at a time, by one instance at a time: where the walk through the sessions
/// has come to stands in the store, and who is at it holds that row. Two who looked at the same rows would wait for
/// each other.
struct Sweep {
    /// How many sessions one step looks at.
    private static let stretch: Int64 = 5000
    /// Behind every session.
    private static let end = [UInt8](repeating: 0xFF, count: 17)

    private static let make = Query(
        "INSERT INTO meta (name, content) VALUES ('session_walk', ?1) ON CONFLICT (name) DO NOTHING")
    // Another instance that is at it holds the row.
    private static let place = Query(
        "SELECT content FROM meta WHERE name = 'session_walk'",
        postgres: "SELECT content FROM meta WHERE name = 'session_walk' FOR UPDATE SKIP LOCKED")
    private static let note = Query("UPDATE meta SET content = ?1 WHERE name = 'session_walk'")
    private static let last = Query(
        "SELECT id FROM sessions WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET \(stretch - 1)")
    // Those that were refreshed meanwhile stay.
    private static let remove = Query(
        """
        DELETE FROM sessions WHERE id IN (
            SELECT id FROM sessions WHERE id > ?1 AND id <= ?2 AND expires <= ?3 ORDER BY id LIMIT ?4)
            AND expires <= ?3
        RETURNING id
        """)
    private static let removeLasting = Query(
        """
        DELETE FROM code_uses WHERE slot = \(CodeSlot.lasting.number) AND hash IN (
            SELECT hash FROM code_uses WHERE slot = \(CodeSlot.lasting.number) AND expires <= ?1
            ORDER BY expires LIMIT ?2)
        """)
    private static let removeUses = Query(
        """
        DELETE FROM code_uses WHERE (hash, slot) IN (
            SELECT hash, slot FROM code_uses WHERE expires <= ?1 ORDER BY expires LIMIT ?2)
        """)

    let connection: any StoreConnection
    let settings: PostgresSettings
    let now: Int64

    /// Makes the row where there is none.
    static func begin(_ connection: any StoreConnection) throws(RepositoryError) { try connection.run(make, [UInt8]()) }

    /// - Returns: how many rows went; 0 also where another instance is at it.
    func run(lingering: Int64?, limit: Int) throws(RepositoryError) -> Int {
        let place = try connection.first(Self.place) { $0.isNull(0) ? [] : $0.blob(0) }
        guard let place else { return 0 }
        var removed = 0
        if let lingering { removed = try removeSessions(after: place, expiredBy: now - lingering, limit) }
        removed += try removeUses(limit - removed)
        return try removed
            + ExpiredRows(connection: connection, tables: settings.tables)
            .remove(now: now, lingering: lingering, limit: limit - removed)
    }

    private func removeSessions(
        after place: [UInt8], expiredBy time: Int64, _ limit: Int
    ) throws(RepositoryError) -> Int {
        let last = try connection.first(Self.last, place) { $0.blob(0) }
        let removed = try connection.all(Self.remove, place, last ?? Self.end, time, Int64(limit)) { $0.blob(0) }
        // Behind the last that has gone, where others may be left; and a round begins anew where it is at its end.
        let farthest = removed.max { $0.lexicographicallyPrecedes($1) }
        try connection.run(Self.note, removed.count < limit ? last ?? [] : farthest ?? [])
        return removed.count
    }

    /// Uses of codes go with their whole part; these are the others.
    private func removeUses(_ limit: Int) throws(RepositoryError) -> Int {
        let query = settings.dialect == .postgresql ? Self.removeLasting : Self.removeUses
        try connection.run(query, now, Int64(limit))
        return connection.changes
    }
}

extension PostgresAccounts {
    private static let anyUse = (0..<CodeSlot.turns).map {
        Postgres.Statement("SELECT 1 FROM code_uses_\($0) LIMIT 1")
    }
    private static let empty = (0..<CodeSlot.turns).map { Postgres.Statement.once("TRUNCATE code_uses_\($0)") }
    private static let remove = Postgres.Statement("DELETE FROM code_uses WHERE slot = $1")

    public func sweepExpired(now: Int64, lingering: Int64?, limit: Int) async throws(RepositoryError) -> Int {
        if lingering == nil, settings.dialect == .postgresql {
            // An own clock that is wrong must empty nothing that others use.
            try await emptyCodeSlots(now: now, there: try await clockReading().0 / 1_000_000)
        }
        return try await write(.readCommitted) { [settings] connection throws(RepositoryError) in
            try Sweep(connection: connection, settings: settings, now: now).run(lingering: lingering, limit: limit)
        }
    }

    /// Empties the parts of `code_uses` whose half-hour is over. Who claims a code at that moment waits as long as it
    /// takes to let a file go, and where the part is locked it stays for the next time.
    ///
    /// - Parameter there: what time the server believes it to be, in seconds since 1970.
    func emptyCodeSlots(now: Int64, there: Int64) async throws(RepositoryError) {
        let margin = UsedCodeRows.graceSeconds + UsedCodeRows.marginSeconds(settings)
        let idle = CodeSlot.idle(now: there, memory: UsedCodeRows.longestSeconds, margin: margin)
        for slot in CodeSlot.idle(now: now, memory: UsedCodeRows.longestSeconds, margin: margin)
        where idle.contains(slot) {
            guard try await Work(self).any(Self.anyUse[Int(slot)]) else { continue }
            do throws(PostgresError) {
                _ = try await alone(Command(Self.empty[Int(slot)]), .durable)
            } catch .refused(.other("42501")) {
                // The tables are another role's, which has not granted that.
                try await Work(self).run(Self.remove, .integer(slot))
            } catch .refused(.lockNotAvailable) {
                continue
            } catch {
                throw RepositoryError(error)
            }
        }
    }
}
