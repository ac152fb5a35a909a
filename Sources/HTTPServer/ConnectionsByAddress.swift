import EventLoop
import Synchronization

/// How many connections each client address has over all loops, an IPv6 /64 being one address, since that is what one
/// customer of an access provider has.
final class ConnectionsByAddress: Sendable {
    private struct Network: Hashable {
        let high: UInt64
        let isIPv6: Bool

        init(_ address: SocketAddress) {
            high = address.bytes.high
            isIPv6 = address.isIPv6
        }
    }

    private let limit: Int
    private let isProxy: @Sendable (SocketAddress) -> Bool
    /// As many entries as there are connections, at most.
    private let counts = Mutex<[Network: Int]>([:])

    init(limit: Int, isProxy: @escaping @Sendable (SocketAddress) -> Bool) {
        self.limit = limit
        self.isProxy = isProxy
    }

    /// - Returns: false when the address has as many as it may; then the connection is not counted.
    func enter(_ peer: SocketAddress) -> Bool {
        if isProxy(peer) { return true }
        let network = Network(peer)
        return counts.withLock { counts in
            let count = counts[network, default: 0]
            guard count < limit else { return false }
            counts[network] = count + 1
            return true
        }
    }

    func leave(_ peer: SocketAddress) {
        if isProxy(peer) { return }
        let network = Network(peer)
        counts.withLock { counts in
            let count = counts[network, default: 0]
            counts[network] = count > 1 ? count - 1 : nil
        }
    }
}
