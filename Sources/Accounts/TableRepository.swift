/// What a row has in a column.
public enum Cell: Equatable, Sendable {
    case none
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// The rows of tables that were added to the store when it was opened (``Table``).
public protocol TableRepository: Sendable {
    /// Does work on rows in one transaction, as if nobody else did anything meanwhile. Returned means on disk; what is
    /// thrown undoes it.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - body: may be called several times, and must change nothing but rows.
    func changeRows<Value: Sendable>(
        now: Int64, _ body: @escaping @Sendable (any TableRows) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value

    /// Reads rows; each call of the reader's sees what was committed before it.
    func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any ReadableRows) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value
}

/// Rows to be read, within the call that they are handed to.
///
/// A row is its cells in the order of the table's columns, the key's first. Sealed columns are given and got as the
/// bytes that they seal. A table that the store does not have, and a row that does not fit its table, is
/// `.unavailable(.corrupt)`.
public protocol ReadableRows {
    /// - Returns: nil where no row has that key, or where it has expired by `now`.
    func find(_ key: Cell, in table: Table, now: Int64) throws(RepositoryError) -> [Cell]?

    /// Whether there are rows whose age (``Table/age``) is before a time, in seconds since 1970.
    func hasRows(of table: Table, before time: Int64) throws(RepositoryError) -> Bool
}

/// Rows to be read and changed.
public protocol TableRows: ReadableRows {
    /// - Returns: false where a row with that key is there, also one that has expired; nothing has changed then.
    func insert(_ row: [Cell], into table: Table) throws(RepositoryError) -> Bool

    /// Puts a row in the place of the one with its key.
    ///
    /// - Returns: false where there is none.
    func replace(_ row: [Cell], in table: Table) throws(RepositoryError) -> Bool

    /// - Returns: whether there was a row with that key.
    func delete(_ key: Cell, from table: Table) throws(RepositoryError) -> Bool

    /// Deletes rows whose age is before a time, the oldest first.
    ///
    /// - Returns: how many went, `limit` at most.
    func deleteRows(of table: Table, before time: Int64, limit: Int) throws(RepositoryError) -> Int

    /// Notes an event in the audit trail, with all else or not at all.
    func note(_ kind: AuditEvent.Kind, of user: UserID?) throws(RepositoryError)
}
