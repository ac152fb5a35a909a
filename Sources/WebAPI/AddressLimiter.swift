internal import SignIn
internal import Synchronization
public import Syntax
internal import System

/// Who a request comes from, as far as a limit is concerned.
public struct ClientNetwork: Hashable, Sendable {
    /// The network's first address.
    package let base: IPAddress
    /// What has a turn of its own where costly work is done: an IPv4 address, or a /48, as far as one customer goes.
    package var lane: [UInt8] { Array("\(base.keeping(bits: base.isIPv6 ? 48 : 32))".utf8) }

    /// - Parameter address: any of the network.
    public init(_ address: IPAddress) {
        base = address.customer
    }
}

/// How often one network may do something in a minute: all of it at once if it likes, then once every so often.
///
/// It remembers no networks, which anybody could make up by the million, but keeps a sketch of fixed size (count-min
/// with conservative update; Estan and Varghese, 2002): four rows of slots, of which each network has one a row, chosen
/// by a hash that starts from a secret of this process. A slot is a bucket; a network has as much left as the fullest
/// of its four. So nobody ever gets more than the limit, and no crowd can make the sketch forget anybody; a stranger is
/// taken for one of a crowd only when it fills all four of its slots, which takes some 40 million requests a minute at
/// a limit of 600.
final class AddressLimiter: Sendable {
    private static let rows = 4
    /// Sixteen bits of the hash choose a slot, so that one hash does for four rows.
    private static let slotBits = 16

    private let limit: AddressLimit
    /// Nanoseconds until one more is allowed, and those until all are; 0: no limit.
    private let interval: Int64
    private let capacity: Int64
    /// When each slot's bucket would be full again if nothing more were taken, in nanoseconds. Empty until it is
    /// needed.
    private let fullAt = Mutex<[Int64]>([])

    /// - Parameters:
    ///   - limit: what it is told to be to those who must wait.
    ///   - perMinute: 0 lets everybody in.
    init(_ limit: AddressLimit, perMinute: Int) {
        self.limit = limit
        interval = perMinute > 0 ? max(1, 60_000_000_000 / Int64(perMinute)) : 0
        capacity = interval * Int64(perMinute)
    }

    /// Counts a request of a network.
    ///
    /// - Throws: `ServiceError.rateLimited` when there were too many already.
    func count(_ network: @autoclosure () -> ClientNetwork) throws(ServiceError) {
        guard let wait = take(for: network(), now: .now) else { return }
        throw .rateLimited(limit, retryAfterSeconds: wait)
    }

    /// Refuses a request of a network that has failed too often, and counts nothing: for what costs much before it is
    /// known to be wrong.
    ///
    /// - Throws: `ServiceError.rateLimited`.
    func refuseAfterFailures(_ network: @autoclosure () -> ClientNetwork) throws(ServiceError) {
        guard let wait = wait(for: network(), now: .now) else { return }
        throw .rateLimited(limit, retryAfterSeconds: wait)
    }

    /// Counts a request that has failed.
    func countFailure(_ network: @autoclosure () -> ClientNetwork) { _ = take(for: network(), now: .now) }

    /// Takes one of a network's, if there is one.
    ///
    /// - Returns: nil when there was; else in how many seconds there is.
    func take(for network: @autoclosure () -> ClientNetwork, now: MonotonicTime) -> Int64? {
        look(network(), now, isTaken: true)
    }

    /// Asks whether a network has one left, and takes nothing.
    ///
    /// - Returns: nil when it has; else in how many seconds it will.
    func wait(for network: @autoclosure () -> ClientNetwork, now: MonotonicTime) -> Int64? {
        look(network(), now, isTaken: false)
    }

    private func look(_ network: @autoclosure () -> ClientNetwork, _ now: MonotonicTime, isTaken: Bool) -> Int64? {
        guard interval > 0 else { return nil }
        let base = network().base
        let networks = CustomerNetworks.around(base)
        return fullAt.withLock { fullAt in
            if fullAt.isEmpty { fullAt = Array(repeating: 0, count: Self.rows << Self.slotBits) }
            var excess = Int64.min
            var buckets = InlineArray<3, (hash: UInt64, next: Int64)>(repeating: (0, 0))
            for (index, network) in networks.enumerated() {
                let hash = Self.hash(base, network.bits)
                var full = Int64.max
                for row in 0..<Self.rows { full = min(full, fullAt[Self.slot(row, hash)]) }
                // When the bucket would be full again if one more were taken of it.
                let next = max(full, now.nanoseconds) + max(1, interval / network.worth)
                buckets[index] = (hash, next)
                excess = max(excess, next - now.nanoseconds - capacity)
            }
            guard excess <= 0 else { return max(1, (excess + 999_999_999) / 1_000_000_000) }
            guard isTaken else { return nil }
            for index in networks.indices {
                // Slots that are ahead because of others stay as they are.
                for row in 0..<Self.rows {
                    let slot = Self.slot(row, buckets[index].hash)
                    fullAt[slot] = max(fullAt[slot], buckets[index].next)
                }
            }
            return nil
        }
    }

    /// - Parameter bits: tell a network from the narrower one that begins with the same address.
    private static func hash(_ base: IPAddress, _ bits: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(base.keeping(bits: bits))
        hasher.combine(bits)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func slot(_ row: Int, _ hash: UInt64) -> Int {
        row << slotBits | Int(truncatingIfNeeded: hash >> UInt64(row * slotBits)) & (1 << slotBits - 1)
    }
}
