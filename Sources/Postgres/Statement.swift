import Synchronization

/// The types of values that statements take.
public enum ValueType: Sendable {
    /// `int8`; times are such numbers too.
    case integer
    /// `bytea`.
    case bytes
    case text
    /// `boolean`.
    case bool

    /// By what number the server knows it (`pg_type.dat`).
    var identifier: UInt32 {
        switch self {
        case .integer: 20
        case .bytes: 17
        case .text: 25
        case .bool: 16
        }
    }
}

/// A text of SQL that each connection prepares at its first use, under a name of its own.
public struct Statement: Sendable {
    /// One for each text, in all of the process.
    let name: String
    let text: String
    /// Nil where the server is to tell them by where they stand.
    let types: [ValueType?]?

    private static let count = Atomic<Int>(0)

    /// Whether it only reads, as far as its first word tells.
    var isRead: Bool { text.hasPrefix("SELECT") }

    /// - Parameter types: of `$1` and those after it.
    public init(_ name: StaticString, _ text: String, _ types: ValueType...) {
        self.name = name.description
        self.text = text
        self.types = types
    }

    /// A statement of which the server finds out by itself what its values are, as far as they are not told, and
    /// refuses others.
    ///
    /// - Parameter types: of `$1` and those after it; nil for those that are not told.
    public init(_ text: String, types: [ValueType?] = []) {
        name = "s\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        self.text = text
        self.types = types.isEmpty ? nil : types
    }

    private init(unnamed text: String) {
        name = ""
        self.text = text
        types = nil
    }

    /// A text that is not kept prepared, for what comes once: the steps of a schema. It is no place for values.
    public static func once(_ text: String) -> Statement { Statement(unnamed: text) }
}

/// A statement with its values.
public struct Command: Sendable {
    let statement: Statement
    let values: [Value]

    public init(_ statement: Statement, _ values: Value...) {
        self.init(statement, values)
    }

    public init(_ statement: Statement, _ values: [Value]) {
        self.statement = statement
        self.values = values
    }

    /// Whether each value is of the type that the statement declares.
    var isWellFormed: Bool {
        guard let types = statement.types else { return true }
        return values.count == types.count
            && zip(values, types).allSatisfy { value, type in
                type.map(value.isA) ?? true
            }
    }
}
