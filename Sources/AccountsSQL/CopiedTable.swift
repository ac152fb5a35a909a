package import Accounts

/// A table that a copy of the store takes row by row, in the order of a key that engines sort alike.
package struct CopiedTable: Sendable {
    /// How many rows are read at once, and are written in one transaction.
    package static let pageSize = 512
    /// How many go into one statement: each costs a way to the server and back.
    private static let rowsAStatement = 64

    /// What an engine has in a table more than others.
    struct Addition {
        /// Of columns that every row gets alike.
        var values: [(name: String, value: String)] = []
        /// Of the rows that are copied, with an AND behind it.
        var condition = ""
    }

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

    /// - Parameter inPostgres: what PostgreSQL has more than others.
    init(
        _ name: String, key: [CopiedColumn], isNumbered: Bool = false, _ others: [CopiedColumn],
        inPostgres more: Addition = Addition()
    ) {
        self.name = name
        columns = key + others
        numbered = isNumbered ? key.first?.name : nil
        keyCount = key.count
        let keys = Self.list(key.map(\.name))
        let page = "SELECT \(Self.list(columns.map(\.expression))) FROM \(name) WHERE "
        let place = "(\(keys)) > (\(Self.list(key.map { _ in "?" }))) ORDER BY \(keys) LIMIT ?"
        self.page = Query(page + place, postgres: more.condition.isEmpty ? nil : page + more.condition + place)
        last = Query(
            "SELECT \(keys) FROM \(name) ORDER BY \(Self.list(key.map { $0.name + " DESC" })) LIMIT 1")
        rowCount = Query("SELECT count(*) FROM \(name)")
        insertOne = Self.insertion(name, columns, rows: 1, inPostgres: more)
        insertMany = Self.insertion(name, columns, rows: Self.rowsAStatement, inPostgres: more)
    }

    private static func insertion(
        _ table: String, _ columns: [CopiedColumn], rows: Int, inPostgres more: Addition
    ) -> Query {
        func text(_ names: [String], _ places: [String]) -> String {
            // A server that went away may have done what it has not confirmed.
            "INSERT INTO \(table) (\(list(names))) VALUES "
                + list(Array(repeating: "(\(list(places)))", count: rows)) + " ON CONFLICT DO NOTHING"
        }
        let names = columns.map(\.name)
        return Query(
            text(names, columns.map { _ in "?" }),
            postgres: text(
                names + more.values.map(\.name),
                columns.map { _ in "?" } + more.values.map(\.value)))
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    /// Before the first row of all that is worth copying.
    ///
    /// - Parameter now: a code that has expired by then proves nothing any more.
    func start(now: Int64) -> [CopiedValue] {
        // Behind every digest that there is with this time. In a file a code that came again long after its time has
        // two rows.
        if name == Self.usedCodes.name { return [.integer(now), .bytes(Array(repeating: 0xFF, count: 33))] }
        return columns.prefix(keyCount).map(\.start)
    }

    func key(of row: [CopiedValue]) -> [CopiedValue] { Array(row.prefix(keyCount)) }

    func count(_ connection: any Connection) throws(RepositoryError) -> Int {
        Int(try connection.first(rowCount) { $0.integer(0) } ?? 0)
    }

    func isEmpty(_ connection: any Connection) throws(RepositoryError) -> Bool { try lastKey(connection) == nil }

    /// The key of the last row; nil when there is none.
    func lastKey(_ connection: any Connection) throws(RepositoryError) -> [CopiedValue]? {
        try connection.rows(last, [], Array(columns.prefix(keyCount))).first
    }

    /// The rows that follow a key.
    func rows(_ connection: any Connection, after key: [CopiedValue]) throws(RepositoryError) -> [[CopiedValue]] {
        try connection.rows(page, key + [.integer(Int64(Self.pageSize))], columns)
    }

    package func insert(_ rows: ArraySlice<[CopiedValue]>, _ connection: any Connection) throws(RepositoryError) {
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
