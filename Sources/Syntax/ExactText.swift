internal import System

extension StringProtocol {
    /// Whether both are the same bytes. Swift's `==` takes canonically equivalent texts for equal, which no protocol
    /// does: identifiers are compared as they were written (RFC 7519 §2, `StringOrURI`).
    public func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
    /// The same for two whole strings, which is nearly always the case.
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
}

extension String {
    /// Whether every byte of the UTF-8 is as it should be: what `utf8.allSatisfy` tells, without a step through the
    /// text's indices for each.
    @inlinable
    public func allBytes(_ isRight: (UInt8) -> Bool) -> Bool {
        let bytes = utf8.span
        for index in bytes.indices where !isRight(bytes[index]) { return false }
        return true
    }
}
