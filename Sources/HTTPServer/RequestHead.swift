internal import Syntax

/// The head of a request as it was sent: one buffer, and where its fields are.
///
/// Strings are made only for what somebody asks.
struct RequestHead: Sendable {
    /// Where one field line's name and value are, the value without the blanks around it.
    struct Field: Sendable {
        let nameStart: UInt32
        let nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32

        init(name: Range<Int>, value: Range<Int>) {
            nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
            nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
            valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
            valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        }

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    let bytes: [UInt8]
    let fields: [Field]

    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
    }

    /// Writes fields as they would have been sent.
    init(_ headers: [(String, String)]) {
        var bytes: [UInt8] = []
        var fields: [Field] = []
        for (name, value) in headers {
            let start = bytes.count
            bytes.append(contentsOf: name.utf8)
            let colon = bytes.count
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: value.utf8)
            fields.append(Field(name: start..<colon, value: colon + 2..<bytes.count))
            bytes.append(contentsOf: "\r\n".utf8)
        }
        self.bytes = bytes
        self.fields = fields
    }

    /// Whether a field has this name, whatever the case of either.
    func matches(_ field: Field, _ name: String) -> Bool {
        bytes.span.equalsIgnoringCase(field.name, name)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
