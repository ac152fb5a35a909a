public import System

/// The byte classes of RFC 9110 and RFC 3986, as bit maps of the ASCII range.
extension UInt8 {
    @inlinable public static var tab: UInt8 { 0x09 }
    @inlinable public static var lineFeed: UInt8 { 0x0A }
    @inlinable public static var carriageReturn: UInt8 { 0x0D }
    @inlinable public static var space: UInt8 { 0x20 }
    @inlinable public static var percent: UInt8 { 0x25 }
    @inlinable public static var asterisk: UInt8 { 0x2A }
    @inlinable public static var plus: UInt8 { 0x2B }
    @inlinable public static var comma: UInt8 { 0x2C }
    @inlinable public static var slash: UInt8 { 0x2F }
    @inlinable public static var colon: UInt8 { 0x3A }
    @inlinable public static var semicolon: UInt8 { 0x3B }
    @inlinable public static var equalsSign: UInt8 { 0x3D }
    @inlinable public static var questionMark: UInt8 { 0x3F }
    @inlinable public static var ampersand: UInt8 { 0x26 }

    /// Space or tab.
    @inlinable public var isBlank: Bool { self == .space || self == .tab }
    @inlinable public var isDigit: Bool { self &- 0x30 < 10 }
    @inlinable public var isAlphanumeric: Bool { isLetter || isDigit }
    @inlinable public var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    @inlinable public var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit of either case; nil for any other byte.
    @inlinable public var hexadecimalValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// The digit of this number, which is below 16 (RFC 4648 §8), letters in lower case.
    @inlinable public var hexadecimalDigit: UInt8 { self < 10 ? 0x30 + self : 0x57 + self }

    /// The same, letters in upper case, as in percent-encoding.
    @inlinable public var uppercaseHexadecimalDigit: UInt8 { self < 10 ? 0x30 + self : 0x37 + self }

    /// RFC 9110 §5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inlinable public var isToken: Bool { isIn(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// RFC 9110 §5.5: visible characters, bytes over 127, space and tab; so no control byte.
    @inlinable public var isFieldContent: Bool { self >= 0x20 ? self != 0x7F : self == .tab }

