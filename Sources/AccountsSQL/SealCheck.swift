package import Accounts

/// Tries to open every sealed value.
package struct SealCheck {
    /// How many are read at once, each page a read of its own: a long one would keep the log from starting over.
    private static let pageSize = 500

    package let connection: any StoreConnection
    package let sealer: StoreSealer
    package let tables: StoreTables
    package let progress: @Sendable (_ done: Int, _ total: Int) -> Void

    package init(
        connection: any StoreConnection, sealer: StoreSealer, tables: StoreTables,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
        (self.connection, self.sealer, self.tables, self.progress) = (connection, sealer, tables, progress)
    }

    /// - Returns: a sentence for each place where values do not open, with how many.
    package func run() throws(RepositoryError) -> [String] {
        let total = try count()
        var done = 0
        var findings: [String] = []
        for column in tables.sealed {
            var broken = 0
            var position = column.start
            while true {
                let page = try column.page(connection, after: position, limit: Self.pageSize)
                guard let last = page.last else { break }
                for value in page where try !opens(value) { broken += 1 }
                done += page.count
                // Others write meanwhile, so the total is only as good as when it was counted.
                progress(done, max(done, total))
                position = last.position
            }
            if broken > 0 { findings.append("Sealed values in \(column.table) that do not open: \(broken).") }
        }
        return findings
    }

    /// About how many there are.
    private func count() throws(RepositoryError) -> Int {
        var count = try connection.userCount()
        var tables: Set = [Table.users.name]
        for column in self.tables.sealed where tables.insert(column.table).inserted {
            count += Int(try connection.first(column.count) { $0.integer(0) } ?? 0)
        }
        return count
    }

    private func opens(_ value: SealedColumn.Value) throws(RepositoryError) -> Bool {
        do throws(RepositoryError) {
            _ = try sealer.opening(value.sealed, value.context, connection)
            return true
        } catch .unavailable(.brokenSeal) {
            return false
        }
    }
}
