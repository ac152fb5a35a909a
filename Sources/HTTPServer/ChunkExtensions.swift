internal import Syntax

/// What may follow a chunk's size (RFC 9112 §7.1.1):
/// `*( BWS ";" BWS name [ BWS "=" BWS value ] )`, the value a token or a quoted string.
///
/// None is understood here, and each is ignored. It has to be one all the same: where one reader sees an extension and
/// another the end of a line, they disagree on where the next request begins.
enum ChunkExtensions {
    /// Whether the bytes of `range` are any number of extensions, and nothing else.
    static func areWellFormed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound {
            skipBlanks(bytes, &index, range.upperBound)
            guard index < range.upperBound, bytes[index] == .semicolon else { return false }
            index += 1
            skipBlanks(bytes, &index, range.upperBound)
            guard skipToken(bytes, &index, range.upperBound) else { return false }
            // Blanks may precede what comes next, and nothing may end with some.
            var next = index
            skipBlanks(bytes, &next, range.upperBound)
            guard next < range.upperBound, bytes[next] == .equalsSign else { continue }
            index = next + 1
            skipBlanks(bytes, &index, range.upperBound)
            guard
                skipQuotedString(bytes, &index, range.upperBound) || skipToken(bytes, &index, range.upperBound)
            else { return false }
        }
        return true
    }

    private static func skipBlanks(_ bytes: Span<UInt8>, _ index: inout Int, _ end: Int) {
        while index < end, bytes[index].isBlank { index += 1 }
    }

    private static func skipToken(_ bytes: Span<UInt8>, _ index: inout Int, _ end: Int) -> Bool {
        let start = index
        while index < end, bytes[index].isToken { index += 1 }
        return index > start
    }

    /// RFC 9110 §5.6.4. Stays where it is when there is none, or none that ends.
    private static func skipQuotedString(_ bytes: Span<UInt8>, _ index: inout Int, _ end: Int) -> Bool {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        guard index < end, bytes[index] == quote else { return false }
        var next = index + 1
        while next < end, bytes[next].isFieldContent {
            if bytes[next] == quote {
                index = next + 1
                return true
            }
            if bytes[next] == backslash {
                next += 1
                guard next < end, bytes[next].isFieldContent else { return false }
            }
            next += 1
        }
        return false
    }
}
