public import Accounts
import AccountsSQL

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
