import Accounts
import AccountsSQL
import Glibc
import System

/// What a ledger says to a store, as far as it is proven, in a temporary table of the store's connection: in memory it
/// would grow with the number of those who were erased.
///
/// Records are known by their numbers, which have no gaps. So a line that is not ours changes nothing, and one of ours
/// that was damaged or taken out is missed.
struct LedgerReading {
    // Two processes may have written the same line.
    private static let make = """
        CREATE TEMP TABLE ledger_found (number INTEGER, record TEXT, PRIMARY KEY (number, record)) WITHOUT ROWID
        """
    private static let keep = Query("INSERT OR IGNORE INTO temp.ledger_found (number, record) VALUES (?, ?)")
    private static let count = Query("SELECT count(*) FROM temp.ledger_found")
    private static let inOrder = Query("SELECT record FROM temp.ledger_found ORDER BY number")
    private static let firstMissing = Query(
        """
        SELECT min(number) FROM (SELECT ?1 + 1 AS number UNION ALL SELECT number + 1 FROM temp.ledger_found) AS next
        WHERE NOT EXISTS (SELECT 1 FROM temp.ledger_found AS found WHERE found.number = next.number)
        """)

    /// In bytes. The longest of ours has the `kid` of a key, or six numbers, and a proof of 64 digits.
    static let maximumLineBytes = 1024

    private let connection: SQLiteConnection
    /// The number of the newest record that the backup knows.
    private let backup: Int64
    private let keys: [[UInt8]]
    private let sealer: any Sealer
    private var lineNumber = 0
    /// The number of the newest record; 0 when there is none.
    private(set) var last: Int64 = 0
    /// How many lines no key proves. Those of an earlier key that the backup has no use for are among them.
    private(set) var unproven = 0
    /// The last line that no key proves and behind which stands no proven one, counted from 1.
    private var unprovenEnd: Int?

    init(_ connection: SQLiteConnection, after backup: Int64, keys: [[UInt8]], _ sealer: any Sealer)
        throws(RepositoryError)
    {
        (self.connection, self.backup, self.keys, self.sealer) = (connection, backup, keys, sealer)
        try connection.execute(Self.make)
    }

    /// Reads the file, line by line.
    ///
    /// - Throws: `.noLedger`, `.ledgerUnreadable`, `.noLedgerKey`, `.backup` where the table can't be written.
    mutating func read(_ path: String) throws(RestoreError) {
        func failure(_ error: SystemError) -> RestoreError {
            error.code == ENOENT ? .noLedger(path: path) : .ledgerUnreadable(path: path, error.unavailability)
        }
        var lines: LineReader
        let hasContent: Bool
        do throws(SystemError) {
            let file = try File(path, O_RDONLY)
            hasContent = try file.status().size > 0
            lines = LineReader(file, maximumLineBytes: Self.maximumLineBytes)
        } catch {
            throw failure(error)
        }
        if keys.isEmpty, hasContent { throw .noLedgerKey }
        while true {
            let next: LineReader.Line?
            do throws(SystemError) { next = try lines.next() } catch { throw failure(error) }
            // What has no end is no line: a crash has torn it, and nobody was told of it.
            guard let next, lines.isEnded else { return }
            do throws(RepositoryError) { try read(next) } catch { throw .backup(error) }
        }
    }

    private mutating func read(_ line: LineReader.Line) throws(RepositoryError) {
        lineNumber += 1
        if case .text(let bytes) = line {
            let text = Substring(decoding: bytes, as: UTF8.self)
            if text.isEmpty { return }
            if let proven = LedgerLine(text, keys: keys, sealer) {
                unprovenEnd = nil
                return try take(proven)
            }
        }
        unproven += 1
        unprovenEnd = lineNumber
    }

    /// Takes over what waits in the store that is replaced.
    mutating func add(_ waiting: [String]) throws(RepositoryError) {
        for text in waiting { if let line = LedgerLine(Substring(text), keys: keys, sealer) { try take(line) } }
    }

    private mutating func take(_ line: LedgerLine) throws(RepositoryError) {
        last = max(last, line.number)
        if line.number > backup { try connection.run(Self.keep, line.number, line.record.text) }
    }

    /// How many records the backup does not know.
    func recordCount() throws(RepositoryError) -> Int {
        try connection.first(Self.count) { Int($0.integer(0)) } ?? 0
    }

    /// Shows those, in the order of their numbers.
    func forEachRecord(_ body: (LedgerRecord) throws(RepositoryError) -> Void) throws(RepositoryError) {
        try connection.forEach(Self.inOrder) { row throws(RepositoryError) in
            if let record = LedgerRecord(words: row.text(0).split(separator: " ")) { try body(record) }
        }
    }

    /// Makes sure that no record is missed.
    ///
    /// - Parameter present: the number of the newest record of the store that is replaced; nil when it can't be read.
    /// - Throws: `.ledgerIncomplete`, `.ledgerEndsUnproven`, `.backup` where the table can't be read.
    func holdsAll(upTo present: Int64?) throws(RestoreError) {
        if let unprovenEnd { throw .ledgerEndsUnproven(line: unprovenEnd) }
        let missing: Int64
        do throws(RepositoryError) {
            missing = try connection.first(Self.firstMissing, backup) { $0.integer(0) } ?? backup + 1
        } catch {
            throw .backup(error)
        }
        if missing <= max(last, present ?? 0) { throw .ledgerIncomplete(record: missing) }
        // Where nothing can be compared with, a ledger that ends before the backup was made is not all of it.
        if present == nil, last < backup { throw .ledgerIncomplete(record: backup) }
    }
}

extension LedgerRows {
    private static let last = Query("SELECT seq FROM sqlite_sequence WHERE name = 'ledger'")

    /// The number of the newest record; 0 before the first.
    static func last(_ connection: any StoreConnection) throws(RepositoryError) -> Int64 {
        try connection.first(last) { $0.integer(0) } ?? 0
    }
}
