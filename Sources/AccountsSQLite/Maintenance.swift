public import Accounts
import Synchronization

/// Expired rows, readiness, integrity.
extension SQLiteAccounts {
    // Each finds its rows by an index on the expiry, and no step takes long. Sessions have none: ``SessionSweep``.
    private static let expired = [
        Query(
            """
            DELETE FROM used_codes WHERE (expires, hash) IN
                (SELECT expires, hash FROM used_codes WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM used_port_tokens WHERE hash IN
                (SELECT hash FROM used_port_tokens WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM used_challenges WHERE hash IN
                (SELECT hash FROM used_challenges WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM retired_refresh_tokens WHERE (session_id, hash) IN
                (SELECT session_id, hash FROM retired_refresh_tokens WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM failed_sign_ins WHERE id IN
                (SELECT id FROM failed_sign_ins WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM tickets WHERE hash IN (SELECT hash FROM tickets WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM pending_sign_ins WHERE number IN
                (SELECT number FROM pending_sign_ins WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM app_codes WHERE hash IN
                (SELECT hash FROM app_codes WHERE expires <= ? ORDER BY expires LIMIT ?)
            """),
        Query(
            """
            DELETE FROM pushes WHERE number IN
                (SELECT number FROM pushes WHERE forgotten <= ? ORDER BY forgotten LIMIT ?)
            """),
    ]
    private static let setProbe = Query(
        "INSERT INTO meta (name, value) VALUES ('probed', ?1) ON CONFLICT DO UPDATE SET value = ?1")
    private static let integrity = Query("PRAGMA integrity_check")
    private static let foreignKeys = Query("PRAGMA foreign_key_check")

    public func sweepExpired(now: Int64, limit: Int) async throws(RepositoryError) -> Int {
        usedCodes.forget(now: now)
        if writer.log.hasRemains.load(ordering: .relaxed) { _ = try? await scrub() }
        let counts = writer.counts
        // A sweep is a commit too, and no reason to write of it.
        let isNews =
            settings.access == .server && sweptAfter.exchange(counts.groups + 1, ordering: .relaxed) != counts.groups
        let sessions = try await readers.read { [sessionSweep] connection throws(RepositoryError) in
            try sessionSweep.find(connection, now: now, limit: limit)
        }
        return try await writer.write { [sessionSweep] connection throws(RepositoryError) in
            if isNews { try StatusRows(connection: connection).set(counts) }
            var removed = try sessionSweep.delete(sessions, connection, now: now)
            for query in Self.expired where removed < limit {
                try connection.run(query, now, Int64(limit - removed))
                removed += connection.changes
            }
            return removed
        }
    }

    public func probe(now: Int64) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in try connection.run(Self.setProbe, now) }
    }

    public func check(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(RepositoryError) -> [String] {
        let settings = settings
        do throws(RepositoryError) {
            return try await aside("gatehouse.store.check") { () throws(RepositoryError) in
                try Connection.reader(settings)
            } body: { [sealer] connection throws(RepositoryError) in
                try Self.examine(connection, sealer, progress)
            }
        } catch .unavailable(.corrupt) {
            return ["The file is so damaged that it can't be examined to the end."]
        }
    }

    /// - Returns: what is wrong with the database of a connection, and with what is sealed in it.
    static func examine(
        _ connection: Connection, _ sealer: StoreSealer,
        _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) throws(RepositoryError) -> [String] {
        let integrity = try connection.all(integrity) { $0.text(0) }.filter { $0 != "ok" }
        let orphans = try connection.all(foreignKeys) {
            "A row of \($0.text(0)) refers to a row of \($0.text(2)) that is not there."
        }
        let seals = SealCheck(connection: connection, sealer: sealer, progress: progress)
        return integrity + orphans + (try seals.run())
    }
}
