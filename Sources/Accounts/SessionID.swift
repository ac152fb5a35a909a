import Syntax
internal import System

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
            // One name has one text: digits in upper case are none.
            guard let value = digit.hexadecimalValue, digit == Hexadecimal.lowercase(value) else { return nil }
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
        String(utf8Capacity: 32) { output in
            for word in [high, low] {
                for shift in stride(from: 60 as UInt64, through: 0, by: -4) {
                    output.append(Hexadecimal.lowercase(UInt8(truncatingIfNeeded: word >> shift) & 15))
                }
            }
        }
    }
}
