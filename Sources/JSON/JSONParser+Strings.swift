internal import Syntax
internal import System

extension JSONParser {
    /// Reads a string; the offset stands on its opening quote.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset
        offset += 1
        if repairs { hasRepaired = false }
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

    private mutating func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        if let text = String(utf8: bytes.extracting(range)) { return text }
        guard repairs else { throw .invalidText(offset: range.lowerBound) }
        hasRepaired = true
        return String(decoding: range.map { bytes[$0] }, as: UTF8.self)
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
        let end = offset
        if (0xD800..<0xDC00).contains(high), offset + 1 < bytes.count,
            bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        {
            offset += 2
            let low = try hexadecimal(bytes)
            if (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            {
                return scalar
            }
        }
        guard repairs else { throw .invalidText(offset: start) }
        // What follows the half may be a character of its own.
        offset = end
        hasRepaired = true
        return Self.replacement
    }

    private static let replacement: Unicode.Scalar = "\u{FFFD}"

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

/// Finds what ends the plain part of a JSON string: a quote, a backslash or a control character (RFC 8259 §7).
/// What we write has DEL escaped too, for logs that are read on a terminal.
enum PlainText {
    private static let wordSize = MemoryLayout<UInt64>.size
    private static let blockSize = 4 * wordSize
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// - Returns: where it is, from `start` on, or the end of the bytes when there is none.
    @inline(__always)
    static func end(_ bytes: Span<UInt8>, from start: Int, orAtDelete: Bool) -> Int {
        var end = start
        while end <= bytes.count - wordSize {
            let found = ends(bytes.word(at: end), orAtDelete) & highBits
            if found != 0 { return end + found.trailingZeroBitCount / 8 }
            end += wordSize
            // Most texts have ended by then; a token goes on for hundreds of bytes.
            guard end == start + blockSize else { continue }
            while end <= bytes.count - blockSize, !isAny(ends(bytes.block(at: end), orAtDelete)) { end += blockSize }
        }
        while end < bytes.count, !ends(bytes[end], orAtDelete) { end += 1 }
        return end
    }

    /// Whether a whole text is plain, for what we write.
    @inline(__always)
    static func isAll(_ bytes: Span<UInt8>) -> Bool {
        let count = bytes.count
        // One block or word lies at the end, and every other ends before that. What the last has in common with the one
        // before is looked at twice.
        if count >= blockSize {
            var found = ends(bytes.block(at: count - blockSize), true)
            var start = 0
            while start < count - blockSize {
                found |= ends(bytes.block(at: start), true)
                start += blockSize
            }
            return !isAny(found)
        }
        if count >= wordSize {
            var found = ends(bytes.word(at: count - wordSize), true)
            var start = 0
            while start < count - wordSize {
                found |= ends(bytes.word(at: start), true)
                start += wordSize
            }
            return found & highBits == 0
        }
        // Filled up with blanks, which end nothing.
        var word = ones &* 0x20
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        return ends(word, true) & highBits == 0
    }

    static func ends(_ byte: UInt8, _ orAtDelete: Bool) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || orAtDelete && byte == 0x7F
    }

    /// Eight bytes looked at together, or four times eight. In each eight of the result the high bit is set of the
    /// first byte that ends plain text, and of none before it; a borrow may set more behind it. The other bits mean
    /// nothing.
    @inline(__always)
    private static func ends<Bytes: BytesTogether>(_ bytes: Bytes, _ orAtDelete: Bool) -> Bytes {
        let ones = Bytes(repeating: ones)
        // Changing one bit leaves the controls below the blank and puts the quote, the only byte above it that does so,
        // in the blank's place: so one subtraction finds both.
        var ends = (bytes ^ Bytes(repeating: 0x0202_0202_0202_0202)) &- Bytes(repeating: 0x2121_2121_2121_2121)
        ends = ends | ((bytes ^ Bytes(repeating: 0x5C5C_5C5C_5C5C_5C5C)) &- ones)
        if orAtDelete { ends = ends | ((bytes ^ Bytes(repeating: 0x7F7F_7F7F_7F7F_7F7F)) &- ones) }
        // Nothing beyond ASCII ends it.
        return ends & ~bytes
    }

    @inline(__always)
    private static func isAny(_ ends: SIMD4<UInt64>) -> Bool {
        (ends[0] | ends[1] | ends[2] | ends[3]) & highBits != 0
    }
}

/// Bytes side by side that are looked at together: eight of them, or a block.
private protocol BytesTogether {
    init(repeating eight: UInt64)
    static func ^ (left: Self, right: Self) -> Self
    static func | (left: Self, right: Self) -> Self
    static func & (left: Self, right: Self) -> Self
    static func &- (left: Self, right: Self) -> Self
    static prefix func ~ (bytes: Self) -> Self
}

extension SIMD4: BytesTogether where Scalar == UInt64 {}

extension UInt64: BytesTogether {
    fileprivate init(repeating eight: UInt64) { self = eight }
}
