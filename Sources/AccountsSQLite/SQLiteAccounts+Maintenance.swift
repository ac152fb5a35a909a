public import Accounts
import AccountsSQL
import Synchronization

/// Expired rows, integrity.
extension SQLiteAccounts {
    private static let integrity = Query("PRAGMA integrity_check")
    private static let foreignKeys = Query("PRAGMA foreign_key_check")

    /// Versions that know users by their numbers alone don't open this file: there is a step that they don't know.
    public func subjectForm(_ wanted: SubjectForm?) async throws(RepositoryError) -> SubjectForm {
        try await writer.write { connection throws(RepositoryError) in
            try SubjectFormRow(connection: connection).settle(wanted)
        }
    }

    public func sweepExpired(now: Int64, lingering: Int64?, limit: Int) async throws(RepositoryError) -> Int {
        usedCodes.forget(now: now)
        if writer.log.hasRemains.load(ordering: .relaxed) { _ = try? await scrub() }
        let counts = writer.counts
        // A sweep is a commit too, and no reason to write of it.
        let isNews =
            settings.access == .server && sweptAfter.exchange(counts.groups + 1, ordering: .relaxed) != counts.groups
        let sessions = try await readers.read { [sessionSweep] connection throws(RepositoryError) in
            try sessionSweep.find(connection, expiredBy: lingering.map { now - $0 }, limit: limit)
        }
        return try await writer.write { [sessionSweep, tables] connection throws(RepositoryError) in
            if isNews { try StatusRows(connection: connection).set(counts) }
            var removed = try sessionSweep.delete(sessions, connection, expiredBy: lingering.map { now - $0 })
            removed += try ExpiredRows(connection: connection, tables: tables)
                .remove(now: now, lingering: lingering, limit: limit - removed)
            return removed
        }
    }

    public func check(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(RepositoryError) -> [String] {
        let settings = settings
        do throws(RepositoryError) {
            return try await aside("gatehouse.store.check") { () throws(RepositoryError) in
                try SQLiteConnection.reader(settings)
            } body: { [sealer, tables] connection throws(RepositoryError) in
                try Self.examine(connection, sealer, tables, progress)
            }
        } catch .unavailable(.corrupt) {
            return ["The file is so damaged that it can't be examined to the end."]
        }
    }

    /// - Returns: what is wrong with the database of a connection, and with what is sealed in it.
    static func examine(
        _ connection: SQLiteConnection, _ sealer: StoreSealer, _ tables: StoreTables,
        _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) throws(RepositoryError) -> [String] {
        let integrity = try connection.all(integrity) { $0.text(0) }.filter { $0 != "ok" }
        let orphans = try connection.all(foreignKeys) {
            "A row of \($0.text(0)) refers to a row of \($0.text(2)) that is not there."
        }
        let seals = SealCheck(connection: connection, sealer: sealer, tables: tables, progress: progress)
        return integrity + orphans + (try seals.run())
    }
}
