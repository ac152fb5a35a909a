/// The name of a trace: 128 bits, not all of them zero (W3C Trace Context §3.2.2.3).
public struct TraceID: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// - Parameter digits: 32 lower-case hexadecimal digits.
    /// - Returns: nil for anything else, and for zeros.
    init?(digits: some Collection<UInt8>) {
        guard digits.count == 32, let high = LowerHexadecimal.number(digits.prefix(16)),
            let low = LowerHexadecimal.number(digits.dropFirst(16)), high != 0 || low != 0
        else { return nil }
        (self.high, self.low) = (high, low)
    }

    fileprivate init(high: UInt64, low: UInt64) {
        // Zero names none, and comes once in 2^128.
        (self.high, self.low) = (high, high == 0 && low == 0 ? 1 : low)
    }

    /// 32 lower-case hexadecimal digits.
    public var text: String { LowerHexadecimal.text([high, low]) }
}

/// The name of a span within its trace: 64 bits, not all of them zero (W3C Trace Context §3.2.2.4).
public struct SpanID: Hashable, Sendable {
    let number: UInt64

    /// - Parameter digits: 16 lower-case hexadecimal digits.
    /// - Returns: nil for anything else, and for zeros.
    init?(digits: some Collection<UInt8>) {
        guard digits.count == 16, let number = LowerHexadecimal.number(digits), number != 0 else { return nil }
        self.number = number
    }

    fileprivate init(_ number: UInt64) {
        self.number = number == 0 ? 1 : number
    }

    /// 16 lower-case hexadecimal digits.
    public var text: String { LowerHexadecimal.text([number]) }
}

/// Makes names for what this process traces.
///
/// They come from the numbers of its steps, mixed with what was drawn once: none comes twice, no lock is taken, and no
/// other process makes the same. They are no secrets.
struct TraceNames: Sendable {
    private let high: UInt64
    private let low: UInt64
    private let ofSpans: UInt64

    init(using generator: inout some RandomNumberGenerator) {
        (high, low, ofSpans) = (generator.next(), generator.next(), generator.next())
    }

    /// Of the trace that begins with a step.
    func trace(beginningWith step: StepID) -> TraceID {
        TraceID(high: Self.mixed(high, step.number), low: Self.mixed(low, step.number))
    }

    func span(of step: StepID) -> SpanID { SpanID(Self.mixed(ofSpans, step.number)) }

    /// SplitMix64: each number has a result of its own, and neighbours have nothing in common.
    private static func mixed(_ seed: UInt64, _ number: UInt64) -> UInt64 {
        var mixed = seed &+ number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Hexadecimal digits as names of traces have them: none of them a capital (W3C Trace Context §3.2.2).
enum LowerHexadecimal {
    /// - Returns: nil where there is anything but such digits, or too many.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// 16 digits of each number.
    static func text(_ numbers: [UInt64]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(16 * numbers.count)
        for number in numbers {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                let value = UInt8(truncatingIfNeeded: number >> shift) & 0xF
                digits.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
