/// Looking into bytes without making anything of them.
extension Span where Element == UInt8 {
    /// Whether the bytes of `range` are `text`, ASCII letters of either case being equal.
    @inlinable public func equalsIgnoringCase(_ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var index = range.lowerBound
        for byte in text.utf8 {
            if self[index].lowercasedASCII != byte.lowercasedASCII { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes of `range` are exactly `text`.
    @inlinable public func equals(_ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var index = range.lowerBound
        for byte in text.utf8 {
            if self[index] != byte { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes of `range` are exactly `others`.
    @inlinable public func equals(_ range: Range<Int>, _ others: Span<UInt8>) -> Bool {
        guard range.count == others.count else { return false }
        for index in others.indices where self[range.lowerBound + index] != others[index] { return false }
        return true
    }

    /// The first place of `byte` in `range`.
    @inlinable public func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// `range` without the spaces and tabs at its ends (OWS, RFC 9110 §5.6.3).
    @inlinable public func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// Whether a percent sign with its two hexadecimal digits stands at `index`.
    @inlinable public func isPercentEncoded(at index: Int, before end: Int) -> Bool {
        self[index] == .percent && index + 2 < end && self[index + 1].hexadecimalValue != nil
            && self[index + 2].hexadecimalValue != nil
    }

    /// Calls `body` with each element of a comma-separated list, without the blanks around it, empty ones included
    /// (RFC 9110 §5.6.1).
    @inlinable public func forEachListElement(_ range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while let comma = firstIndex(of: .comma, in: start..<range.upperBound) {
            body(trimmingBlanks(start..<comma))
            start = comma + 1
        }
        body(trimmingBlanks(start..<range.upperBound))
    }
}
