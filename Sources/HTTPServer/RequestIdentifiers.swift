internal import Syntax

/// Makes identifiers for requests that came without one: 15 characters with 74 random bits, which fit into a string
/// without memory of its own. They are unique, not secret, and begin with a letter: one of digits alone, of which there
/// is one in forty million, would look like a phone number to a search for those in a log.
struct RequestIdentifiers {
    private var state: UInt64
    private var stream: UInt64

    init(seededBy generator: inout some RandomNumberGenerator) {
        state = generator.next()
        stream = generator.next() | 1
    }

    mutating func next() -> String {
        var bits = word()
        var text = InlineArray<15, UInt8>(repeating: 0)
        for index in text.indices {
            // A word has twelve characters' worth of bits.
            if index == 12 { bits = word() }
            // The upper half of the digits are all letters.
            let digit = UInt8(bits & 31) | (index == 0 ? 16 : 0)
            text[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
            bits >>= 5
        }
        // It is ASCII, so the other branch is not taken.
        guard let valid = try? UTF8Span(validating: text.span) else { return "" }
        return String(copying: valid)
    }

    /// SplitMix64 with a random increment.
    private mutating func word() -> UInt64 {
        state &+= stream
        var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

extension RequestHead {
    /// The client's own identifier, when it is harmless in a log and in a header field.
    var requestIdentifier: String? {
        for field in fields where matches(field, "X-Request-ID") {
            let value = field.value
            let isFit =
                (1...64).contains(value.count)
                && bytes[value].allSatisfy { byte in
                    byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                        || byte == UInt8(ascii: "-")
                }
            return isFit ? text(value) : nil
        }
        return nil
    }
}
