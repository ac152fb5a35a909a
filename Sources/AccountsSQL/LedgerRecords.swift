package import Accounts

/// The records that a ledger's lines prove.
package struct LedgerRecords {
    /// In the order of their numbers.
    package private(set) var records: [(number: Int64, record: LedgerRecord)] = []
    /// How many lines no key proves.
    package private(set) var unproven = 0

    /// - Parameter lines: in any order, some perhaps twice, as two processes have added them.
    package init(_ lines: [String], keys: [[UInt8]], _ sealer: any Sealer) {
        var seen: Set<LedgerLine> = []
        for text in lines {
            guard let line = LedgerLine(Substring(text), keys: keys, sealer) else {
                unproven += 1
                continue
            }
            if seen.insert(line).inserted { records.append((line.number, line.record)) }
        }
        records.sort { $0.number < $1.number }
    }
}
