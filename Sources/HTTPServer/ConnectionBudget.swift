import EventLoop
import Synchronization
import Syntax

/// Why a connection gets no answer to what it asks.
public enum ConnectionRefusal: String, Sendable, CaseIterable {
    /// There are too many, none of which is idle.
    case connections
    /// There are too many of its address.
    case address
    /// So many are being told already that it is just closed.
    case flood
    /// The process or the system has no descriptor left: it waits where the system keeps it.
    case descriptors
}

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
    /// Since the start.
    private let beyondLimit = Atomic<Int>(0)
    private let beyondLimitOfAddress = Atomic<Int>(0)
    private let farBeyondLimit = Atomic<Int>(0)
    private let withoutDescriptor = Atomic<Int>(0)

    /// How many there are, with those that are being told that they are too many.
    var openCount: Int { open.load(ordering: .relaxed) }
    /// How many were refused since the start.
    var refusalCounts: [(reason: ConnectionRefusal, count: Int)] {
        ConnectionRefusal.allCases.map { reason in
            let count =
                switch reason {
                case .connections: beyondLimit.load(ordering: .relaxed)
                case .address: beyondLimitOfAddress.load(ordering: .relaxed)
                case .flood: farBeyondLimit.load(ordering: .relaxed)
                case .descriptors: withoutDescriptor.load(ordering: .relaxed)
                }
            return (reason, count)
        }
    }

    /// Counts one that gets no answer to what it asks.
    func note(_ refusal: ConnectionRefusal) {
        switch refusal {
        case .connections: beyondLimit.add(1, ordering: .relaxed)
        case .address: beyondLimitOfAddress.add(1, ordering: .relaxed)
        case .flood: farBeyondLimit.add(1, ordering: .relaxed)
        case .descriptors: withoutDescriptor.add(1, ordering: .relaxed)
        }
    }

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
