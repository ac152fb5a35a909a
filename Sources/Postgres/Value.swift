/// A value that goes with a statement; it never becomes part of its text.
public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case bool(Bool)

    /// What it is; nil for `null`.
    public var type: ValueType? {
        switch self {
        case .null: nil
        case .integer: .integer
        case .bytes: .bytes
        case .text: .text
        case .bool: .bool
        }
    }

    func isA(_ type: ValueType) -> Bool {
        switch (self, type) {
        case (.null, _), (.integer, .integer), (.bytes, .bytes), (.text, .text), (.bool, .bool): true
        default: false
        }
    }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral
{
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
}

/// The values of a statement in the protocol's binary formats, as libpq takes them: bytes, and where each begins.
struct EncodedValues {
    private var bytes: [UInt8] = []
    /// Where each value begins; nil for one that is null.
    private var starts: [Int?] = []
    private(set) var lengths: [Int32] = []

    var count: Int { starts.count }

    init(_ values: [Value]) {
        for value in values {
            let start = bytes.count
            switch value {
            case .null: break
            case .integer(let number):
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
                }
            case .bytes(let value): bytes += value
            case .text(let text): bytes += text.utf8
            case .bool(let flag): bytes.append(flag ? 1 : 0)
            }
            starts.append(value == .null ? nil : start)
            lengths.append(Int32(clamping: bytes.count - start))
        }
        // So that a last value without bytes has an address too: to libpq a null pointer is the value NULL.
        bytes.append(0)
    }

    /// Lends the addresses of the values, which are good while `body` runs.
    func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        // Safe: each start is an offset into the bytes, which stay where they are meanwhile.
        unsafe bytes.withUnsafeBytes { raw in
            let base = unsafe raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe body(starts.map { start in unsafe start.flatMap { unsafe base?.advanced(by: $0) } })
        }
    }
}
