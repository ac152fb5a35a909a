public import JSON

/// A claim's point in time: whole seconds since 1970-01-01T00:00:00Z (RFC 7519 §2).
public struct NumericDate: Sendable, Hashable, Comparable {
    /// The last second of the year 9999; whatever is later is a mistake or an attack on arithmetic.
    private static let latest: Int64 = 253_402_300_799
    private static let longestText = 12

    public let seconds: Int64

    /// A point in time between 1970 and 9999; nil for any other.
    public init?(seconds: Int64) {
        guard (0...Self.latest).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Reads a claim: an integer, or its decimal digits in a string, as some carriers write it.
    ///
    /// RFC 7519 would also allow fractions; nobody needs them, and a float is where `1e300` and rounding come in.
    public init?(_ claim: JSONValue) {
        switch claim {
        case .integer(let seconds): self.init(seconds: seconds)
        case .string(let text):
            guard text.utf8.count <= Self.longestText, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let seconds = Int64(text)
            else { return nil }
            self.init(seconds: seconds)
        default: return nil
        }
    }

    public static func < (left: NumericDate, right: NumericDate) -> Bool { left.seconds < right.seconds }
}
