package import Accounts

/// A table that a copy of the store takes row by row, in the order of a key that engines sort alike.
package struct CopiedTable: Sendable {
    /// How many rows are read at once, and are written in one transaction.
    static let pageSize = 512
    /// How many go into one statement: each costs a way to the server and back.
    private static let rowsAStatement = 64

    package let name: String
    /// The key's first.
    package let columns: [CopiedColumn]
    /// The column whose numbers are given in turn, and never twice.
    let numbered: String?
    private let keyCount: Int
    private let page: Query
    private let last: Query
    private let rowCount: Query
    private let insertOne: Query
    private let insertMany: Query

    init(_ name: String, key: [CopiedColumn], isNumbered: Bool = false, _ others: [CopiedColumn]) {
        self.name = name
        columns = key + others
        numbered = isNumbered ? key.first?.name : nil
        keyCount = key.count
        let keys = key.map(\.name)
        let row = "(\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))"
        let insert = "INSERT INTO \(name) (\(columns.map(\.name).joined(separator: ", "))) VALUES "
        page = Query(
            """
            SELECT \(columns.map(\.expression).joined(separator: ", ")) FROM \(name)
            WHERE (\(keys.joined(separator: ", "))) > (\(keys.map { _ in "?" }.joined(separator: ", ")))
            ORDER BY \(keys.joined(separator: ", ")) LIMIT ?
            """)
        last = Query(
            """
            SELECT \(keys.joined(separator: ", ")) FROM \(name)
            ORDER BY \(keys.map { $0 + " DESC" }.joined(separator: ", ")) LIMIT 1
            """)
        rowCount = Query("SELECT count(*) FROM \(name)")
        // A server that went away may have done what it has not confirmed.
        insertOne = Query(insert + row + " ON CONFLICT DO NOTHING")
        insertMany = Query(
            insert + Array(repeating: row, count: Self.rowsAStatement).joined(separator: ", ")
                + " ON CONFLICT DO NOTHING")
    }

    /// Before the first row of all that is worth copying.
    ///
    /// - Parameter now: a code that has expired by then proves nothing any more.
    func start(now: Int64) -> [CopiedValue] {
        // Behind every digest that there is with this time. In a file a code that came again long after its time has two rows.
        if name == Self.usedCodes.name { return [.integer(now), .bytes(Array(repeating: 0xFF, count: 33))] }
        return columns.prefix(keyCount).map(\.start)
    }

    func key(of row: [CopiedValue]) -> [CopiedValue] { Array(row.prefix(keyCount)) }

    func count(_ connection: Connection) throws(RepositoryError) -> Int {
        Int(try connection.first(rowCount) { $0.integer(0) } ?? 0)
    }

    func isEmpty(_ connection: Connection) throws(RepositoryError) -> Bool { try lastKey(connection) == nil }

    /// The key of the last row; nil when there is none.
    func lastKey(_ connection: Connection) throws(RepositoryError) -> [CopiedValue]? {
        try connection.rows(last, [], Array(columns.prefix(keyCount))).first
    }

    /// The rows that follow a key.
    func rows(_ connection: Connection, after key: [CopiedValue]) throws(RepositoryError) -> [[CopiedValue]] {
        try connection.rows(page, key + [.integer(Int64(Self.pageSize))], columns)
    }

    package func insert(_ rows: ArraySlice<[CopiedValue]>, _ connection: Connection) throws(RepositoryError) {
        var rest = rows
        while rest.count >= Self.rowsAStatement {
            _ = try connection.rows(insertMany, rest.prefix(Self.rowsAStatement).flatMap(\.self), [])
            rest = rest.dropFirst(Self.rowsAStatement)
        }
        for row in rest { _ = try connection.rows(insertOne, row, []) }
    }
}

extension Connection {
    /// Runs a query with as many values as it has places, and reads these columns of all its rows.
    fileprivate func rows(
        _ query: Query, _ values: [CopiedValue], _ columns: [CopiedColumn]
    ) throws(RepositoryError) -> [[CopiedValue]] {
        let statement = try statement(query)
        defer { statement.reset() }
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        var rows: [[CopiedValue]] = []
        while try statement.step() {
            rows.append(columns.enumerated().map { index, column in column.value(statement, Int32(index)) })
        }
        return rows
    }
}
