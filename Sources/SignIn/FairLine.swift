internal import Synchronization

/// A line before work that costs much, in which nobody who asks again and again is served again and again: the next
/// place goes to the key that was served least of late, of several to the address that was, and of those to who came
/// first. A newcomer counts as one who was served as often as who is served now, so that nobody saves turns up.
///
/// The line is bounded. Where it is full, the newcomer takes the place of the last of the key that has most in it, or,
/// where each key has one, of the last of the address that has most; only where they are all alike is it refused.
package final class FairLine: Sendable {
    /// Whose turn it is: whom the work is for, and where it was asked for.
    package struct Turn: Hashable, Sendable {
        let key: [UInt8]
        let address: [UInt8]

        package init(key: [UInt8], address: [UInt8]) {
            (self.key, self.address) = (key, address)
        }
    }

    fileprivate enum Lane: Hashable {
        case key([UInt8])
        case address([UInt8])
    }

    fileprivate struct Share {
        /// How many turns it has had, as far as its last time in the line goes.
        var turns: Int
        /// How many of it wait or have a place.
        var present = 0
        var waiting = 0
    }

    fileprivate struct Waiter {
        let turn: Turn
        let continuation: CheckedContinuation<Bool, Never>
    }

    fileprivate struct Line {
        var taken = 0
        /// In the order in which they came.
        var waiters: [Waiter] = []
        /// Of those who are present.
        var shares: [Lane: Share] = [:]
        /// How many turns they had had who were served last.
        var keyTurns = 0
        var addressTurns = 0
    }

    private let places: Int
    private let maximumWaiting: Int
    private let line = Mutex(Line())

    /// - Parameters:
    ///   - places: how many work at once; at least 1.
    ///   - maximumWaiting: how many may wait for that.
    package init(places: Int, maximumWaiting: Int) {
        self.places = max(1, places)
        self.maximumWaiting = maximumWaiting
    }

    /// How many wait for a place.
    package var waiting: Int { line.withLock(\.waiters.count) }

    /// Takes a place when it is this one's turn. The caller gives it back by ``leave(_:)``.
    ///
    /// - Throws: `ServiceError.overloaded` when the line is full, or when this one gave way to who has fewer in it.
    package func enter(_ turn: Turn) async throws(ServiceError) {
        let isLetIn = await withCheckedContinuation { continuation in
            let refused = line.withLock { line -> CheckedContinuation<Bool, Never>? in
                line.arrive(turn)
                if line.taken < places {
                    line.taken += 1
                    line.serve(turn)
                    continuation.resume(returning: true)
                    return nil
                }
                let last = line.waiters.count < maximumWaiting ? nil : line.largest(beside: turn)
                if line.waiters.count >= maximumWaiting, last == nil {
                    line.depart(turn)
                    return continuation
                }
                let refused = last.map { line.waiters.remove(at: $0) }
                if let refused {
                    line.count(refused.turn, waiting: -1)
                    line.depart(refused.turn)
                }
                line.waiters.append(Waiter(turn: turn, continuation: continuation))
                line.count(turn, waiting: 1)
                return refused?.continuation
            }
            refused?.resume(returning: false)
        }
        guard isLetIn else { throw .overloaded }
    }

    /// Gives a place back, to whose turn is next.
    package func leave(_ turn: Turn) {
        let next = line.withLock { line -> CheckedContinuation<Bool, Never>? in
            line.depart(turn)
            guard let index = line.next else {
                line.taken -= 1
                return nil
            }
            let waiter = line.waiters.remove(at: index)
            line.count(waiter.turn, waiting: -1)
            line.serve(waiter.turn)
            return waiter.continuation
        }
        next?.resume(returning: true)
    }
}

extension FairLine.Line {
    /// Whose turn is next; nil where nobody waits.
    fileprivate var next: Int? {
        waiters.indices.min { left, right in rank(waiters[left].turn) < rank(waiters[right].turn) }
    }

    private func rank(_ turn: FairLine.Turn) -> (Int, Int) {
        (shares[.key(turn.key)]?.turns ?? 0, shares[.address(turn.address)]?.turns ?? 0)
    }

    /// The last one of the key that has more in the line than the newcomer's, or else of such an address.
    fileprivate func largest(beside newcomer: FairLine.Turn) -> Int? {
        func waiting(_ lane: FairLine.Lane) -> Int { shares[lane]?.waiting ?? 0 }
        func most(_ lane: (FairLine.Turn) -> FairLine.Lane) -> Int? {
            let largest = waiters.indices.max { waiting(lane(waiters[$0].turn)) < waiting(lane(waiters[$1].turn)) }
            guard let largest, waiting(lane(waiters[largest].turn)) > waiting(lane(newcomer)) + 1 else { return nil }
            let crowd = lane(waiters[largest].turn)
            return waiters.lastIndex { lane($0.turn) == crowd }
        }
        return most { .key($0.key) } ?? most { .address($0.address) }
    }

    fileprivate mutating func arrive(_ turn: FairLine.Turn) {
        shares[.key(turn.key), default: FairLine.Share(turns: keyTurns)].present += 1
        shares[.address(turn.address), default: FairLine.Share(turns: addressTurns)].present += 1
    }

    fileprivate mutating func depart(_ turn: FairLine.Turn) {
        for lane in [FairLine.Lane.key(turn.key), .address(turn.address)] {
            shares[lane]?.present -= 1
            if shares[lane]?.present == 0 { shares[lane] = nil }
        }
    }

    fileprivate mutating func count(_ turn: FairLine.Turn, waiting change: Int) {
        shares[.key(turn.key)]?.waiting += change
        shares[.address(turn.address)]?.waiting += change
    }

    /// Who was far ahead of all is no further ahead of those who come now than by this turn.
    fileprivate mutating func serve(_ turn: FairLine.Turn) {
        let (key, address) = rank(turn)
        (keyTurns, addressTurns) = (max(keyTurns, key), max(addressTurns, address))
        shares[.key(turn.key)]?.turns = key + 1
        shares[.address(turn.address)]?.turns = address + 1
    }
}
