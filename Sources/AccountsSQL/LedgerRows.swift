package import Accounts

/// Records that wait in the store for their place in the ledger's file: made in the transaction of what they tell, so
/// that there is never one without the other.
package struct LedgerRows {
    private static let add = Query("INSERT INTO ledger (line) VALUES ('') RETURNING number")
    private static let write = Query("UPDATE ledger SET line = ? WHERE number = ?")
    private static let forget = Query("DELETE FROM ledger WHERE number <= ?")
    private static let waiting = Query("SELECT number, line FROM ledger ORDER BY number")

    package let connection: any StoreConnection
    package let sealer: StoreSealer
    package let now: Int64

    package init(connection: any StoreConnection, sealer: StoreSealer, now: Int64) {
        (self.connection, self.sealer, self.now) = (connection, sealer, now)
    }

    package func add(_ record: LedgerRecord) throws(RepositoryError) {
        // What is in the file has waited long enough.
        try connection.run(Self.forget, connection.ledger.recordedUpTo)
        guard let key = try SecretKeyRows(connection: connection).keys(for: .ledger, sealer).first else {
            throw .unavailable(.corrupt)
        }
        guard let number = try connection.first(Self.add, read: { $0.integer(0) }) else { throw .unavailable(.corrupt) }
        let line = LedgerLine(number: number, at: now, record: record).proven(by: key, try sealer.current)
        try connection.run(Self.write, line, number)
        connection.ledger.hasNews = true
    }

    /// All that may not be in the file yet.
    package static func waiting(_ connection: any StoreConnection) throws(RepositoryError) -> [(
        number: Int64, line: String
    )] {
        try connection.all(waiting) { ($0.integer(0), $0.text(1)) }
    }
}
