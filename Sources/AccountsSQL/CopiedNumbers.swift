import Accounts

/// Up to where the numbers of each table were given, those of rows that are gone included: tokens and the audit trail
/// name them.
struct CopiedNumbers: Sendable {
    // The number of users is told from their numbers, so those that nobody has any more count as erased.
    private static let setErased = Query("UPDATE meta SET value = ? WHERE name = 'erased_users'")

    private struct Given {
        let table: String
        let column: String
        let last: Int64
    }

    private let given: [Given]

    init(_ connection: any StoreConnection, _ tables: StoreTables) throws(RepositoryError) {
        var given: [Given] = []
        for table in tables.all {
            guard let column = table.numbered else { continue }
            var last = try connection.lastNumber(of: table.name, column)
            if case .integer(let number) = try table.lastKey(connection)?.first { last = max(last, number) }
            given.append(Given(table: table.name, column: column, last: last))
        }
        self.given = given
    }

    /// Has a store go on behind them.
    ///
    /// - Parameter users: how many there are.
    func pass(_ connection: any StoreConnection, users: Int) throws(RepositoryError) {
        for given in given where given.last > 0 {
            try connection.setLastNumber(given.last, of: given.table, given.column)
        }
        let last = given.first { $0.table == Table.users.name }?.last ?? 0
        try connection.run(Self.setErased, last - Int64(users))
    }
}
