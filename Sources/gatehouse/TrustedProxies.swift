import EventLoop
import Settings

extension [AddressRange] {
    /// Whether the other end of a connection lies in one of the ranges.
    func contains(_ peer: SocketAddress) -> Bool {
        if isEmpty { return false }
        let words = peer.isIPv6 ? [peer.bytes.high, peer.bytes.low] : [peer.bytes.high]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) } }
        let address: IPAddress = peer.isIPv6 ? .v6(bytes) : .v4([UInt8](bytes.prefix(4)))
        return contains { $0.contains(address) }
    }
}
