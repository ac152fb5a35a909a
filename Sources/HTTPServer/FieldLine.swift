internal import Syntax

/// One line `name: value` of a head or a trailer section (RFC 9112 §5).
enum FieldLine {
    /// Finds the name and the value in the line in `range`, which is without its CRLF.
    static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ProtocolError) -> RequestHead.Field {
        // RFC 9112 §5.2: a line that begins with a blank once continued the one before. Reading it either way is a
        // guess.
        guard !bytes[range.lowerBound].isBlank else {
            throw .malformed("A field line is folded, or blanks precede the first one.")
        }
        var colon = range.lowerBound
        while colon < range.upperBound, bytes[colon].isToken { colon += 1 }
        // RFC 9112 §5.1: a blank before the colon has let requests be understood in two ways.
        guard colon > range.lowerBound, colon < range.upperBound, bytes[colon] == .colon else {
            throw .malformed("A field line is not a name directly followed by a colon.")
        }
        guard bytes.extracting(colon + 1..<range.upperBound).isFieldContent else {
            throw .malformed("A field value has a control character.")
        }
        return RequestHead.Field(
            name: range.lowerBound..<colon, value: bytes.trimmingBlanks(colon + 1..<range.upperBound))
    }
}
