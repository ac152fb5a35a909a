import Accounts

/// Records that wait in the store for their place in the ledger's file: made in the transaction of what they tell, so that
/// there is never one without the other.
struct LedgerRows {
    private static let add = Query("INSERT INTO ledger (line) VALUES ('')")
    private static let write = Query("UPDATE ledger SET line = ? WHERE number = ?")
    private static let forget = Query("DELETE FROM ledger WHERE number <= ?")
    private static let waiting = Query("SELECT number, line FROM ledger ORDER BY number")
    private static let last = Query("SELECT seq FROM sqlite_sequence WHERE name = 'ledger'")

    let connection: Connection
    let sealer: StoreSealer
    let now: Int64

    func add(_ record: LedgerRecord) throws(RepositoryError) {
        // What is in the file has waited long enough.
        try connection.run(Self.forget, connection.recordedUpTo)
        guard let key = try SecretKeyRows(connection: connection).keys(for: .ledger, sealer).first else {
            throw .unavailable(.corrupt)
        }
        try connection.run(Self.add)
        let number = connection.lastInsertedRow
        let line = LedgerLine(number: number, at: now, record: record).proven(by: key, try sealer.current)
        try connection.run(Self.write, line, number)
        connection.hasLedgerNews = true
    }

    /// All that may not be in the file yet.
    static func waiting(_ connection: Connection) throws(RepositoryError) -> [(number: Int64, line: String)] {
        try connection.all(waiting) { ($0.integer(0), $0.text(1)) }
    }

    /// The number of the newest record; 0 before the first.
    static func last(_ connection: Connection) throws(RepositoryError) -> Int64 {
        try connection.first(last) { $0.integer(0) } ?? 0
    }
}
