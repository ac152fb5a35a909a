internal import Synchronization
internal import Syntax

/// How many connections each customer of an access provider has over all loops. IPv6 counts in the /64, the /56 and the
/// /48 of an address at once, as requests do, or who has a /48 would have a /64 for each connection.
final class ConnectionsByAddress: Sendable {
    fileprivate struct Network: Hashable {
        let base: IPAddress
        let bits: Int
    }

    private let limit: Int
    private let proxies: [AddressRange]
    /// By network. Three times as many entries as there are connections, at most.
    private let counts = Mutex<[Network: Int]>([:])

    /// - Parameter proxies: whom the limit does not hold for, as many clients stand behind each.
    init(limit: Int, proxies: [AddressRange]) {
        (self.limit, self.proxies) = (limit, proxies)
    }

    /// - Returns: false when one of the address's networks has as many as it may; then the connection is not counted.
    func enter(_ peer: IPAddress) -> Bool {
        if isProxy(peer) { return true }
        let customer = peer.customer
        let networks = CustomerNetworks.around(customer)
        return counts.withLock { counts in
            for (bits, worth) in networks
            where counts[Network(customer, bits), default: 0] >= limit * Int(worth) {
                return false
            }
            for (bits, _) in networks { counts[Network(customer, bits), default: 0] += 1 }
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
            for (bits, _) in CustomerNetworks.around(customer) {
                let network = Network(customer, bits)
                let count = counts[network, default: 0]
                counts[network] = count > 1 ? count - 1 : nil
            }
        }
    }
}

extension ConnectionsByAddress.Network {
    fileprivate init(_ customer: IPAddress, _ bits: Int) {
        self.init(base: customer.keeping(bits: bits), bits: bits)
    }
}
