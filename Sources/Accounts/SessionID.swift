/// The name of a session: the `sid` of its access tokens and the part of its refresh tokens that finds it. Not a secret.
///
/// 128 bits, the time first: sessions made together lie together on disk, so that opening one dirties a page its
/// neighbours dirty too, however many sessions are stored.
public struct SessionID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new name.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970, of which 40 bits are kept.
    ///   - random: 128 random bits, of which 88 are kept.
    public init(now: Int64, random: (UInt64, UInt64)) {
        high = UInt64(truncatingIfNeeded: now) << 24 | random.0 & 0xFF_FFFF
        low = random.1
    }

    /// Reads the text form: 32 lowercase hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        var words: (UInt64, UInt64) = (0, 0)
        var count = 0
        for digit in text.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | UInt64(value)
            count += 1
            guard count <= 32 else { return nil }
        }
        guard count == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }
}

extension SessionID: CustomStringConvertible {
    public var description: String {
        let digits = InlineArray<32, UInt8> { index in
            let word = index < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
            return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
        // Safe: hexadecimal digits are UTF-8.
        return unsafe String(copying: UTF8Span(unchecked: digits.span))
    }
}
