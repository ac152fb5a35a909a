/// A parameter of a statement, sent in the server's binary format.
public enum PostgresValue: Sendable, Equatable {
    case null
    /// For a parameter of type `int8`.
    case integer(Int64)
    /// For `bytea`.
    case bytes([UInt8])
    /// For `text`.
    case text(String)
    /// For `bool`.
    case boolean(Bool)

    /// Adds its bytes.
    ///
    /// - Returns: false for null, which has none.
    func write(into buffer: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .integer(let value): unsafe withUnsafeBytes(of: value.bigEndian) { unsafe buffer.append(contentsOf: $0) }
        case .bytes(let bytes): buffer.append(contentsOf: bytes)
        case .text(let text): buffer.append(contentsOf: text.utf8)
        case .boolean(let isTrue): buffer.append(isTrue ? 1 : 0)
        }
        return true
    }
}

/// A text of SQL with `$1`, `$2`… for its parameters. A connection prepares it once, by its identity.
public final class PostgresStatement: Sendable {
    let text: String

    public init(_ text: String) {
        self.text = text
    }
}

/// A statement and the values of its parameters.
public struct PostgresCall: Sendable {
    let statement: PostgresStatement
    let values: [PostgresValue]

    public init(_ statement: PostgresStatement, _ values: [PostgresValue] = []) {
        self.statement = statement
        self.values = values
    }
}
