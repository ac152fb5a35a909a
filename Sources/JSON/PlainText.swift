internal import System

/// Finds what ends the plain part of a JSON string: a quote, a backslash or a control character (RFC 8259 §7).
/// What we write has DEL escaped too, for logs that are read on a terminal.
enum PlainText {
    private static let wordSize = MemoryLayout<UInt64>.size
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// - Returns: where it is, from `start` on, or the end of the bytes when there is none.
    @inline(__always)
    static func end(_ bytes: Span<UInt8>, from start: Int, orAtDelete: Bool) -> Int {
        var end = start
        while end + wordSize <= bytes.count {
            let found = ends(bytes.word(at: end), orAtDelete)
            if found != 0 { return end + found.trailingZeroBitCount / 8 }
            end += wordSize
        }
        while end < bytes.count, !ends(bytes[end], orAtDelete) { end += 1 }
        return end
    }

    /// Whether a whole text is plain, for what we write.
    @inline(__always)
    static func isAll(_ bytes: Span<UInt8>) -> Bool {
        let count = bytes.count
        if count < wordSize {
            // Filled up with blanks, which end nothing.
            var word = ones &* 0x20
            for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
            return ends(word, true) == 0
        }
        // One word lies at the end, and every other ends before that. What the last has in common with the one before is looked
        // at twice.
        var found = ends(bytes.word(at: count - wordSize), true)
        var start = 0
        while start + wordSize < count {
            found |= ends(bytes.word(at: start), true)
            start += wordSize
        }
        return found == 0
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
