/// Why a text is not the JSON we take.
public enum JSONError: Error, Equatable, Sendable {
    /// The grammar of RFC 8259 is broken at this byte offset.
    case syntax(offset: Int)
    /// An object has this member twice. RFC 8259 §4 leaves the meaning open, and two readers that choose differently
    /// are an attack (RFC 8725 §2.4), so such a document is refused.
    case duplicateMember(String)
    /// Arrays and objects nest deeper than the limit.
    case tooDeep
    /// A string is not UTF-8, or escapes half a surrogate pair.
    case invalidText(offset: Int)
    /// Something is decided by this member, and it is there twice, or had to be repaired.
    case doubtfulMember(String)
}

extension JSONValue {
    /// Reads a whole JSON document.
    ///
    /// - Parameters:
    ///   - bytes: the UTF-8 text; nothing but white space may follow the value. The caller bounds its length.
    ///   - depth: how deep arrays and objects may nest.
    /// - Throws: `JSONError`, which names the place and never the content, but for a repeated member's name.
    public init(parsing bytes: some Collection<UInt8>, depth: Int = 32) throws(JSONError) {
        let contiguous = bytes as? [UInt8] ?? Array(bytes)
        try self.init(parsing: contiguous.span, depth: depth)
    }

    /// Reads a whole JSON document out of a span; see ``init(parsing:depth:)``.
    public init(parsing bytes: Span<UInt8>, depth: Int = 32) throws(JSONError) {
        var parser = JSONParser()
        parser.skipWhiteSpace(bytes)
        self = try parser.value(bytes, depth: depth)
        parser.skipWhiteSpace(bytes)
        guard parser.offset == bytes.count else { throw .syntax(offset: parser.offset) }
    }
}

/// A recursive-descent reader; its state is the offset and what the last text was, its stack is bounded by `depth`.
struct JSONParser {
    private static let membersSearchedInOrder = 24
    /// As many as fit into the memory that an object gets at first.
    private static let usualMembers = 8

    var offset = 0
    /// Whether what can be repaired is no fault.
    private(set) var repairs = false
    /// Whether the text that was read last had to be repaired.
    var hasRepaired = false

    /// How many members have come again. Each is looked for among all others.
    private var repetitions = 0
    private static let maximumRepetitions = 64

    init(repairs: Bool = false) {
        self.repairs = repairs
    }

    private mutating func mayRepeat() -> Bool {
        repetitions += 1
        return repairs && repetitions <= Self.maximumRepetitions
    }

    mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        guard offset < bytes.count else { throw .syntax(offset: offset) }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return .object(try object(bytes, depth: depth))
        case UInt8(ascii: "["): return .array(try array(bytes, depth: depth))
        case UInt8(ascii: "\""):
            let text = try string(bytes)
            return repairs && hasRepaired ? .doubtful(.repaired(text)) : .string(text)
        case UInt8(ascii: "t"):
            try literal("true", bytes)
            return .boolean(true)
        case UInt8(ascii: "f"):
            try literal("false", bytes)
            return .boolean(false)
        case UInt8(ascii: "n"):
            try literal("null", bytes)
            return .null
        default: return try number(bytes)
        }
    }

    private mutating func literal(_ text: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
        let start = offset
        for character in text.description.utf8 {
            guard offset < bytes.count, bytes[offset] == character else { throw .syntax(offset: start) }
            offset += 1
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        guard depth > 0 else { throw .tooDeep }
        offset += 1
        var object = JSONObject()
        // Made once an object is so large that searching its members for each new name would grow quadratic.
        var names: Set<String> = []
        skipWhiteSpace(bytes)
        if consume(UInt8(ascii: "}"), bytes) { return object }
        object.reserveCapacity(Self.usualMembers)
        while true {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { throw .syntax(offset: offset) }
            let name = try string(bytes)
            let isNew: Bool
            if object.members.count < Self.membersSearchedInOrder {
                isNew = !object.contains(name)
            } else {
                if names.isEmpty { names = Set(object.members.map(\.name)) }
                isNew = names.insert(name).inserted
            }
            guard isNew || mayRepeat() else { throw .duplicateMember(name) }
            skipWhiteSpace(bytes)
            guard consume(UInt8(ascii: ":"), bytes) else { throw .syntax(offset: offset) }
            skipWhiteSpace(bytes)
            let value = try value(bytes, depth: depth - 1)
            if isNew { object.append(name, value) } else { object.repeat(name, value) }
            skipWhiteSpace(bytes)
            if consume(UInt8(ascii: "}"), bytes) { return object }
            guard consume(UInt8(ascii: ","), bytes) else { throw .syntax(offset: offset) }
            skipWhiteSpace(bytes)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth > 0 else { throw .tooDeep }
        offset += 1
        var elements: [JSONValue] = []
        skipWhiteSpace(bytes)
        if consume(UInt8(ascii: "]"), bytes) { return elements }
        while true {
            elements.append(try value(bytes, depth: depth - 1))
            skipWhiteSpace(bytes)
            if consume(UInt8(ascii: "]"), bytes) { return elements }
            guard consume(UInt8(ascii: ","), bytes) else { throw .syntax(offset: offset) }
            skipWhiteSpace(bytes)
        }
    }

    private mutating func consume(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let start = offset
        var isInteger = true
        _ = consume(UInt8(ascii: "-"), bytes)
        // RFC 8259 §6: no leading zero but a lone one.
        if !consume(UInt8(ascii: "0"), bytes) { try digits(bytes) }
        if consume(UInt8(ascii: "."), bytes) {
            isInteger = false
            try digits(bytes)
        }
        if consume(UInt8(ascii: "e"), bytes) || consume(UInt8(ascii: "E"), bytes) {
            isInteger = false
            if !consume(UInt8(ascii: "+"), bytes) { _ = consume(UInt8(ascii: "-"), bytes) }
            try digits(bytes)
        }
        let literal = bytes.extracting(start..<offset)
        if isInteger, let integer = Self.integer(literal) { return .integer(integer) }
        var text: [UInt8] = []
        for index in 0..<literal.count { text.append(literal[index]) }
        guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else {
            throw .syntax(offset: start)
        }
        return .number(number)
    }

    /// - Parameter literal: digits, behind a minus or not.
    /// - Returns: nil when 64 bits do not hold it.
    private static func integer(_ literal: Span<UInt8>) -> Int64? {
        let isNegative = literal[0] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in (isNegative ? 1 : 0)..<literal.count {
            let digit = Int64(literal[index] - UInt8(ascii: "0"))
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            // Below zero there is one number more, so a negative one is made downwards.
            let (sum, overflowsToo) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflows || overflowsToo { return nil }
            value = sum
        }
        return value
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = offset
        while offset < bytes.count, bytes[offset] >= 0x30, bytes[offset] <= 0x39 { offset += 1 }
        guard offset > start else { throw .syntax(offset: offset) }
    }
}
