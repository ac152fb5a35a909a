import Syntax
import System

/// Writes JSON straight into bytes, without a tree in between: what answers on the hot path are made with.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { answer in
///     answer.member("token_type", "bearer")
///     answer.member("expires", 900)
/// }
/// ```
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    public init(reservingCapacity capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object as the next value; `body` writes its members.
    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        try container(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes an array as the next value; `body` writes its elements.
    public mutating func array<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        try container(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Writes a member's name; its value must follow.
    public mutating func name(_ name: String) {
        quote(name, as: .name)
        needsComma = false
    }

    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    public mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    public mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        self.value(value)
    }

    /// A member whose value is JSON already.
    public mutating func member(_ name: String, json: String) {
        self.name(name)
        raw(json)
    }

    public mutating func string(_ value: String) {
        quote(value, as: .value)
        needsComma = true
    }

    public mutating func integer(_ value: Int64) {
        separate()
        bytes.append(decimal: value)
        needsComma = true
    }

    public mutating func boolean(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .number(let value): raw(value.isFinite ? "\(value)" : "null")
        case .string(let value): string(value)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let object):
            self.object { writer in for member in object.members { writer.member(member.name, member.value) } }
        case .doubtful: self.value(value.shown ?? .null)
        }
    }

    /// Ends the line after a value, where each is a line of its own.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    private mutating func container<Failure: Error>(
        _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        bytes.append(open)
        needsComma = false
        try body(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private enum Role { case name, value }

    /// Writes a text in quotes, with the comma before it and, behind a name, the colon.
    private mutating func quote(_ text: String, as role: Role) {
        let plain = text.utf8.span
        // Nearly every text goes out as it is.
        guard PlainText.isAll(plain) else { return quoteEscaping(text, as: role) }
        let isBehindAnother = needsComma
        bytes.append(addingCapacity: plain.count + 4) { output in
            if isBehindAnother { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            output.append(plain)
            output.append(UInt8(ascii: "\""))
            if role == .name { output.append(UInt8(ascii: ":")) }
        }
    }

    private mutating func quoteEscaping(_ text: String, as role: Role) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { escape(byte) }
        bytes.append(UInt8(ascii: "\""))
        if role == .name { bytes.append(UInt8(ascii: ":")) }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case _ where PlainText.ends(byte, true):
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append((byte >> 4).hexadecimalDigit)
            bytes.append((byte & 15).hexadecimalDigit)
        default: bytes.append(byte)
        }
    }
}

extension JSONValue {
    /// This value as compact UTF-8 JSON.
    public var serialized: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
