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

/// Up to which number users, identities and events of the audit trail were given theirs.
struct GivenNumbers {
    /// More than any service gives between a backup and its restore: what was given then nobody may know any more.
    private static let margin: Int64 = 1_000_000_000

    private static let find = Query("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?")
    private static let forget = Query("DELETE FROM sqlite_sequence WHERE name = ?")
    private static let set = Query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
    // The number of users is told from the numbers, so those that nobody ever had count as erased.
    private static let countAsErased = Query("UPDATE meta SET value = value + ? WHERE name = 'erased_users'")

    var users: Int64
    var identities: Int64
    var events: Int64

    init(users: Int64, identities: Int64, events: Int64) {
        (self.users, self.identities, self.events) = (users, identities, events)
    }

    init(_ connection: SQLiteConnection) throws(RepositoryError) {
        self.init(
            users: try Self.last("users", connection), identities: try Self.last("identities", connection),
            events: try Self.last("audit", connection))
    }

    /// The last number that a row of a table was given.
    static func last(_ table: String, _ connection: any Connection) throws(RepositoryError) -> Int64 {
        try connection.first(find, table) { $0.integer(0) } ?? 0
    }

    static func setLast(_ number: Int64, _ table: String, _ connection: any Connection) throws(RepositoryError) {
        try connection.run(forget, table)
        try connection.run(set, table, number)
    }

    mutating func raise(to other: GivenNumbers) {
        users = max(users, other.users)
        identities = max(identities, other.identities)
        events = max(events, other.events)
    }

    /// Sees to it that the store gives none of these, nor any within the margin behind them.
    ///
    /// - Returns: up to which it gives none.
    func pass(in connection: SQLiteConnection) throws(RepositoryError) -> GivenNumbers {
        let before = try GivenNumbers(connection)
        let passed = GivenNumbers(
            users: users + Self.margin, identities: identities + Self.margin, events: events + Self.margin)
        for (table, number) in [
            ("users", passed.users), ("identities", passed.identities), ("audit", passed.events),
        ] {
            try Self.setLast(number, table, connection)
        }
        try connection.run(Self.countAsErased, passed.users - before.users)
        return passed
    }

    /// Has the ledger's next record come behind one.
    static func passRecord(_ number: Int64, in connection: SQLiteConnection) throws(RepositoryError) {
        guard try number > LedgerRows.last(connection) else { return }
        try setLast(number, "ledger", connection)
    }
}
