public import Accounts

/// The tables of a store that is open: the service's own, and those that were added at its opening; with the lists that
/// its walks are made of.
public final class StoreTables: Sendable {
    /// Those of every store.
    public static let own = StoreTables(checked: [])
    /// What stands on disk for a walk that is through all columns with a number of their own, 0 to 9. Where one of them
    /// is missing, another number stands for it, or the walk would not begin anew when that one is back.
    private static let endOfNumbered: Int64 = 10

    /// Each after those that its rows refer to.
    package let all: [StoredTable]
    /// What the store has beside its own, which every store has.
    package let added: [AddedTable]
    /// In the order in which a walk takes them.
    package let sealed: [SealedColumn]
    /// What stands for a walk that is through all of them.
    package let sealedEnd: Int64

    /// - Parameter tables: what is added to the store's own.
    public convenience init(adding tables: [Table]) throws(TableFault) {
        try TableFault.look(for: tables)
        self.init(checked: tables)
    }

    private init(checked tables: [Table]) {
        let others = tables.sorted { $0.name < $1.name }
        added = others.compactMap(AddedTable.init)
        all = (Table.all + others).map(StoredTable.init)
        var sealed = [SealedColumn.proof]
        for table in Table.all + others {
            for column in table.columns {
                guard let number = column.seal?.number else { continue }
                if let numbered = SealedColumn(column, of: table, number: number) { sealed.append(numbered) }
            }
        }
        sealed.sort { $0.number < $1.number }
        // A column without a number of its own gets one of all names up to its own: so the number on disk of a walk
        // that stood among other tables means nothing here, and the walk begins anew.
        var end = Self.endOfNumbered
        if !sealed.map(\.number).elementsEqual(0..<end) {
            end = sealed.reduce(0) { Self.number(after: $0, "\($1.table).\($1.name)") }
        }
        var isNumbered = true
        for table in others {
            for column in table.columns where column.seal != nil && column.seal?.number == nil {
                end = Self.number(after: end, "\(table.name).\(column.name)")
                isNumbered = false
                if let added = SealedColumn(column, of: table, number: end) { sealed.append(added) }
            }
        }
        self.sealed = sealed
        sealedEnd = isNumbered ? end : Self.number(after: end, "")
    }

    /// FNV-1a of a number and a name, beyond all numbers that are given by hand.
    private static func number(after former: Int64, _ name: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(former) \(name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash >> 2 | 1 << 61)
    }

    func sealed(_ number: Int64) -> SealedColumn? { sealed.first { $0.number == number } }

    /// The one behind a column; nil behind the last.
    func sealed(behind column: SealedColumn) -> SealedColumn? {
        sealed.drop { $0.number != column.number }.dropFirst().first
    }
}
