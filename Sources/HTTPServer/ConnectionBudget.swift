import EventLoop
import Synchronization
import Syntax

/// How many connections there may be over all loops, and of one address, and how many there are.
final class ConnectionBudget: Sendable {
    enum Admission: Sendable {
        case granted
        /// There are too many: another must go, or this one is told so.
        case beyondLimit
        /// There are too many of its address: it is told so.
        case beyondLimitOfAddress
        /// So many are being told already that this one is just closed.
        case farBeyondLimit
    }

    private let limit: Int
    private let refusalsAtOnce: Int
    private let open = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let addresses: ConnectionsByAddress?

    init(_ limits: HTTPServerLimits, proxies: [AddressRange]) {
        limit = HTTPServerLimits.bound(limits.maximumConnections)
        refusalsAtOnce = HTTPServerLimits.refusals(beyond: limit)
        addresses =
            limits.maximumConnectionsPerAddress > 0
            ? ConnectionsByAddress(limit: limits.maximumConnectionsPerAddress, proxies: proxies) : nil
    }

    /// Counts one connection more. Whatever comes out, ``leave(_:_:)`` must follow with it when the connection closes.
    func enter(_ peer: SocketAddress) -> Admission {
        let count = open.add(1, ordering: .relaxed).newValue
        if count - limit > refusalsAtOnce { return .farBeyondLimit }
        if let addresses, !addresses.enter(peer.address) {
            if refused.add(1, ordering: .relaxed).newValue <= refusalsAtOnce { return .beyondLimitOfAddress }
            refused.subtract(1, ordering: .relaxed)
            return .farBeyondLimit
        }
        return count <= limit ? .granted : .beyondLimit
    }

    func leave(_ admission: Admission, _ peer: SocketAddress) {
        open.subtract(1, ordering: .relaxed)
        switch admission {
        case .granted, .beyondLimit: addresses?.leave(peer.address)
        case .beyondLimitOfAddress: refused.subtract(1, ordering: .relaxed)
        case .farBeyondLimit: break
        }
    }
}
