internal import Syntax
internal import System

extension JSONParser {
    /// Reads a string; the offset stands on its opening quote.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset
        offset += 1
        let end = PlainText.end(bytes, from: offset, orAtDelete: false)
        guard end < bytes.count else { throw .syntax(offset: start) }
        switch bytes[end] {
        case UInt8(ascii: "\""):
            let range = offset..<end
            offset = end + 1
            return try text(bytes, range)
        case UInt8(ascii: "\\"): return try escapedString(bytes, start: start, firstEscape: end)
        default: throw .syntax(offset: end)
        }
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        guard let text = String(utf8: bytes.extracting(range)) else { throw .invalidText(offset: range.lowerBound) }
        return text
    }

    private mutating func escapedString(
        _ bytes: Span<UInt8>, start: Int, firstEscape: Int
    ) throws(JSONError) -> String {
        var text: [UInt8] = []
        for index in offset..<firstEscape { text.append(bytes[index]) }
        offset = firstEscape
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return try self.text(text.span, 0..<text.count)
            case UInt8(ascii: "\\"): try escape(bytes, into: &text)
            case 0x00..<0x20: throw .syntax(offset: offset - 1)
            default: text.append(byte)
            }
        }
        throw .syntax(offset: start)
    }

    private mutating func escape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        guard offset < bytes.count else { throw .syntax(offset: offset) }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try unicodeEscape(bytes)
            text.append(contentsOf: String(scalar).utf8)
        default: throw .syntax(offset: offset - 1)
        }
    }

    /// `\uXXXX`, or a pair of them for a scalar outside the basic plane (RFC 8259 §7).
    private mutating func unicodeEscape(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let start = offset
        let high = try hexadecimal(bytes)
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard (0xD800..<0xDC00).contains(high), offset + 1 < bytes.count,
            bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else { throw .invalidText(offset: start) }
        offset += 2
        let low = try hexadecimal(bytes)
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        else { throw .invalidText(offset: start) }
        return scalar
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count else { throw .syntax(offset: offset) }
            guard let digit = bytes[offset].hexadecimalValue else { throw .syntax(offset: offset) }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
