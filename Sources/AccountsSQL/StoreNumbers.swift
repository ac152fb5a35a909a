package import Accounts

/// The numbers that rows are given by themselves.
package struct StoreNumbers {
    /// What is left out behind the last row: of rows that are gone nobody knows how far they went.
    private static let margin: Int64 = 1_000_000
    // Of those who are erased the audit trail has the last word.
    private static let lastUserOfEvents = Query("SELECT max(user_id) FROM audit")

    package let connection: any StoreConnection
    package let tables: StoreTables

    package init(connection: any StoreConnection, tables: StoreTables) {
        (self.connection, self.tables) = (connection, tables)
    }

    /// Sees to it that no table gives a number that one of its rows has.
    package func goOnBehindRows() throws(RepositoryError) {
        for table in tables.all {
            guard let column = table.numbered else { continue }
            var last: Int64 = 0
            if case .integer(let number) = try table.lastKey(connection)?.first { last = number }
            if table.name == Table.users.name {
                last = max(last, try connection.first(Self.lastUserOfEvents) { $0.optionalInteger(0) ?? 0 } ?? 0)
            }
            guard try connection.lastNumber(of: table.name, column) < last else { continue }
            try connection.setLastNumber(last + Self.margin, of: table.name, column)
        }
    }

    /// Has every table go on far behind whatever it may have given.
    package func pass(_ margin: Int64) throws(RepositoryError) {
        for table in tables.all {
            guard let column = table.numbered else { continue }
            var last = try connection.lastNumber(of: table.name, column)
            if case .integer(let number) = try table.lastKey(connection)?.first { last = max(last, number) }
            try connection.setLastNumber(last + margin, of: table.name, column)
        }
    }
}
