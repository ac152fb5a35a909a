public import Accounts

/// The tables of a store that is open: the service's own, and those that were added at its opening; with the lists that
/// its walks are made of.
public final class StoreTables: Sendable {
    /// Those of every store.
    public static let own = StoreTables(adding: [])

    /// Each after those that its rows refer to.
    package let all: [StoredTable]
    /// What the store has beside its own, which every store has.
    package let added: [AddedTable]
    /// In the order in which a walk takes them.
    package let sealed: [SealedColumn]
    /// What stands for a walk that is through all of them.
    package let sealedEnd: Int64

    /// - Parameter tables: one that has the name of another is left out.
    public init(adding tables: [Table]) {
        var names = Set(Table.all.map(\.name))
        let others = tables.filter { names.insert($0.name).inserted }.sorted { $0.name < $1.name }
        added = others.compactMap(AddedTable.init)
        all = (Table.all + others).map(StoredTable.init)
        let own = Table.all.flatMap { table in
            table.columns.compactMap { column in
                column.seal?.number.flatMap { SealedColumn(column, of: table, number: $0) }
            }
        }
        var sealed = (own + [.proof]).sorted { $0.number < $1.number }
        // One that comes later gets its number of all names up to its own: so the number on disk of a walk that stood
        // among other tables means nothing here, and the walk begins anew.
        var end = Int64(sealed.count)
        for table in others {
            for column in table.columns where column.seal != nil {
                end = Self.number(after: end, "\(table.name).\(column.name)")
                if let added = SealedColumn(column, of: table, number: end) { sealed.append(added) }
            }
        }
        self.sealed = sealed
        sealedEnd = others.isEmpty ? end : Self.number(after: end, "")
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
