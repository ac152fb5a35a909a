public import Accounts

/// A connection to a database, as the statements of the repository see it; an engine makes one. Used by one thread at a
/// time.
///
/// Whatever is run on it belongs to one transaction, which whoever hands it out begins and ends.
open class Connection {
    /// Whether something was recorded for the ledger that is not in its file yet.
    package var hasLedgerNews = false
    /// Up to which number the records are in the file.
    package var recordedUpTo: Int64 = 0

    public init() {}

    /// The statement of a query, ready for its values.
    open func statement(_ query: Query) throws(RepositoryError) -> Statement { throw .unavailable(.closed) }

    /// How many rows the last INSERT, UPDATE or DELETE touched.
    open var changes: Int { 0 }

    /// Reads several things as of one moment.
    open func snapshot<Value>(_ body: () throws(RepositoryError) -> Value) throws(RepositoryError) -> Value {
        try body()
    }

    /// How many users there are, more or less where counting them would take long.
    open func userCount() throws(RepositoryError) -> Int { 0 }

    /// The last number that a table's rows were given by itself, whether or not that row is still there; 0 before the
    /// first.
    open func lastNumber(of table: String, _ column: String) throws(RepositoryError) -> Int64 { 0 }

    /// Has a table number its next row by the one behind.
    open func setLastNumber(_ number: Int64, of table: String, _ column: String) throws(RepositoryError) {}

    /// Sees to it that nothing is left anywhere of the rows that this transaction has removed.
    open func noteErasure() throws(RepositoryError) {}

    /// Runs a statement to its end.
    package final func run<each Value: Bindable>(
        _ query: Query, _ values: repeat each Value
    ) throws(RepositoryError) {
        let statement = try statement(query)
        defer { statement.reset() }
        try bind(statement, repeat each values)
        while try statement.step() {}
    }

    /// Runs a query and reads its first row.
    ///
    /// - Returns: nil when there is none.
    package final func first<Row, each Value: Bindable>(
        _ query: Query, _ values: repeat each Value, read: (Statement) throws(RepositoryError) -> Row
    ) throws(RepositoryError) -> Row? {
        let statement = try statement(query)
        defer { statement.reset() }
        try bind(statement, repeat each values)
        return try statement.step() ? try read(statement) : nil
    }

    /// Runs a query and reads all of its rows.
    package final func all<Row, each Value: Bindable>(
        _ query: Query, _ values: repeat each Value, read: (Statement) throws(RepositoryError) -> Row
    ) throws(RepositoryError) -> [Row] {
        var rows: [Row] = []
        try forEach(query, repeat each values) { row throws(RepositoryError) in rows.append(try read(row)) }
        return rows
    }

    /// Runs a query and shows each of its rows to `body`.
    package final func forEach<each Value: Bindable>(
        _ query: Query, _ values: repeat each Value, body: (Statement) throws(RepositoryError) -> Void
    ) throws(RepositoryError) {
        let statement = try statement(query)
        defer { statement.reset() }
        try bind(statement, repeat each values)
        while try statement.step() { try body(statement) }
    }

    private func bind<each Value: Bindable>(
        _ statement: Statement, _ values: repeat each Value
    ) throws(RepositoryError) {
        var index: Int32 = 1
        for value in repeat each values {
            try statement.bind(value, at: index)
            index += 1
        }
    }
}
