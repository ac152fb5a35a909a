public import Accounts
import Synchronization

/// Users in one SQLite file, for one server.
///
/// One connection writes, in grouped durable commits (``Writer``), a few read (``ReaderPool``); none of it runs on a
/// thread of Swift concurrency. Each operation's SQL stands in the file of the operation.
public final class SQLiteAccounts: AccountRepository {
    let settings: SQLiteSettings
    let sealer: any Sealer
    let writer: Writer
    let readers: ReaderPool
    let usedCodes: UsedCodes
    private let lock: Mutex<ServerLock?>

    /// Opens the store, making or updating it as needed.
    ///
    /// - Parameters:
    ///   - settings: where it is, and its limits.
    ///   - now: seconds since 1970.
    ///   - unlockKeyRing: opens the stored data keys with the master key.
    /// - Throws: `.inUse`, `.newerSchema`, `.wrongMasterKey`, `.unavailable`.
    public static func open(
        _ settings: SQLiteSettings, now: Int64, unlockKeyRing: @escaping KeyRingUnlocker
    ) async throws(RepositoryError) -> SQLiteAccounts {
        try makeDatabaseFile(at: settings.path)
        let lock = settings.access == .server ? try ServerLock(database: settings.path) : nil
        let writer = Writer(settings)
        let usedCodes = UsedCodes(limit: settings.usedCodeLimit)
        do throws(RepositoryError) {
            let sealer = try await writer.write { connection throws(RepositoryError) in
                try Schema.migrate(connection)
                try CodeRows(connection: connection, usedCodes: usedCodes, now: now).load()
                return try unlock(connection, with: unlockKeyRing)
            }
            return SQLiteAccounts(settings, sealer, writer, usedCodes, lock)
        } catch {
            await writer.close()
            throw error
        }
    }

    private init(
        _ settings: SQLiteSettings, _ sealer: any Sealer, _ writer: Writer, _ usedCodes: UsedCodes,
        _ lock: consuming sending ServerLock?
    ) {
        self.settings = settings
        self.sealer = sealer
        self.writer = writer
        readers = ReaderPool(settings)
        self.usedCodes = usedCodes
        self.lock = Mutex(lock)
    }

    /// How many writes wait for the commit under way: what tells that the disk is what limits.
    public var waitingWrites: Int { writer.waiting }

    public func close() async {
        await readers.close()
        // The last connection to close copies the log into the database and removes it.
        await writer.close()
        lock.withLock { $0 = nil }
    }
}
