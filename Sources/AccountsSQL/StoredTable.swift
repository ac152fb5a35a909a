package import Accounts
import Synchronization

/// A table as the statements see it: what a copy of the store takes row by row, in the order of a key that engines sort
/// alike, and what removes its rows that have expired.
package struct StoredTable: Sendable {
    /// How many go into one statement: each costs a way to the server and back.
    private static let rowsAStatement = 64

    /// What PostgreSQL has in a table more than others.
    private struct Addition {
        /// Of columns that every row gets alike.
        var values: [(name: String, value: String)] = []
        /// Of the rows that are copied, with an AND behind it.
        var condition = ""
        /// What they are read from, where that is not the table alone.
        var source: String?

        init(to table: Table) {
            // A code that its issuer has not taken (state 2) is nobody's, and one that was claimed may have been sent.
            guard table.name == Table.usedCodes.name else { return }
            values = [("owner", "0"), ("state", "1")]
            condition = "state <> 2 AND "
            source = """
                (SELECT DISTINCT ON (expires, hash) * FROM (
                    SELECT expires, hash, state, answer FROM used_codes
                        UNION ALL SELECT expires, hash, state, answer FROM code_uses) AS every
                    ORDER BY expires, hash, state = 1 DESC, state) AS used
                """
        }
    }

    package let table: Table
    package var name: String { table.name }
    /// The key's first.
    package var columns: [Table.Column] { table.columns }
    /// The column whose numbers are given in turn, and never twice.
    var numbered: String? { table.isNumbered ? table.key.first?.name : nil }
    /// Removes rows that have expired by a time, at most so many; nil where none do.
    let sweep: Query?
    private let page: Query
    private let last: Query
    private let rowCount: Query
    private let insertion = Insertion()

    init(_ table: Table) {
        self.table = table
        let name = table.name
        let more = Addition(to: table)
        let keys = Self.list(table.key.map(\.name))
        let chosen = "SELECT \(Self.list(table.columns.map(\.expression))) FROM "
        func reading(_ text: (_ source: String, _ condition: String) -> String) -> Query {
            Query(text(name, ""), postgres: more.source.map { text($0, more.condition) })
        }
        let place = "(\(keys)) > (\(Self.list(table.key.map { _ in "?" }))) ORDER BY \(keys) LIMIT ?"
        page = reading { "\(chosen)\($0) WHERE \($1)\(place)" }
        let behind = "ORDER BY \(Self.list(table.key.map { $0.name + " DESC" })) LIMIT 1"
        last = reading { source, _ in "SELECT \(keys) FROM \(source) \(behind)" }
        rowCount = reading { source, _ in "SELECT count(*) FROM \(source)" }
        sweep = table.expiry.map { expiry in
            Query(
                """
                DELETE FROM \(name) WHERE \(table.key.count > 1 ? "(\(keys))" : keys) IN
                    (SELECT \(keys) FROM \(name) WHERE \(expiry) <= ? ORDER BY \(expiry) LIMIT ?)
                """)
        }
    }

    /// What writes rows that are copied: long texts, which a start has no use for.
    private final class Insertion: Sendable {
        private let one = AtomicLazyReference<Query>()
        private let many = AtomicLazyReference<Query>()

        func one(into table: Table) -> Query { one.load() ?? one.storeIfNil(Self.query(table, rows: 1)) }

        func many(into table: Table) -> Query {
            many.load() ?? many.storeIfNil(Self.query(table, rows: StoredTable.rowsAStatement))
        }

        private static func query(_ table: Table, rows: Int) -> Query {
            func text(_ names: [String], _ places: [String]) -> String {
                // A server that went away may have done what it has not confirmed.
                "INSERT INTO \(table.name) (\(list(names))) VALUES "
                    + list(Array(repeating: "(\(list(places)))", count: rows)) + " ON CONFLICT DO NOTHING"
            }
            let names = table.columns.map(\.name)
            let places = table.columns.map { _ in "?" }
            let more = Addition(to: table).values
            return Query(
                text(names, places), postgres: text(names + more.map(\.name), places + more.map(\.value)))
        }
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    /// Before the first row of all that is worth copying.
    ///
    /// - Parameter now: a code that has expired by then proves nothing any more.
    func start(now: Int64) -> [CopiedValue] {
        // Behind every digest that there is with this time. In a file a code that came again long after its time has
        // two rows.
        if name == Table.usedCodes.name { return [.integer(now), .bytes(Array(repeating: 0xFF, count: 33))] }
        return table.key.map(\.start)
    }

    func key(of row: [CopiedValue]) -> [CopiedValue] { Array(row.prefix(table.key.count)) }

    func count(_ connection: any StoreConnection) throws(RepositoryError) -> Int {
        Int(try connection.first(rowCount) { $0.integer(0) } ?? 0)
    }

    func isEmpty(_ connection: any StoreConnection) throws(RepositoryError) -> Bool { try lastKey(connection) == nil }

    /// The key of the last row; nil when there is none.
    func lastKey(_ connection: any StoreConnection) throws(RepositoryError) -> [CopiedValue]? {
        try connection.rows(last, [], table.key).first
    }

    /// The first rows that follow a key.
    func rows(
        _ connection: any StoreConnection, after key: [CopiedValue], limit: Int
    ) throws(RepositoryError) -> [[CopiedValue]] {
        try connection.rows(page, key + [.integer(Int64(limit))], columns)
    }

    package func insert(_ rows: ArraySlice<[CopiedValue]>, _ connection: any StoreConnection) throws(RepositoryError) {
        var rest = rows
        while rest.count >= Self.rowsAStatement {
            _ = try connection.rows(insertion.many(into: table), rest.prefix(Self.rowsAStatement).flatMap(\.self), [])
            rest = rest.dropFirst(Self.rowsAStatement)
        }
        for row in rest { _ = try connection.rows(insertion.one(into: table), row, []) }
    }
}

extension StoreConnection {
    /// Runs a query with as many values as it has places, and reads these columns of all its rows.
    fileprivate func rows(
        _ query: Query, _ values: [CopiedValue], _ columns: [Table.Column]
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
