import AccountsSQL

@testable import AccountsSQLite

/// How SQLite means to find what a statement of the store asks for.
struct QueryPlan: CustomStringConvertible {
    private let steps: [String]

    /// - Parameter database: the path of a store, whose schema has the tables and indexes.
    init(of query: Query, in database: String) throws {
        let connection = try SQLiteConnection(path: database, isWritable: true)
        steps = try connection.all(Query("EXPLAIN QUERY PLAN " + query.text)) { $0.text(3) }
    }

    /// Whether every row is found by an index, and no table or index is walked through.
    var usesIndexes: Bool { steps.contains { $0.contains("USING") } && !steps.contains { $0.contains("SCAN") } }

    func uses(_ index: String) -> Bool { usesIndexes && steps.contains { $0.contains(" \(index) ") } }

    var description: String { steps.joined(separator: "; ") }
}
