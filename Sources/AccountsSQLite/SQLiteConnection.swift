import Accounts
import AccountsSQL
import CSQLite
import Glibc

/// A connection to the database; the only owner of its handle, used by one queue at a time.
// @safe: the handle lives as long as this object and never leaves it.
@safe final class SQLiteConnection: StoreConnection {
    /// Settles, once in the life of the process and before its first connection, how SQLite counts its memory.
    private static let isConfigured = csqlite_disable_memory_statistics() == SQLITE_OK

    private static let begin = Query("BEGIN")
    private static let commit = Query("COMMIT")
    private static let rollback = Query("ROLLBACK")

    // User numbers have no gaps but the erased ones, so nobody needs to be counted.
    private static let users = Query(
        """
        SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'users'), 0)
            - (SELECT value FROM meta WHERE name = 'erased_users')
        """)

    let database: OpaquePointer
    let patience: LockPatience
    let log = LogLength()
    var ledger = LedgerProgress()
    var notedEvents: [NewAuditEvent]?
    var auditContext: AuditContext?
    var formerIssuers = FormerIssuers.none
    /// The queries are kept too: an identity is only good while its object lives.
    private var statements: [ObjectIdentifier: (query: Query, statement: SQLiteStatement)] = [:]

    /// Opens an existing file. Neither with its commits nor with its end does it copy the log back: that is for
    /// ``LogKeeper`` alone.
    ///
    /// - Parameter busyTimeout: how long a statement waits for another's lock before it fails.
    init(path: String, isWritable: Bool, busyTimeout: Duration = .zero) throws(RepositoryError) {
        // It changes nothing but speed, so a process that used SQLite before goes on as it was.
        _ = Self.isConfigured
        var database: OpaquePointer?
        // Without a mutex of its own: the queue that owns the connection is the mutex.
        let flags =
            (isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &database, flags, nil)
        guard code == SQLITE_OK, let database = unsafe database else {
            // SQLite makes a handle to tell about the failure, and it has to be closed too.
            unsafe sqlite3_close_v2(database)
            throw .unavailable(Unavailability(resultCode: code))
        }
        unsafe self.database = database
        patience = LockPatience(busyTimeout)
        _ = unsafe csqlite_set_defensive(database)
        _ = unsafe csqlite_set_checkpoint_on_close(database, 0)
        _ = unsafe sqlite3_wal_autocheckpoint(database, 0)
        unsafe patience.attend(database)
        unsafe log.attend(database)
    }

    deinit {
        // Before the connection, and that before what its callbacks use.
        statements = [:]
        unsafe sqlite3_close_v2(database)
    }

    var changes: Int { Int(unsafe sqlite3_changes64(database)) }

    /// Changes whenever anybody, in any process, changes the database, this connection included. Inside a transaction
    /// it tells of the snapshot that the transaction has. Asking runs no statement.
    var dataVersion: UInt32 {
        var version: UInt32 = 0
        _ = unsafe sqlite3_file_control(database, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// What ``dataVersion`` was when this connection last committed; nil before.
    var ownDataVersion: UInt32?

    /// Whether a transaction is open. After some failures SQLite has rolled it back by itself.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// Does something to a file of this connection alone, and has no room where a quota or a limit of the file's size
    /// stops a write: SQLite tells that as any other failure of a write, which its connections to the store take as a
    /// reason to open it anew.
    func tellingLimits<Value>(
        _ body: () throws(RepositoryError) -> Value
    ) throws(RepositoryError) -> Value {
        do throws(RepositoryError) {
            return try body()
        } catch .unavailable(.inputOutput) where [EDQUOT, EFBIG].contains(unsafe sqlite3_system_errno(database)) {
            throw .unavailable(.diskFull)
        }
    }

    /// Runs statements that take nothing and return nothing.
    func execute(_ text: String) throws(RepositoryError) {
        let code = unsafe sqlite3_exec(database, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw .unavailable(Unavailability(resultCode: code)) }
    }

    func snapshot<Value>(_ body: () throws(RepositoryError) -> Value) throws(RepositoryError) -> Value {
        try run(Self.begin)
        do throws(RepositoryError) {
            let value = try body()
            try run(Self.commit)
            return value
        } catch {
            // Rolling back can fail only when there is nothing left to roll back.
            if isInTransaction { try? run(Self.rollback) }
            throw error
        }
    }

    func userCount() throws(RepositoryError) -> Int { Int(try first(Self.users) { $0.integer(0) } ?? 0) }

    func lastNumber(of table: String, _ column: String) throws(RepositoryError) -> Int64 {
        try GivenNumbers.last(table, self)
    }

    func setLastNumber(_ number: Int64, of table: String, _ column: String) throws(RepositoryError) {
        try GivenNumbers.setLast(number, table, self)
    }

    func noteErasure() throws(RepositoryError) { try ErasureMark(connection: self).set() }

    func statement(_ query: Query) throws(RepositoryError) -> any Statement {
        if let prepared = statements[ObjectIdentifier(query)] { return prepared.statement }
        let statement = unsafe try SQLiteStatement(database: database, text: query.text)
        statements[ObjectIdentifier(query)] = (query, statement)
        return statement
    }
}

extension SQLiteConnection {
    private static let journalMode = Query("PRAGMA journal_mode = WAL")
    private static let spaceMode = Query("PRAGMA auto_vacuum")
    private static let incrementalSpace: Int64 = 2

    /// Opens the connection that writes.
    static func writer(_ settings: SQLiteSettings) throws(RepositoryError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: settings.path, isWritable: true, busyTimeout: settings.busyTimeout)
        try connection.setCommonOptions(settings, cacheKiB: settings.writerCacheKiB)
        try Schema.check(connection)
        // Of a file that is made now, and of one that a compaction writes anew: pages that are free can be given back.
        // Said once more of a file that is so already, it would be written.
        if try connection.first(spaceMode, read: { $0.integer(0) }) != incrementalSpace {
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        let mode = try connection.first(journalMode) { $0.text(0) }
        guard mode == "wal" else { throw .unavailable(.cannotOpen) }
        // An update may sort whole tables, which need not fit into memory.
        if try Schema.isBehind(connection) { try connection.keepTemporaryTables(inMemory: false) }
        // FULL: the log is synced with every commit, so an acknowledged change survives a power cut.
        // A log that grew in a rush is cut back to 64 MiB when it is next started over.
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = \(64 << 20);
            """)
        return connection
    }

    /// Opens a connection that only reads.
    static func reader(_ settings: SQLiteSettings) throws(RepositoryError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: settings.path, isWritable: false, busyTimeout: settings.busyTimeout)
        try connection.setCommonOptions(settings, cacheKiB: settings.readerCacheKiB)
        return connection
    }

    func setCommonOptions(_ settings: SQLiteSettings, cacheKiB: Int) throws(RepositoryError) {
        formerIssuers = settings.formerIssuers
        // A file that somebody tampered with must not run functions through its schema, nor confuse the b-tree code.
        try execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA cache_size = -\(cacheKiB);
            """)
        try keepTemporaryTables(inMemory: true)
    }

    /// Where sorting and the like keep what they need. Outside of any transaction.
    func keepTemporaryTables(inMemory: Bool) throws(RepositoryError) {
        try execute("PRAGMA temp_store = \(inMemory ? "MEMORY" : "FILE")")
    }
}
