public import Accounts
import AccountsSQL
import CSQLite
import System

/// What an operator wants to know of the store's files.
public struct StoreStatus: Sendable, Equatable {
    /// How the server's writes came together, from its start to its last sweep.
    public struct Writes: Sendable, Equatable {
        public let commits: Int64
        public let writes: Int64
        /// How many writes the largest commit had.
        public let largest: Int64
    }

    public let databaseBytes: Int64
    public let logBytes: Int64
    public let pageBytes: Int64
    public let pages: Int64
    /// Pages of the database that are empty; what is stored next goes there.
    public let freePages: Int64
    /// How many steps of the schema were taken.
    public let schema: Int64
    /// When the log was last copied back, in seconds since 1970: nothing else writes to the database's file.
    public let checkpointedAt: Int64
    /// Whether the log may have pages of somebody who was erased.
    public let hasErasureInLog: Bool
    /// How many used codes have not expired.
    public let liveCodes: Int64
    /// Nil when no server has swept the store yet.
    public let serverWrites: Writes?
}

/// The rows that a server leaves of its ``GroupCounts`` for those who ask from outside.
struct StatusRows {
    private static let set = Query(
        """
        INSERT INTO meta (name, value)
        VALUES ('server_commits', ?1), ('server_writes', ?2), ('server_largest_commit', ?3)
        ON CONFLICT DO UPDATE SET value = excluded.value
        """)
    private static let find = Query(
        """
        SELECT (SELECT value FROM meta WHERE name = 'server_commits'),
            (SELECT value FROM meta WHERE name = 'server_writes'),
            (SELECT value FROM meta WHERE name = 'server_largest_commit')
        """)

    let connection: SQLiteConnection

    func set(_ counts: GroupCounts) throws(RepositoryError) {
        try connection.run(Self.set, Int64(counts.groups), Int64(counts.writes), Int64(counts.largest))
    }

    func find() throws(RepositoryError) -> StoreStatus.Writes? {
        try connection.first(Self.find) { row in
            guard let commits = row.optionalInteger(0) else { return nil }
            return StoreStatus.Writes(commits: commits, writes: row.integer(1), largest: row.integer(2))
        } ?? nil
    }
}

extension SQLiteAccounts {
    /// The version of the SQLite that this process has linked, such as `3.40.1`.
    public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

    private static let sizes = Query(
        """
        SELECT (SELECT page_size FROM pragma_page_size), (SELECT page_count FROM pragma_page_count),
            (SELECT freelist_count FROM pragma_freelist_count), (SELECT user_version FROM pragma_user_version),
            (SELECT count(*) FROM used_codes WHERE expires > ?)
        """)

    /// - Parameter now: seconds since 1970.
    public func status(now: Int64) async throws(RepositoryError) -> StoreStatus {
        let settings = settings
        return try await Self.aside("gatehouse.store.status") { () throws(RepositoryError) in
            try SQLiteConnection.reader(settings)
        } body: { connection throws(RepositoryError) in
            let path = FileNames.resolved(settings.path)
            guard let database = try? FileStatus(of: path) else { throw .unavailable(.cannotOpen) }
            let writes = try StatusRows(connection: connection).find()
            let hasErasure = try ErasureMark(connection: connection).count() != nil
            let status = try connection.first(Self.sizes, now) { row in
                StoreStatus(
                    databaseBytes: database.size, logBytes: (try? FileStatus(of: path + "-wal"))?.size ?? 0,
                    pageBytes: row.integer(0), pages: row.integer(1), freePages: row.integer(2), schema: row.integer(3),
                    checkpointedAt: Int64(database.changedSeconds), hasErasureInLog: hasErasure,
                    liveCodes: row.integer(4),
                    serverWrites: writes)
            }
            guard let status else { throw .unavailable(.corrupt) }
            return status
        }
    }
}
