import Accounts
import AccountsSQL
import System

/// What a restore must know of the store that it replaces, as far as that can still be read.
struct PresentStore {
    /// The newest record of its ledger.
    let lastRecord: Int64
    /// Records that may not be in the file yet.
    let waiting: [String]
    let ledgerKeys: [[UInt8]]
    let numbers: GivenNumbers

    /// Reads it and changes nothing. Under both locks.
    ///
    /// - Returns: nil when there is none, or it can't be read, or it is of an earlier version.
    static func read(_ settings: SQLiteSettings, _ sealer: StoreSealer) -> PresentStore? {
        guard FileNames.exists(settings.path) else { return nil }
        let log = FileNames.resolved(settings.path) + "-wal"
        let hasLog = FileNames.exists(log)
        // What it takes to read is an empty log, which nobody else may need by now.
        defer {
            if !hasLog {
                for name in [log, FileNames.resolved(settings.path) + "-shm"] { try? FileNames.remove(name) }
            }
        }
        return find(settings, sealer)
    }

    private static func find(_ settings: SQLiteSettings, _ sealer: StoreSealer) -> PresentStore? {
        do throws(RepositoryError) {
            let connection = try SQLiteConnection(
                path: settings.path, isWritable: true, busyTimeout: settings.busyTimeout)
            try connection.setCommonOptions(settings, cacheKiB: settings.writerCacheKiB)
            try Schema.check(connection)
            guard try Schema.isCurrent(connection) else { return nil }
            try KeyRingRows(connection: connection).open(sealer)
            return try connection.snapshot { () throws(RepositoryError) in
                PresentStore(
                    lastRecord: try LedgerRows.last(connection),
                    waiting: try LedgerRows.waiting(connection).map(\.line),
                    ledgerKeys: try SecretKeyRows(connection: connection).keys(for: .ledger, sealer),
                    numbers: try GivenNumbers(connection))
            }
        } catch {
            return nil
        }
    }
}
