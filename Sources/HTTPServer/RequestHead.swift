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

        /// Finds the name and the value in one line `name: value` of a head or a trailer section (RFC 9112 §5).
        ///
        /// - Parameter line: where it is, without its CRLF.
        init(_ bytes: Span<UInt8>, line: Range<Int>) throws(ProtocolError) {
            // RFC 9112 §5.2: a line that begins with a blank once continued the one before. Reading it either way is a
            // guess.
            guard !bytes[line.lowerBound].isBlank else {
                throw .malformed("A field line is folded, or blanks precede the first one.")
            }
            var colon = line.lowerBound
            while colon < line.upperBound, bytes[colon].isToken { colon += 1 }
            // RFC 9112 §5.1: a blank before the colon has let requests be understood in two ways.
            guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == .colon else {
                throw .malformed("A field line is not a name directly followed by a colon.")
            }
            guard bytes.extracting(colon + 1..<line.upperBound).isFieldContent else {
                throw .malformed("A field value has a control character.")
            }
            self.init(name: line.lowerBound..<colon, value: bytes.trimmingBlanks(colon + 1..<line.upperBound))
        }

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    let bytes: [UInt8]
    let fields: [Field]

    init(bytes: [UInt8], fields: [Field]) {
        (self.bytes, self.fields) = (bytes, fields)
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
        (self.bytes, self.fields) = (bytes, fields)
    }

    /// Whether a field has this name, whatever the case of either.
    func matches(_ field: Field, _ name: String) -> Bool {
        bytes.span.equalsIgnoringCase(field.name, name)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
