public import Accounts
internal import AccountsSQL
internal import Synchronization
internal import System
public import Telemetry

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
            return try await Self.aside("gatehouse.store.check") { () throws(RepositoryError) in
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

extension SQLiteAccounts: MetricSource {
    private static let labels: [MetricSample.Label] = [("store", "sqlite")]
    private static let groupSizes = MetricFamily(
        .histogram, "gatehouse_store_group_size", "How many writes one commit was of.")
    private static let logBytes = MetricFamily(
        .gauge, "gatehouse_store_wal_bytes", unit: "bytes", "Size of the store's write-ahead log.")
    private static let lockedOut = MetricFamily(
        .counter, "gatehouse_store_busy", "How often another process had the lock for longer than a statement waits.")

    /// What is measured of the file and of who writes to it.
    public func readings() -> [MetricReading] {
        let log = (try? FileStatus(of: FileNames.resolved(settings.path) + "-wal"))?.size ?? 0
        return [
            MetricReading(
                Self.groupSizes, [MetricSample(Self.labels, .histogram(writer.groupSizes.reading))]),
            MetricReading(Self.logBytes, [MetricSample(Self.labels, Double(log))]),
            MetricReading(Self.lockedOut, [MetricSample(Self.labels, Double(writer.lockedOut.total))]),
        ]
    }
}

/// What the file takes of the disk and does not need any more.
extension SQLiteAccounts {
    /// Pages that stay free at least, for what is stored next.
    private static let keptPages: Int64 = 1024
    /// As a part of all pages: rows come and go, and a page that is given back must be had again.
    private static let keptPart: Int64 = 8
    /// How many pages one transaction gives back: others wait for it.
    private static let pagesPerStep: Int64 = 64
    private static let counts = Query("SELECT (SELECT * FROM pragma_freelist_count), (SELECT * FROM pragma_page_count)")

    /// Gives a few pages that have been free back to the file system. It is the next copying back of the log that cuts
    /// the file. A file of an earlier version gives back nothing until it is compacted.
    ///
    /// - Returns: whether there is more to give back.
    public func giveBackSpace() async throws(RepositoryError) -> Bool {
        let found = try await readers.read { connection throws(RepositoryError) in try Self.spare(connection) }
        guard found > 0 else { return false }
        return try await writer.write { connection throws(RepositoryError) in
            let before = try Self.spare(connection)
            guard before > 0 else { return false }
            try connection.execute("PRAGMA incremental_vacuum(\(min(before, Self.pagesPerStep)))")
            let after = try Self.spare(connection)
            return after > 0 && after < before
        }
    }

    private static func spare(_ connection: SQLiteConnection) throws(RepositoryError) -> Int64 {
        try connection.first(counts) { $0.integer(0) - max(keptPages, $0.integer(1) / keptPart) } ?? 0
    }
}
