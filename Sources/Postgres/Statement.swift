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
    /// What a session keeps it prepared under: made of the text, so that all who share a session by way of a pooler
    /// mean the same by it, whatever their process and version. Empty where it is not kept.
    let name: String
    let text: String
    /// Nil where the server is to tell them by where they stand.
    let types: [ValueType?]?

    /// Whether it only reads, as far as its first word tells.
    public let isRead: Bool

    /// - Parameters:
    ///   - label: what the server's views show it as, beside the hash.
    ///   - types: of `$1` and those after it.
    public init(_ label: StaticString, _ text: String, _ types: ValueType...) {
        name = Self.name(label.description, text, types)
        (self.text, self.types) = (text, types)
        isRead = Self.reads(text)
    }

    /// A statement of which the server finds out by itself what its values are, as far as they are not told, and
    /// refuses others.
    ///
    /// - Parameter types: of `$1` and those after it; nil for those that are not told.
    public init(_ text: String, types: [ValueType?] = []) {
        name = Self.name("s", text, types)
        self.text = text
        self.types = types.isEmpty ? nil : types
        isRead = Self.reads(text)
    }

    private init(unnamed text: String) {
        name = ""
        self.text = text
        types = nil
        isRead = Self.reads(text)
    }

    private static func reads(_ text: String) -> Bool { text.hasPrefix("SELECT") }

    /// FNV-1a, of 64 bits: the texts are ours, some hundreds, and none is chosen by a stranger.
    private static func name(_ label: String, _ text: String, _ types: [ValueType?]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in text.utf8 { add(byte) }
        // No text has a zero byte, so that none ends in what begins another's types.
        add(0)
        for type in types { add(UInt8(truncatingIfNeeded: type?.identifier ?? 0)) }
        return "\(label)_" + String(hash, radix: 16)
    }

    /// A text that is not kept prepared, for what comes once: the steps of a schema. It is no place for values.
    public static func once(_ text: String) -> Statement { Statement(unnamed: text) }
}

/// A statement with its values.
public struct Command: Sendable {
    public let statement: Statement
    let values: [Value]

    public init(_ statement: Statement, _ values: Value...) {
        self.init(statement, values)
    }

    public init(_ statement: Statement, _ values: [Value]) {
        (self.statement, self.values) = (statement, values)
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
