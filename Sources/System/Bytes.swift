/// What the standard library leaves to unchecked pointers, each with the check that makes it safe.
extension Span where Element == UInt8 {
    /// Eight bytes as a number, the first of them its lowest, so that they can be looked at together.
    ///
    /// - Parameter offset: of the first; the eight must lie inside the span.
    @inlinable @inline(__always)
    public func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= count &- 8)
        // Safe: the word lies inside the span, as was just checked, and any bytes are a number.
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// Four times eight bytes, in the machine's order, for a question that does not ask where in them.
    ///
    /// - Parameter offset: of the first; all must lie inside the span.
    @inlinable @inline(__always)
    public func block(at offset: Int) -> SIMD4<UInt64> {
        precondition(offset >= 0 && offset <= count &- 32)
        // Safe: the block lies inside the span, as was just checked, and any bytes are numbers.
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD4<UInt64>.self)
    }

    /// Whether all of it is ASCII.
    @inlinable @inline(__always)
    public var isASCII: Bool {
        if count >= 32 {
            var seen = block(at: count &- 32)
            var index = 0
            while index < count &- 32 {
                seen |= block(at: index)
                index &+= 32
            }
            return (seen[0] | seen[1] | seen[2] | seen[3]) & 0x8080_8080_8080_8080 == 0
        }
        let raw = unsafe bytes
        // Safe: each load lies inside the span, as the line before it makes sure. What the last has in common with the
        // one before is looked at twice.
        if count >= 8 {
            var seen = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 8, as: UInt64.self)
            var index = 0
            while index < count &- 8 {
                seen |= unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            return seen & 0x8080_8080_8080_8080 == 0
        }
        if count >= 4 {
            let first = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self)
            let last = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self)
            return (first | last) & 0x8080_8080 == 0
        }
        for index in indices where self[index] >= 0x80 { return false }
        return true
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends bytes, for which there must be room.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: Span<UInt8>) {
        precondition(freeCapacity >= bytes.count)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeMutableBufferPointer { buffer, count in
                // Safe: there is room for all of them, as was just checked.
                _ = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...]).update(fromContentsOf: bytes)
                count += bytes.count
            }
        }
    }

    /// Appends the bytes of a text, for which there must be room.
    public mutating func append(text: String) { append(text.utf8.span) }

    /// Appends a number in decimal, from its last digit on and without a text in between; there must be room for 20
    /// bytes.
    public mutating func append(decimal value: Int64) {
        // As many as the longest has, -9223372036854775808.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest != 0
        if value < 0 {
            start -= 1
            digits[start] = UInt8(ascii: "-")
        }
        append(digits.span.extracting(start...))
    }
}

extension [UInt8] {
    /// Appends a number in decimal.
    public mutating func append(decimal value: Int64) {
        // As many as the longest has.
        append(addingCapacity: 20) { $0.append(decimal: value) }
    }
}

extension String {
    /// The text of bytes; nil where they are not UTF-8.
    @inlinable @inline(__always)
    public init?(utf8 bytes: Span<UInt8>) {
        guard bytes.isASCII else {
            self.init(validating: bytes)
            return
        }
        // Safe: ASCII is UTF-8, so nothing is left to be validated.
        self = unsafe String(copying: UTF8Span(unchecked: bytes, isKnownASCII: true))
    }

    @usableFromInline
    init?(validating bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self = String(copying: text)
    }

    /// Makes a text of bytes that are written into its own memory.
    ///
    /// - Parameters:
    ///   - utf8Capacity: how many bytes there may be.
    ///   - write: writes them. What is not UTF-8 is replaced, as `String(decoding:as:)` does.
    @inlinable
    public init<Failure: Error>(
        utf8Capacity: Int, _ write: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        self = unsafe String(unsafeUninitializedCapacity: utf8Capacity) { buffer in
            // Safe: the span ends with the buffer, which has room for that many bytes, and is not used beyond it.
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            do throws(Failure) { try write(&output) } catch { failure = error }
            return unsafe output.finalize(for: buffer)
        }
        if let failure { throw failure }
    }
}
