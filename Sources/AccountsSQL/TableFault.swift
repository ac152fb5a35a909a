internal import Accounts

/// Why a table can't be added to a store: its author has to change it.
public struct TableFault: Error, Equatable, CustomStringConvertible {
    public let table: String
    /// What was found beside what was expected.
    public let fault: String

    public var description: String { "the table \(table) can't be added to the store: \(fault)" }

    /// What the engines and the store itself keep under names of this form.
    private static let taken = Set(["meta", "reseal"] + Table.all.map(\.name))
    private static let engines = ["sqlite_", "pg_", "gatehouse_"]

    /// - Throws: the first fault of any of them.
    static func look(for tables: [Table]) throws(TableFault) {
        var names = taken
        var numbers = Set(Table.all.flatMap { $0.columns.compactMap { $0.seal?.number } } + [SealedColumn.proof.number])
        for table in tables {
            if let fault = fault(of: table, &names, &numbers) { throw TableFault(table: table.name, fault: fault) }
        }
    }

    private static func fault(of table: Table, _ names: inout Set<String>, _ numbers: inout Set<Int64>) -> String? {
        guard isName(table.name), !engines.contains(where: { table.name.hasPrefix($0) }) else {
            return "its name is not small letters, digits and underscores, or begins as an engine's own tables do"
        }
        guard names.insert(table.name).inserted else { return "another table has its name" }
        let columns = Dictionary(table.columns.map { ($0.name, $0) }) { first, _ in first }
        guard columns.count == table.columns.count, columns.keys.allSatisfy(isName) else {
            return "the names of its columns are not small letters, digits and underscores, each another"
        }
        guard let key = table.key.first, !key.isOptional, key.seal == nil else {
            return "its key is optional or sealed, so that no row is found by it"
        }
        for (what, name) in [("expiry", table.expiry), ("age", table.age)] {
            guard let name else { continue }
            guard let column = columns[name], column.kind == .integer, !column.isOptional else {
                return "its \(what), \(name), is no column of integers that every row has"
            }
        }
        if let (owner, kind) = owner(of: table), columns[owner]?.kind != kind {
            return "its owner's column, \(owner), is not there or not of the kind of the owner's key"
        }
        if case .user(let owner, merged: .moves) = table.owner, owner == key.name {
            return "its rows are to move when accounts are merged, and its key is whose they are"
        }
        if case .user(_, merged: .decided) = table.owner {
            return "nothing in the store decides what becomes of its rows when accounts are merged"
        }
        for number in table.columns.compactMap({ $0.seal?.number }) where !numbers.insert(number).inserted {
            return "another sealed column has the number \(number)"
        }
        return nil
    }

    private static func owner(of table: Table) -> (String, Table.Column.Kind)? {
        switch table.owner {
        case .nobody: nil
        case .user(let column, _), .identity(let column): (column, .integer)
        case .session(let column): (column, .bytes)
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.first?.isLetter == true
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}
