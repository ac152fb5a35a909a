import Accounts
import Glibc

/// What a ledger says to a store, as far as it is proven.
///
/// Records are known by their numbers, which have no gaps. So a line that is not ours changes nothing, and one of ours that
/// was damaged or taken out is missed. What a crash has left of a last line is no record: nobody was told of it.
struct LedgerReading {
    private var found: Set<LedgerLine> = []
    /// The number of the newest record; 0 when there is none.
    private(set) var last: Int64 = 0
    /// Which lines, counted from 1, no key proves. Those of an earlier key that the backup has no use for are among them.
    private(set) var unproven: [Int] = []
    /// The last whole line that no key proves and behind which stands no proven one.
    private(set) var unprovenEnd: Int?

    /// - Parameters:
    ///   - bytes: of the file.
    ///   - backup: the number of the newest record that the backup knows.
    init(_ bytes: [UInt8], after backup: Int64, keys: [[UInt8]], _ sealer: any Sealer) {
        var number = 0
        var rest = bytes[...]
        // What has no end is no line.
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            let text = Substring(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if text.isEmpty { continue }
            guard let line = LedgerLine(text, keys: keys, sealer) else {
                unproven.append(number)
                unprovenEnd = number
                continue
            }
            unprovenEnd = nil
            take(line, after: backup)
        }
    }

    /// What the backup does not know, in the order of the numbers.
    var lines: [LedgerLine] { found.sorted { $0.number < $1.number } }

    /// Takes over what waits in the store that is replaced.
    mutating func add(_ waiting: [String], after backup: Int64, keys: [[UInt8]], _ sealer: any Sealer) {
        for text in waiting { LedgerLine(Substring(text), keys: keys, sealer).map { take($0, after: backup) } }
    }

    private mutating func take(_ line: LedgerLine, after backup: Int64) {
        last = max(last, line.number)
        // Two processes may have written the same line.
        if line.number > backup { found.insert(line) }
    }

    /// Makes sure that no record is missed.
    ///
    /// - Parameters:
    ///   - backup: the number of the newest record that the backup knows.
    ///   - present: that of the store that is replaced; nil when it can't be read.
    /// - Throws: `.ledgerIncomplete`, `.ledgerEndsUnproven`.
    func holdsAll(after backup: Int64, upTo present: Int64?) throws(RestoreFailure) {
        if let unprovenEnd { throw .ledgerEndsUnproven(line: unprovenEnd) }
        let numbers = Set(found.map(\.number))
        let end = max(last, present ?? 0)
        var missing = backup + 1
        while missing <= end, numbers.contains(missing) { missing += 1 }
        if missing <= end { throw .ledgerIncomplete(record: missing) }
        // Where nothing can be compared with, a ledger that ends before the backup was made is not all of it.
        if present == nil, last < backup { throw .ledgerIncomplete(record: backup) }
    }
}
