import Accounts
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A statement` {
    /// Some of the values are kept beside the statement and some are copied by SQLite, depending on what came before.
    @Test(arguments: [0, 1, 100, 255, 256, 257, 511, 512, 513, 4096])
    func `reads back the values it was given, however long they are together`(_ length: Int) throws {
        let folder = TemporaryFolder()
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        try connection.execute("CREATE TABLE kept (number INTEGER, text TEXT, bytes BLOB, more TEXT, last BLOB)")
        let insert = Query("INSERT INTO kept VALUES (?, ?, ?, ?, ?)")
        let select = Query("SELECT text, bytes, more, last FROM kept WHERE text = ? AND bytes = ? ORDER BY number")
        let text = String(repeating: "ä", count: length / 2)
        let bytes = [UInt8](repeating: 7, count: length)
        for number in 0..<2 as Range<Int64> {
            try connection.run(insert, number, text, bytes, "mehr davon", [UInt8]())
            // Nothing of the longer values before it is left in what follows.
            try connection.run(insert, number, "short", [1, 2] as [UInt8], "", [UInt8]())
        }
        let long = try connection.all(select, text, bytes) { ($0.text(0), $0.blob(1), $0.text(2), $0.blob(3)) }
        let short = try connection.all(select, "short", [1, 2] as [UInt8]) { ($0.text(2), $0.blob(3)) }
        #expect(long.count == 2 && long.allSatisfy { $0 == (text, bytes, "mehr davon", []) })
        #expect(short.count == 2 && short.allSatisfy { $0 == ("", []) })
        let types = Query(
            "SELECT count(*) FROM kept WHERE typeof(text) = 'text' AND typeof(more) = 'text' AND typeof(last) = 'blob'")
        #expect(try connection.first(types) { $0.integer(0) } == 4)
    }
}