    /// RFC 3986 §2.3: letters, digits and `-._~`, which stand for themselves everywhere in a URL.
    @inlinable public var isUnreserved: Bool { isIn(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// RFC 3986 §3.3: what stands for itself in a path segment: unreserved, sub-delims, `:` and `@`; `%` is not one.
    @inlinable public var isPathCharacter: Bool { isIn(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// RFC 3986 §3.2.2: what stands for itself in a registered name: unreserved and sub-delims.
    @inlinable public var isNameCharacter: Bool { isIn(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    @inlinable
    func isIn(low: UInt64, high: UInt64) -> Bool {
        let bit: UInt64 = 1 << UInt64(self & 63)
        return self < 64 ? low & bit != 0 : self < 128 && high & bit != 0
    }
}

/// Looking into bytes without making anything of them.
extension Span where Element == UInt8 {
    /// Whether the bytes of `range` are `text`, ASCII letters of either case being equal.
    @inlinable @inline(__always)
    public func equalsIgnoringCase(_ range: Range<Int>, _ text: String) -> Bool {
        // The lengths tell most apart where it is asked, without a call.
        range.count == text.utf8.count && isSameIgnoringCase(range.lowerBound, text)
    }

    @usableFromInline
    func isSameIgnoringCase(_ start: Int, _ text: String) -> Bool {
        let others = text.utf8.span
        for index in others.indices where self[start + index].lowercasedASCII != others[index].lowercasedASCII {
            return false
        }
        return true
    }

    /// Whether it is a token (RFC 9110 §5.6.2), such as the name of a header field.
    @inlinable public var isToken: Bool {
        for index in indices where !self[index].isToken { return false }
        return !isEmpty
    }

    /// Whether all of it may stand in the value of a header field (RFC 9110 §5.5).
    @inlinable public var isFieldContent: Bool {
        // Looked at whole, so that the compiler takes many bytes at a time.
        var found: UInt8 = 0
        for index in indices {
            let byte = self[index]
            found |= byte < 0x20 && byte != .tab || byte == 0x7F ? 1 : 0
        }
        return found == 0
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
        let lowest: UInt64 = 0x0101_0101_0101_0101
        let pattern = lowest &* UInt64(byte)
        while range.upperBound - index >= 8 {
            // What subtracting borrows from is zero, and so the lowest of the eight that is marked is the byte.
            let different = word(at: index) ^ pattern
            let marks = (different &- lowest) & ~different & (lowest << 7)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
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

/// Texts as the bytes that they are.
extension String {
    /// Whether both are the same bytes. Swift's `==` takes canonically equivalent texts for equal, which no protocol
    /// does: identifiers are compared as they were written (RFC 7519 §2, `StringOrURI`).
    public func isExactly(_ other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        guard left.count == right.count else { return false }
        var index = 0
        // Eight bytes at a time.
        while index + 8 <= left.count {
            guard left.word(at: index) == right.word(at: index) else { return false }
            index += 8
        }
        while index < left.count {
            guard left[index] == right[index] else { return false }
            index += 1
        }
        return true
    }

    /// Whether every byte of the UTF-8 is as it should be: what `utf8.allSatisfy` tells, without a step through the
    /// text's indices for each.
    @inlinable
    public func allBytes(_ isRight: (UInt8) -> Bool) -> Bool {
        let bytes = utf8.span
        for index in bytes.indices where !isRight(bytes[index]) { return false }
        return true
    }

    /// Whether a NUL stands in it.
    public var hasNUL: Bool {
        let bytes = utf8.span
        var index = 0
        // Eight bytes at a time. One taken from each sets the highest bit of a byte that had it not only where the
        // byte was 0, or where a lower one was.
        while index + 8 <= bytes.count {
            let word = bytes.word(at: index)
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] == 0 { return true }
            index += 1
        }
        return false
    }

    /// Whether every byte is an ASCII character that is seen, or a blank: so are nearly all texts.
    public var isPrintableASCII: Bool {
        let bytes = utf8.span
        var index = 0
        // Eight bytes at a time: the highest bit is set in those past ASCII, by adding one in DEL, and by what is
        // borrowed in those below the blank.
        while index + 8 <= bytes.count {
            let word = bytes.word(at: index)
            let below = (word &- 0x2020_2020_2020_2020) & ~word
            if (word | word &+ 0x0101_0101_0101_0101 | below) & 0x8080_8080_8080_8080 != 0 { return false }
            index += 8
        }
        while index < bytes.count {
            guard bytes[index] >= 0x20, bytes[index] < 0x7F else { return false }
            index += 1
        }
        return true
    }

    /// Whether a control character stands in it (general category `Cc`): below the blank, DEL, and U+0080 to U+009F.
    public var hasControlCharacters: Bool {
        if isPrintableASCII { return false }
        let bytes = utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            // In UTF-8 those past ASCII, and no others, are C2 and a byte of 80 to 9F.
            if byte < 0x20 || byte == 0x7F || byte == 0xC2 && index + 1 < bytes.count && bytes[index + 1] < 0xA0 {
                return true
            }
        }
        return false
    }
}

/// What an issuer knows a user by, the `sub` of its tokens (OpenID Connect Core §2).
extension String {
    /// The longest, in bytes.
    public static let maximumSubjectBytes = 255

    /// Whether a subject can be stored that is called so. It is opaque: whatever else stands in it is the issuer's
    /// business. A control character can't be in it: PostgreSQL stores no NUL, and nobody could be found by hand by
    /// what can't be typed.
    public var isSubject: Bool {
        (1...Self.maximumSubjectBytes).contains(utf8.count) && !hasControlCharacters
    }
}

extension StringProtocol {
    /// Whether both are the same bytes, where one is a part of a text.
    public func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
