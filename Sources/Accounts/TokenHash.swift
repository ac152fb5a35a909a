/// The SHA-256 digest of a code, a token or a ticket: the only form in which the store ever holds one.
///
/// Four words instead of an array, so that making, comparing and hashing one touches no heap.
public struct TokenHash: Hashable, Sendable {
    /// The 32 bytes, eight to a word, the first byte lowest.
    public let words: (UInt64, UInt64, UInt64, UInt64)

    public static let byteCount = 32

    /// - Returns: nil unless there are exactly 32 bytes.
    public init?(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// - Returns: nil unless there are exactly 32 bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        words = (
            Self.word(bytes, from: 0), Self.word(bytes, from: 8), Self.word(bytes, from: 16), Self.word(bytes, from: 24)
        )
    }

    private static func word(_ bytes: Span<UInt8>, from start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(bytes[start + index]) << UInt64(index * 8) }
        return word
    }

    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
        }
    }

    public static func == (left: TokenHash, right: TokenHash) -> Bool {
        left.words == right.words
    }

    public func hash(into hasher: inout Hasher) {
        // A digest is evenly spread already, and the hasher is seeded: eight bytes are plenty.
        hasher.combine(words.0)
    }
}
