/// Finds what ends the plain part of a JSON string: a quote, a backslash or a control character (RFC 8259 §7).
/// What we write has DEL escaped too, for logs that are read on a terminal.
enum PlainText {
    private static let wordSize = MemoryLayout<UInt64>.size
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// - Returns: where it is, from `start` on; the end of the bytes when there is none.
    @inline(__always)
    static func end(_ bytes: Span<UInt8>, from start: Int, orAtDelete: Bool) -> Int {
        var end = start
        let raw = unsafe bytes.bytes
        while end + wordSize <= bytes.count {
            // Safe: the word lies inside the span, as the line above makes sure.
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self).littleEndian
            let found = ends(word, orAtDelete)
            if found != 0 { return end + found.trailingZeroBitCount / 8 }
            end += wordSize
        }
        while end < bytes.count, !ends(bytes[end], orAtDelete) { end += 1 }
        return end
    }

    static func ends(_ byte: UInt8, _ orAtDelete: Bool) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || orAtDelete && byte == 0x7F
    }

    /// Eight bytes looked at together. In the result the high bit is set of the first byte that ends plain text, and of
    /// none before it; a borrow may set more behind it.
    private static func ends(_ word: UInt64, _ orAtDelete: Bool) -> UInt64 {
        var ends = (word &- ones &* 0x20) & ~word
        ends |= zeros(word ^ ones &* UInt64(UInt8(ascii: "\"")))
        ends |= zeros(word ^ ones &* UInt64(UInt8(ascii: "\\")))
        if orAtDelete { ends |= zeros(word ^ ones &* 0x7F) }
        return ends & highBits
    }

    private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
