/// Which trace a request belongs to, as its sender tells it in `traceparent` and `tracestate` (W3C Trace Context §3).
public struct TraceContext: Hashable, Sendable {
    public let traceID: TraceID
    /// The sender's span.
    public let parentID: SpanID
    /// Whether the sender may have kept its part of the trace (§3.2.2.5.1).
    public let isSampled: Bool
    /// What tracing systems on the way have noted for themselves (§3.3), as it came; nil for none.
    public let state: String?

    /// Bytes of version, trace id, parent id and flags, with the hyphens between them.
    private static let byteCount = 55
    /// The longest `tracestate` that has to be passed on (§3.3.1.5); a longer one is dropped as a whole.
    private static let maximumStateBytes = 512

    /// - Parameters:
    ///   - traceparent: the field's value. Of a version that is still to come, what that of today has is read.
    ///   - tracestate: the values of all fields of that name, in their order.
    /// - Returns: nil for what is no such value.
    public init?(traceparent: String, tracestate: [String] = []) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.byteCount, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        guard let version = LowerHexadecimal.number(bytes[0..<2]), let traceID = TraceID(digits: bytes[3..<35]),
            let parentID = SpanID(digits: bytes[36..<52]), let flags = LowerHexadecimal.number(bytes[53..<55])
        else { return nil }
        switch version {
        case 0xFF: return nil
        case 0: guard bytes.count == Self.byteCount else { return nil }
        default: guard bytes.count == Self.byteCount || bytes[Self.byteCount] == UInt8(ascii: "-") else { return nil }
        }
        (self.traceID, self.parentID) = (traceID, parentID)
        isSampled = flags & 1 == 1
        state = Self.state(tracestate)
    }

    /// One value, which may stand in a field; nil for none.
    private static func state(_ values: [String]) -> String? {
        let state = values.filter { !$0.isEmpty }.joined(separator: ",")
        let isField = state.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return !state.isEmpty && state.utf8.count <= maximumStateBytes && isField ? state : nil
    }
}
