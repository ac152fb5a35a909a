/// Which trace a request belongs to, as its sender tells it in `traceparent` (W3C Trace Context §3.2).
public struct TraceContext: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits, not all of them zero.
    public let traceID: String
    /// The sender's span: 16 lower-case hexadecimal digits, not all of them zero.
    public let parentID: String
    /// Whether the sender may have kept its part of the trace (§3.2.2.5.1).
    public let isSampled: Bool

    /// Bytes of version, trace id, parent id and flags, with the hyphens between them.
    private static let byteCount = 55

    /// - Parameter traceparent: the field's value. Of a version that is still to come, what that of today has is read.
    /// - Returns: nil for what is no such value.
    public init?(traceparent: String) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.byteCount, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        let (version, traceID, parentID) = (bytes[0..<2], bytes[3..<35], bytes[36..<52])
        let flags = bytes[53..<55]
        guard [version, traceID, parentID, flags].allSatisfy({ $0.allSatisfy(Self.isDigit) }) else { return nil }
        guard [traceID, parentID].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } }) else { return nil }
        switch String(decoding: version, as: UTF8.self) {
        case "ff": return nil
        case "00": guard bytes.count == Self.byteCount else { return nil }
        default: guard bytes.count == Self.byteCount || bytes[Self.byteCount] == UInt8(ascii: "-") else { return nil }
        }
        self.traceID = String(decoding: traceID, as: UTF8.self)
        self.parentID = String(decoding: parentID, as: UTF8.self)
        isSampled = UInt8(String(decoding: flags, as: UTF8.self), radix: 16).map { $0 & 1 == 1 } ?? false
    }

    /// Capitals are none (§3.2.2).
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
