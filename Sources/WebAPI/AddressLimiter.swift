internal import SignIn
internal import Synchronization
public import Syntax
internal import System

/// Who a request comes from, as far as a limit is concerned.
public struct ClientNetwork: Hashable, Sendable {
    /// The network's first address.
    let base: IPAddress

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
/// taken for one of a crowd only when it fills all four of his slots, which takes some 40 million requests a minute at
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

    /// Refuses a request of a network that has failed too often, and counts nothing.
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
        let hash = UInt64(bitPattern: Int64(network().hashValue))
        return fullAt.withLock { fullAt in
            if fullAt.isEmpty { fullAt = Array(repeating: 0, count: Self.rows << Self.slotBits) }
            var full = Int64.max
            for row in 0..<Self.rows { full = min(full, fullAt[Self.slot(row, hash)]) }
            let next = max(full, now.nanoseconds) + interval
            let excess = next - now.nanoseconds - capacity
            guard excess <= 0 else { return max(1, (excess + 999_999_999) / 1_000_000_000) }
            if isTaken {
                // Slots that are ahead because of others stay as they are.
                for row in 0..<Self.rows {
                    let slot = Self.slot(row, hash)
                    fullAt[slot] = max(fullAt[slot], next)
                }
            }
            return nil
        }
    }

    private static func slot(_ row: Int, _ hash: UInt64) -> Int {
        row << slotBits | Int(truncatingIfNeeded: hash >> UInt64(row * slotBits)) & (1 << slotBits - 1)
    }
}
