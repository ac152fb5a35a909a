package import Accounts

/// A column of sealed values, in the order of their rows' keys, in pages, so that a walk through them holds up nobody.
package struct SealedColumn: Sendable {
    package struct Value {
        let position: SealedPosition
        package let sealed: [UInt8]
        package let context: SealContext
    }

    /// What stands for it while the store is sealed anew.
    package let number: Int64
    package let table: String
    package let name: String
    private let kind: Table.Column.Kind
    private let seal: Table.Seal
    private let page: Query
    private let replacement: Query
    /// How many rows there are at most that have one.
    let count: Query

    init?(_ column: Table.Column, of table: Table, number: Int64) {
        // A place has one key: that of several columns would not stand in a row of `reseal`.
        guard let seal = column.seal, let key = table.key.first, table.key.count == 1 else { return nil }
        self.number = number
        self.table = table.name
        name = column.name
        kind = key.kind
        self.seal = seal
        var conditions = ""
        if column.isOptional { conditions += " AND \(column.name) IS NOT NULL" }
        if let unless = seal.unless { conditions += " AND \(unless) IS NULL" }
        page = Query(
            """
            SELECT \(key.name), \(column.name), \(seal.label ?? "''") FROM \(table.name)
            WHERE \(key.name) > ?\(conditions) ORDER BY \(key.name) LIMIT ?
            """)
        replacement = Query("UPDATE \(table.name) SET \(column.name) = ? WHERE \(key.name) = ?")
        count = Query(
            "SELECT count(*) FROM \(table.name)" + (seal.unless.map { " WHERE \($0) IS NULL" } ?? ""))
    }

    /// The proof that the right master key has opened the store, among what the store knows of itself.
    private init(proof number: Int64) {
        self.number = number
        table = "meta"
        name = "value"
        kind = .text
        seal = Table.Seal()
        page = Query(
            "SELECT name, value, '' FROM meta WHERE name > ? AND name = 'seal_proof' LIMIT ?",
            postgres: "SELECT name, content, '' FROM meta WHERE name > ? AND name = 'seal_proof' LIMIT ?")
        replacement = Query(
            "UPDATE meta SET value = ? WHERE name = ?", postgres: "UPDATE meta SET content = ? WHERE name = ?")
        count = Query("SELECT 1")
    }

    static let proof = SealedColumn(proof: 3)

    /// Before the first value.
    package var start: SealedPosition { SealedPosition.start(kind) }

    package func page(
        _ connection: any StoreConnection, after position: SealedPosition, limit: Int
    ) throws(RepositoryError) -> [Value] {
        try connection.all(page, position, Int64(limit)) { row throws(RepositoryError) in
            let position = self.position(row, 0)
            return Value(position: position, sealed: row.blob(1), context: context(position, label: row.text(2)))
        }
    }

    func replace(
        at position: SealedPosition, with sealed: [UInt8], _ connection: any StoreConnection
    ) throws(RepositoryError) {
        try connection.run(replacement, sealed, position)
    }

    func position(_ row: any Statement, _ column: Int32) -> SealedPosition { SealedPosition(row, column, kind) }

    /// The place of the value of a row.
    ///
    /// - Parameter label: what its label's column has; of no meaning where it has none.
    func context(_ position: SealedPosition, label: String) -> SealContext {
        guard seal.label != nil, label != seal.unwritten else {
            switch position {
            case .row(let number): return SealContext(table: table, column: name, row: number)
            case .hash(let bytes): return SealContext(table: table, column: name, row: bytes)
            case .name(let name): return SealContext(table: table, column: self.name, row: Array(name.utf8))
            }
        }
        let key =
            switch position {
            case .row(let number): "\(number)"
            case .hash(let bytes): String(decoding: bytes, as: UTF8.self)
            case .name(let name): name
            }
        return SealContext(table: table, column: name, row: Array("\(label):\(key)".utf8))
    }
}

/// The primary key of a row with a sealed value.
package enum SealedPosition: Bindable, Equatable {
    case row(Int64)
    case hash([UInt8])
    case name(String)

    init(_ row: any Statement, _ column: Int32, _ kind: Table.Column.Kind) {
        self =
            switch kind {
            case .integer: .row(row.integer(column))
            case .bytes: .hash(row.blob(column))
            case .text: .name(row.text(column))
            }
    }

    /// Before the first one of a kind.
    static func start(_ kind: Table.Column.Kind) -> SealedPosition {
        switch kind {
        case .integer: .row(0)
        case .bytes: .hash([])
        case .text: .name("")
        }
    }

    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        switch self {
        case .row(let row): try row.bind(to: statement, at: index)
        case .hash(let hash): try hash.bind(to: statement, at: index)
        case .name(let name): try name.bind(to: statement, at: index)
        }
    }
}
