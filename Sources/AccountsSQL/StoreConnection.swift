public import Accounts

/// A connection to a database, as the statements of the repository see it. Used by one thread at a time.
///
/// All that stands here an engine answers for itself: what it does not have is said there, and nothing is answered for
/// it. Whatever is run on a connection belongs to one transaction, which its maker begins and ends.
public protocol StoreConnection: AnyObject {
    /// The statement of a query, ready for its values.
    func statement(_ query: Query) throws(RepositoryError) -> any Statement

    /// How many rows the last INSERT, UPDATE or DELETE touched.
    var changes: Int { get }

    /// Reads several things as of one moment.
    func snapshot<Value>(_ body: () throws(RepositoryError) -> Value) throws(RepositoryError) -> Value

    /// How many users there are, more or less where counting them would take long.
    func userCount() throws(RepositoryError) -> Int

    /// The last number that a table's rows were given by itself, whether or not that row is still there; 0 before the
    /// first.
    func lastNumber(of table: String, _ column: String) throws(RepositoryError) -> Int64

    /// Has a table number its next row by the one behind.
    func setLastNumber(_ number: Int64, of table: String, _ column: String) throws(RepositoryError)

    /// Sees to it that nothing is left anywhere of the rows that this transaction has removed.
    func noteErasure() throws(RepositoryError)

    /// Which issuers were called otherwise when some of the rows were written.
    var formerIssuers: FormerIssuers { get }

    /// What this transaction has added to the audit trail, for who is told when it is on disk; nil where nobody is.
    var notedEvents: [NewAuditEvent]? { get set }

    /// Where what this transaction does comes from; nil for what the service does by itself.
    var auditContext: AuditContext? { get set }

    /// How far the records for the ledger have come.
    var ledger: LedgerProgress { get set }
}

/// Which records for the ledger are in its file, and whether there are others.
public struct LedgerProgress: Equatable, Sendable {
    /// Whether something was recorded that is not in the file yet.
    package var hasNews = false
    /// Up to which number the records are in the file.
    package var recordedUpTo: Int64 = 0

    public init() {}
}

// What runs a statement knows it as any engine's, and not the connection's own type: so it is made once for each list
// of values, and no engine pays for the others.
extension StoreConnection {
    /// Runs a statement to its end.
    @inline(__always)
    package func run<each Value: Bindable>(
        _ query: Query, _ values: repeat each Value
    ) throws(RepositoryError) {
        try finish(try statement(query), repeat each values)
    }

    /// Runs a statement to its end, of which `bind` gives each place its value.
    func run(_ query: Query, bind: (any Statement) throws(RepositoryError) -> Void) throws(RepositoryError) {
        let statement = try statement(query)
        defer { statement.reset() }
        try bind(statement)
        while try statement.step() {}
    }

    /// Runs a query and reads its first row.
    ///
    /// - Returns: nil when there is none.
    @inline(__always)
    package func first<Row, each Value: Bindable>(
        _ query: Query, _ values: repeat each Value, read: (any Statement) throws(RepositoryError) -> Row
    ) throws(RepositoryError) -> Row? {
        try firstRow(of: try statement(query), repeat each values, read: read)
    }

    /// Runs a query and reads all of its rows.
    @inline(__always)
    package func all<Row, each Value: Bindable>(
        _ query: Query, _ values: repeat each Value, read: (any Statement) throws(RepositoryError) -> Row
    ) throws(RepositoryError) -> [Row] {
        var rows: [Row] = []
        try showRows(of: try statement(query), repeat each values) { row throws(RepositoryError) in
            rows.append(try read(row))
        }
        return rows
    }

    /// Runs a query and shows each of its rows to `body`.
    @inline(__always)
    package func forEach<each Value: Bindable>(
        _ query: Query, _ values: repeat each Value, body: (any Statement) throws(RepositoryError) -> Void
    ) throws(RepositoryError) {
        try showRows(of: try statement(query), repeat each values, body: body)
    }
}

private func finish<each Value: Bindable>(
    _ statement: any Statement, _ values: repeat each Value
) throws(RepositoryError) {
    defer { statement.reset() }
    try bind(statement, repeat each values)
    while try statement.step() {}
}

private func firstRow<Row, each Value: Bindable>(
    of statement: any Statement, _ values: repeat each Value, read: (any Statement) throws(RepositoryError) -> Row
) throws(RepositoryError) -> Row? {
    defer { statement.reset() }
    try bind(statement, repeat each values)
    return try statement.step() ? try read(statement) : nil
}

private func showRows<each Value: Bindable>(
    of statement: any Statement, _ values: repeat each Value, body: (any Statement) throws(RepositoryError) -> Void
) throws(RepositoryError) {
    defer { statement.reset() }
    try bind(statement, repeat each values)
    while try statement.step() { try body(statement) }
}

/// Binds values to the places from the first on.
private func bind<each Value: Bindable>(
    _ statement: any Statement, _ values: repeat each Value
) throws(RepositoryError) {
    var index: Int32 = 1
    for value in repeat each values {
        try value.bind(to: statement, at: index)
        index += 1
    }
}
