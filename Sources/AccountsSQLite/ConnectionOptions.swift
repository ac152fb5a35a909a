import Accounts

extension Connection {
    private static let journalMode = Query("PRAGMA journal_mode = WAL")

    /// Opens the connection that writes.
    static func writer(_ settings: SQLiteSettings) throws(RepositoryError) -> Connection {
        let connection = try Connection(path: settings.path, isWritable: true, busyTimeout: settings.busyTimeout)
        try connection.setCommonOptions(settings, cacheKiB: settings.writerCacheKiB)
        try Schema.check(connection)
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
    static func reader(_ settings: SQLiteSettings) throws(RepositoryError) -> Connection {
        let connection = try Connection(path: settings.path, isWritable: false, busyTimeout: settings.busyTimeout)
        try connection.setCommonOptions(settings, cacheKiB: settings.readerCacheKiB)
        return connection
    }

    func setCommonOptions(_ settings: SQLiteSettings, cacheKiB: Int) throws(RepositoryError) {
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
