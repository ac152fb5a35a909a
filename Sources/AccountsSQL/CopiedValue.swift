package import Accounts

/// What a row has in one column, as all engines have it: a number, or bytes.
package enum CopiedValue: Bindable, Comparable, Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    /// In UTF-8, as it is stored. What is none is no text in any engine: it is not made one here, and copied nowhere.
    case text([UInt8])

    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let number): try number.bind(to: statement, at: index)
        case .bytes(let bytes): try bytes.bind(to: statement, at: index)
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .unstorableText }
            try text.bind(to: statement, at: index)
        }
    }

    /// In the order of keys, which is that of bytes in every engine.
    package static func < (one: CopiedValue, other: CopiedValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.bytes(let one), .bytes(let other)), (.text(let one), .text(let other)):
            one.lexicographicallyPrecedes(other)
        default: false
        }
    }

    /// Adds what it is, how long it is, and all of it.
    func add(to hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number):
            hasher.combine(1)
            hasher.combine(number)
        case .bytes(let bytes):
            hasher.combine(2)
            hasher.combine(bytes)
        case .text(let bytes):
            hasher.combine(3)
            hasher.combine(bytes)
        }
    }
}

// A key's columns are never NULL.
extension Table.Column {
    /// What is read for it where it is copied.
    var expression: String { mixesNoneAndEmpty ? "coalesce(\(name), x'')" : name }

    /// What comes before everything that a key has here.
    var start: CopiedValue {
        switch kind {
        case .integer: .integer(.min)
        case .bytes: .bytes([])
        case .text: .text([])
        }
    }

    func value(_ row: any Statement, _ column: Int32) -> CopiedValue {
        if row.isNull(column) { return .null }
        switch kind {
        case .integer: return .integer(row.integer(column))
        case .bytes: return .bytes(row.blob(column))
        case .text: return .text(row.blob(column))
        }
    }
}

/// How many rows a table has, and what they come to: equal where every row is, in every column. Good for comparisons in
/// one process, and kept nowhere.
package struct TableSum: Equatable, Sendable {
    package private(set) var rows = 0
    private var hasher = Hasher()

    mutating func add(_ row: [CopiedValue]) {
        rows += 1
        for value in row { value.add(to: &hasher) }
    }

    package static func == (one: TableSum, other: TableSum) -> Bool {
        one.rows == other.rows && one.hasher.finalize() == other.hasher.finalize()
    }
}
