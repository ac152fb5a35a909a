import Accounts
import AccountsSQL

extension GivenNumbers {
    /// More than any service gives between a backup and its restore: what was given then nobody may know any more.
    private static let margin: Int64 = 1_000_000_000

    private static let find = Query("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?")
    private static let forget = Query("DELETE FROM sqlite_sequence WHERE name = ?")
    private static let set = Query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
    // The number of users is told from the numbers, so those that nobody ever had count as erased.
    private static let countAsErased = Query("UPDATE meta SET value = value + ? WHERE name = 'erased_users'")

    init(_ connection: SQLiteConnection) throws(RepositoryError) {
        self.init(
            users: try Self.last("users", connection), identities: try Self.last("identities", connection),
            events: try Self.last("audit", connection))
    }

    /// The last number that a row of a table was given.
    static func last(_ table: String, _ connection: any Connection) throws(RepositoryError) -> Int64 {
        try connection.first(find, table) { $0.integer(0) } ?? 0
    }

    static func setLast(_ number: Int64, _ table: String, _ connection: any Connection) throws(RepositoryError) {
        try connection.run(forget, table)
        try connection.run(set, table, number)
    }

    /// Sees to it that the store gives none of these, nor any within the margin behind them.
    ///
    /// - Returns: up to which it gives none.
    func pass(in connection: SQLiteConnection) throws(RepositoryError) -> GivenNumbers {
        let before = try GivenNumbers(connection)
        let passed = GivenNumbers(
            users: users + Self.margin, identities: identities + Self.margin, events: events + Self.margin)
        for (table, number) in [
            ("users", passed.users), ("identities", passed.identities), ("audit", passed.events),
        ] {
            try Self.setLast(number, table, connection)
        }
        try connection.run(Self.countAsErased, passed.users - before.users)
        return passed
    }

    /// Has the ledger's next record come behind one.
    static func passRecord(_ number: Int64, in connection: SQLiteConnection) throws(RepositoryError) {
        guard try number > LedgerRows.last(connection) else { return }
        try setLast(number, "ledger", connection)
    }
}
