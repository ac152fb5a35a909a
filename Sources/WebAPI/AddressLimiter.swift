internal import EventLoop
internal import OpenIDConnect
import Synchronization

/// Who a request comes from, as far as a limit is concerned: an IPv4 address, or the /64 network of an IPv6 address,
/// which is what one customer of an access provider has.
public struct ClientNetwork: Hashable, Sendable {
    /// Four, or the first eight of sixteen.
    let bytes: [UInt8]

    /// - Parameter address: four bytes, or sixteen.
    public init(address: [UInt8]) {
        bytes = address.count == 16 ? Array(address.prefix(8)) : address
    }
}

/// How many sign-ins one network may try in a minute: all of them at once if it likes, then one every so often.
public final class AddressLimiter: Sendable {
    /// What is remembered is bounded; a network that has been quiet for long enough needs no memory at all.
    private static let mostNetworks = 100_000

    private let perMinute: Int
    private let buckets = Mutex<[ClientNetwork: TokenBucket]>([:])

    /// - Parameter perMinute: 0 lets everybody in.
    public init(perMinute: Int) {
        self.perMinute = perMinute
    }

    /// Asks whether a network may try now.
    ///
    /// - Returns: nil when it may; else in how many seconds.
    func wait(for network: @autoclosure () -> ClientNetwork, now: MonotonicTime) -> Int64? {
        guard perMinute > 0 else { return nil }
        let network = network()
        return buckets.withLock { buckets in
            if buckets[network] == nil, buckets.count >= Self.mostNetworks { Self.forgetQuiet(&buckets, now) }
            let fresh = TokenBucket(burst: perMinute, every: .seconds(60) / perMinute, now: now)
            if buckets[network, default: fresh].take(now: now) { return nil }
            let wait = buckets[network]?.wait(now: now) ?? .zero
            return max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        }
    }

    /// Where nobody has been quiet, so many networks are an attack on this very table: it starts anew.
    private static func forgetQuiet(_ buckets: inout [ClientNetwork: TokenBucket], _ now: MonotonicTime) {
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        if buckets.count >= mostNetworks { buckets.removeAll(keepingCapacity: true) }
    }
}
