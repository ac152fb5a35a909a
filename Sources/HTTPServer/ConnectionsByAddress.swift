internal import Synchronization
internal import Syntax

/// How many connections each customer of an access provider has over all loops.
final class ConnectionsByAddress: Sendable {
    private let limit: Int
    private let proxies: [AddressRange]
    /// By customer. As many entries as there are connections, at most.
    private let counts = Mutex<[IPAddress: Int]>([:])

    /// - Parameter proxies: whom the limit does not hold for, as many clients stand behind each.
    init(limit: Int, proxies: [AddressRange]) {
        self.limit = limit
        self.proxies = proxies
    }

    /// - Returns: false when the address has as many as it may; then the connection is not counted.
    func enter(_ peer: IPAddress) -> Bool {
        if isProxy(peer) { return true }
        let customer = peer.customer
        return counts.withLock { counts in
            let count = counts[customer, default: 0]
            guard count < limit else { return false }
            counts[customer] = count + 1
            return true
        }
    }

    private func isProxy(_ peer: IPAddress) -> Bool {
        let peer = peer.unmapped
        return proxies.contains { $0.contains(peer) }
    }

    func leave(_ peer: IPAddress) {
        if isProxy(peer) { return }
        let customer = peer.customer
        counts.withLock { counts in
            let count = counts[customer, default: 0]
            counts[customer] = count > 1 ? count - 1 : nil
        }
    }
}
