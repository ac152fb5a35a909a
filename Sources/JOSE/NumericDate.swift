public import JSON

/// A claim's point in time: seconds since 1970-01-01T00:00:00Z (RFC 7519 §2), of which the whole ones are kept.
public struct NumericDate: Sendable, Hashable, Comparable {
    /// The last second of the year 9999; whatever is later is a mistake or an attack on arithmetic.
    private static let latest: Int64 = 253_402_300_799
    private static let maximumTextBytes = 12

    public let seconds: Int64

    /// A point in time between 1970 and 9999; nil for any other.
    public init?(seconds: Int64) {
        guard (0...Self.latest).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Reads a claim: a number, whose fraction is cut off, or the decimal digits of a whole one in a string, as some
    /// carriers write it.
    public init?(_ claim: JSONValue) {
        switch claim {
        case .integer(let seconds): self.init(seconds: seconds)
        case .number(let seconds):
            // Compared before it is converted: `1e300` has no place in 64 bits.
            guard seconds >= 0, seconds < Double(Self.latest) + 1 else { return nil }
            self.init(seconds: Int64(seconds))
        case .string(let text):
            guard text.utf8.count <= Self.maximumTextBytes, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let seconds = Int64(text)
            else { return nil }
            self.init(seconds: seconds)
        default: return nil
        }
    }

    public static func < (left: NumericDate, right: NumericDate) -> Bool { left.seconds < right.seconds }
}
