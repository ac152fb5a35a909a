internal import Syntax

/// A JSON document as a value (RFC 8259).
///
/// An integer literal that fits 64 bits stays exact; every other number is a `number`, which no caller may take for
/// an identifier, nor for a time before its range was checked: `1e300` is never an `exp`.
public enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
    /// Only a reading that repairs has any.
    indirect case doubtful(JSONDoubt)
}

/// The members of a JSON object, in document order, each name once.
///
/// Protocol documents have a handful of members, for which a linear search beats hashing.
public struct JSONObject: Sendable, Equatable {
    public typealias Member = (name: String, value: JSONValue)

    public private(set) var members: [Member]

    public init(_ members: [Member] = []) {
        self.members = members
    }

    public subscript(name: String) -> JSONValue? { index(of: name).map { members[$0].value } }

    func contains(_ name: String) -> Bool { index(of: name) != nil }

    private func index(of name: String) -> Int? {
        // The lengths tell most names apart, and are at hand.
        let count = name.utf8.count
        // Lent, so that no name is copied to be passed over.
        let members = members.span
        for index in members.indices where members[index].name.utf8.count == count && members[index].name == name {
            return index
        }
        return nil
    }

    /// Adds a member; the caller has made sure that the name is new.
    public mutating func append(_ name: String, _ value: JSONValue) {
        members.append((name, value))
    }

    /// Notes that a member has come again: no value of it can be taken for the right one.
    mutating func `repeat`(_ name: String, _ value: JSONValue) {
        guard let index = index(of: name) else { return append(name, value) }
        let isSame =
            switch members[index].value {
            case .doubtful(.repeated(let former)): former == value
            case let former: former == value
            }
        members[index].value = .doubtful(.repeated(isSame ? value : nil))
    }

    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }
}

extension JSONValue {
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The member of that name when this is an object that has one.
    public subscript(name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (name: $0.0, value: $0.1) }))
    }
}

extension JSONValue {
    /// Whether this is a string of exactly these bytes.
    public func isExactly(_ text: String) -> Bool { string?.isExactly(text) ?? false }
}

extension Optional<JSONValue> {
    /// Whether there is a value, and it is a string of exactly these bytes.
    public func isExactly(_ text: String) -> Bool { self?.isExactly(text) ?? false }
}

extension JSONValue {
    /// Whether every text in it, however deep it lies, is as it looks (``VisibleText``). Values may have lines, as an
    /// address has; names of members have none.
    public var isVisible: Bool {
        switch self {
        case .string(let text): VisibleText.fault(of: text, mayHaveLines: true) == nil
        case .array(let elements): elements.allSatisfy(\.isVisible)
        case .object(let object):
            object.members.allSatisfy { VisibleText.fault(of: $0.name) == nil && $0.value.isVisible }
        case .doubtful: shown?.isVisible == true
        case .null, .boolean, .integer, .number: true
        }
    }
}
