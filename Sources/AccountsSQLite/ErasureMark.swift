public import Accounts
import AccountsSQL
import Synchronization

/// Says that the log may still have pages of somebody who was erased. It is set in the transaction that erases, so a
/// crash forgets nothing; older versions pass over it.
struct ErasureMark {
    private static let set = Query(
        """
        INSERT INTO meta (name, value) VALUES ('erasure_in_log', 1) ON CONFLICT DO UPDATE SET value = value + 1
        """)
    private static let find = Query("SELECT value FROM meta WHERE name = 'erasure_in_log'")
    private static let renew = Query("UPDATE meta SET value = value + 1 WHERE name = 'erasure_in_log'")
    private static let clear = Query("DELETE FROM meta WHERE name = 'erasure_in_log' AND value = ?")

    let connection: any StoreConnection

    func set() throws(RepositoryError) { try connection.run(Self.set) }

    /// How often it was set and renewed; nil when it is not set.
    func count() throws(RepositoryError) -> Int64? { try connection.first(Self.find) { $0.integer(0) } }

    /// Changes it, for the sake of the write: SQLite writes no page on which everything stays as it is.
    ///
    /// - Returns: whether it is set.
    func renew() throws(RepositoryError) -> Bool {
        try connection.run(Self.renew)
        return connection.changes > 0
    }

    /// Takes it away, unless somebody was erased meanwhile.
    ///
    /// - Returns: whether it is gone.
    func clear(_ count: Int64) throws(RepositoryError) -> Bool {
        try connection.run(Self.clear, count)
        return connection.changes > 0
    }
}

/// `secure_delete` overwrites the rows in the database itself. The log still has the pages as they were until it is
/// emptied, and an ``ErasureMark`` makes the log's keeper (``LogKeeper``) do that soon after.
extension SQLiteAccounts {
    public func noteErasure() { writer.log.hasRemains.store(true, ordering: .relaxed) }

    public func scrub() async throws(RepositoryError) -> Bool {
        let log = writer.log
        let isMarked = try await writer.write { connection throws(RepositoryError) in
            guard try ErasureMark(connection: connection).renew() else { return false }
            log.hasRemains.store(true, ordering: .relaxed)
            log.hurry()
            return true
        }
        guard isMarked else { return true }
        // The log is looked after before whatever comes after the write.
        return try await writer.between { _ in !log.hasRemains.load(ordering: .relaxed) }
    }
}
