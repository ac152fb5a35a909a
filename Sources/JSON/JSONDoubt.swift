/// What stands in a document and can't be taken at its word. Only ``JSONValue/init(repairing:strict:depth:)`` makes
/// one.
///
/// The accessors of ``JSONValue`` know no such value: `string`, `integer` and the others are nil for it, so a rule that
/// decides by a value refuses it without a thought. Who only shows it says so, with ``JSONValue/shown``.
public enum JSONDoubt: Sendable, Equatable {
    /// A text of which something was no Unicode; U+FFFD stands in its place.
    case repaired(String)
    /// The member stands in its object more than once. The value is there where it is the same each time.
    case repeated(JSONValue?)
}

extension JSONValue {
    /// Reads a whole JSON document that somebody else has made and that need not be right everywhere: what can be
    /// repaired is repaired, and is told apart as ``doubtful(_:)``.
    ///
    /// A byte order mark is passed over (RFC 8259 §8.1); what is no UTF-8, and half of a surrogate pair, becomes U+FFFD
    /// (§8.2); a member that comes again leaves its object readable (§4), up to 64 of them. All else is as strict as
    /// ``init(parsing:depth:)``, which reads every document that needs no repair, so that only those cost more.
    ///
    /// - Parameters:
    ///   - bytes: the text; the caller bounds its length.
    ///   - strict: the members of the document by which something is decided. One that is doubtful, however deep in it
    ///     the doubt lies, is refused.
    ///   - depth: how deep arrays and objects may nest.
    /// - Throws: `JSONError`; `.doubtfulMember` for one of `strict`.
    public init(repairing bytes: Span<UInt8>, strict: Set<String>, depth: Int = 32) throws(JSONError) {
        do throws(JSONError) {
            self = try JSONValue(parsing: bytes, depth: depth)
        } catch {
            guard error.isReasonToRepair(bytes) else { throw error }
            self = try Self.repaired(bytes, strict, depth)
        }
    }

    private static func repaired(
        _ bytes: Span<UInt8>, _ strict: Set<String>, _ depth: Int
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(repairs: true)
        if hasByteOrderMark(bytes) { parser.offset = byteOrderMark.count }
        parser.skipWhiteSpace(bytes)
        let value = try parser.value(bytes, depth: depth)
        parser.skipWhiteSpace(bytes)
        guard parser.offset == bytes.count else { throw .syntax(offset: parser.offset) }
        for member in value.object?.members ?? [] where strict.contains(member.name) && member.value.hasDoubt {
            throw .doubtfulMember(member.name)
        }
        return value
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether a text begins with U+FEFF, which some editors and frameworks write before all else.
    static func hasByteOrderMark(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= byteOrderMark.count && byteOrderMark.indices.allSatisfy { bytes[$0] == byteOrderMark[$0] }
    }

    /// Whether it is doubtful, or something in it is.
    public var hasDoubt: Bool {
        switch self {
        case .doubtful: true
        case .array(let elements): elements.contains(where: \.hasDoubt)
        case .object(let object): object.members.contains { $0.value.hasDoubt }
        case .null, .boolean, .integer, .number, .string: false
        }
    }

    /// The value for somebody's eyes, with what was repaired in it; nil where there is none: it was given twice, each
    /// time otherwise. Nothing may be decided by it.
    public var shown: JSONValue? {
        guard hasDoubt else { return self }
        switch self {
        case .doubtful(.repaired(let text)): return .string(text)
        case .doubtful(.repeated(let value)): return value?.shown
        case .array(let elements): return .array(elements.compactMap(\.shown))
        case .object(let object):
            let members = object.members.compactMap { member in member.value.shown.map { (member.name, $0) } }
            return .object(JSONObject(members))
        case .null, .boolean, .integer, .number, .string: return self
        }
    }
}

extension JSONError {
    /// Whether a document that is refused for it can be one that needs repair.
    fileprivate func isReasonToRepair(_ bytes: Span<UInt8>) -> Bool {
        switch self {
        case .duplicateMember, .invalidText: true
        case .syntax: JSONValue.hasByteOrderMark(bytes)
        case .tooDeep, .doubtfulMember: false
        }
    }
}
