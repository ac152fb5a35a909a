/// Tells what was said from what else may have been (FNV-1a, shortened): nothing is decided by it but whether a word is
/// about a value that came from the same provider.
struct Fingerprint: Equatable {
    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3
    /// 15 digits, which make a text that takes no memory of its own.
    private static let digits = 15

    private var state = Self.start

    init() {}

    init(of value: String) { add(value) }

    init?(_ text: Substring) {
        guard let number = UInt64(text, radix: 16), text.utf8.count == Self.digits else { return nil }
        state = number << 4
    }

    mutating func add(_ text: String) {
        let bytes = text.utf8.span
        var state = state
        for index in bytes.indices { state = (state ^ UInt64(bytes[index])) &* Self.prime }
        // What comes next is another text, however both are cut.
        self.state = (state ^ 0xFF) &* Self.prime
    }

    private var number: UInt64 { state >> 4 }

    var text: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
    }

    /// Whether it stands at a place of a text, as ``text`` has it.
    func isWritten(in bytes: Span<UInt8>, at start: Int) -> Bool {
        guard bytes.count >= start + Self.digits else { return false }
        var number: UInt64 = 0
        for index in start..<(start + Self.digits) {
            let byte = UInt64(bytes[index])
            // Digits and the small letters behind them in ASCII; anything else makes another number, or a longer one.
            number = number << 4 | (byte < 0x60 ? byte &- 0x30 : byte &- 0x57)
        }
        return number == self.number
    }

    static func == (left: Fingerprint, right: Fingerprint) -> Bool { left.number == right.number }
}
