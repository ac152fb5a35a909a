import Accounts
import AccountsSQL
import Synchronization

/// Which authorization codes were used and could still be presented.
///
/// Memory decides, and the table is its log: a unique index over random hashes would cost every sign-in a page of its
/// own on disk. Everything live is loaded when the store opens, and one server has the file, so nothing is missing
/// here. Eight bytes of each hash are kept: two codes that share them by chance are one in 10¹³ sign-ins with a million
/// live, and the second would be refused, never taken. They are kept together with those that expire in the same few
/// minutes, so that few sets have to be searched, and a set that is over is forgotten at once. A set that grows past
/// its room moves all that it has, and event loops wait for that: so no set grows large.
///
/// Codes that proved nobody have a share of their own within the limit: anybody can make them up, and must not be able
/// to take the place of those that sign somebody in.
final class UsedCodes: Sendable {
    enum Claim: Equatable {
        case first
        case used
        /// No more fit into the limit.
        case full
    }

    /// What is known about who had a code.
    enum Proof {
        /// The provider gave tokens for it, and they proved somebody's identity.
        case verified
        /// Its exchange, or what came of it, failed: it may be anybody's invention.
        case none
    }

    /// How long a period is, in seconds. A code stays used to the end of the period that it expires in.
    private static let periodSeconds: Int64 = 300

    /// How many codes of a period lie in one set. What comes then is divided among ``divisions``.
    private static let undivided = 16_384
    /// How many sets those are: each has sixteen thousand codes when eight million expire together. A power of two.
    private static let divisions = 512

    /// The codes that expire in the same few minutes.
    private struct Period {
        private var first: Set<UInt64> = []
        /// By the last bits of the codes, which are as random as the others; none before `first` is full.
        private var others: [Set<UInt64>] = []
        private(set) var count = 0
        /// How many of them proved nobody.
        var unproven = 0

        var largestSet: Int { others.reduce(first.capacity) { max($0, $1.capacity) } }

        func contains(_ key: UInt64) -> Bool {
            first.contains(key) || !others.isEmpty && others[Self.index(key)].contains(key)
        }

        mutating func insert(_ key: UInt64) -> Bool {
            guard !contains(key) else { return false }
            if first.count < UsedCodes.undivided {
                first.insert(key)
            } else {
                if others.isEmpty { others = Array(repeating: [], count: UsedCodes.divisions) }
                others[Self.index(key)].insert(key)
            }
            count += 1
            return true
        }

        private static func index(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key) & (UsedCodes.divisions - 1) }
    }

    private struct State {
        /// By the number of the period in which they expire.
        var periods: [Int64: Period] = [:]
        var count = 0
        var unproven = 0
        /// Codes of the write group under way, which are not on disk yet.
        var claimed: Set<UInt64> = []

        func isUsed(_ key: UInt64, now: Int64) -> Bool {
            periods.contains { number, period in !UsedCodes.isOver(number, now: now) && period.contains(key) }
        }
    }

    private static func isOver(_ period: Int64, now: Int64) -> Bool { (period + 1) * periodSeconds <= now }

    private let state = Mutex(State())
    private let limit: Int
    private let unprovenLimit: Int

    /// - Parameter unprovenLimit: how many of them may have proved nobody.
    init(limit: Int, unprovenLimit: Int) {
        (self.limit, self.unprovenLimit) = (limit, unprovenLimit)
    }

    /// Whether the code is used for good: its use is on disk.
    func isUsed(_ hash: TokenHash, now: Int64) -> Bool {
        state.withLock { $0.isUsed(hash.words.0, now: now) }
    }

    /// The seconds in which a code expires that is used for good; nil where it is not.
    func period(of hash: TokenHash, now: Int64) -> ClosedRange<Int64>? {
        state.withLock { state in
            for (number, period) in state.periods
            where !Self.isOver(number, now: now) && period.contains(hash.words.0) {
                return number * Self.periodSeconds...number * Self.periodSeconds + Self.periodSeconds - 1
            }
            return nil
        }
    }

    /// Claims a code for a write that is under way; ``settle(_:_:isUsed:)`` must follow.
    func claim(_ hash: TokenHash, _ proof: Proof, now: Int64) -> Claim {
        state.withLock { state in
            let key = hash.words.0
            if state.claimed.contains(key) || state.isUsed(key, now: now) { return .used }
            guard state.count + state.claimed.count < limit, proof == .verified || state.unproven < unprovenLimit
            else { return .full }
            state.claimed.insert(key)
            return .first
        }
    }

    /// Ends the claim on a code, of whichever request.
    ///
    /// - Parameter isUsed: whether the use is on disk now.
    func settle(_ code: OneTimeUse, _ proof: Proof, isUsed: Bool) {
        state.withLock { state in
            state.claimed.remove(code.hash.words.0)
            guard isUsed else { return }
            let period = code.expiresAt / Self.periodSeconds
            guard state.periods[period, default: Period()].insert(code.hash.words.0) else { return }
            state.count += 1
            if proof == .none {
                state.periods[period]?.unproven += 1
                state.unproven += 1
            }
        }
    }

    /// Forgets the periods that are over.
    func forget(now: Int64) {
        let over = state.withLock { state in
            var over: [Period] = []
            for (number, period) in state.periods where Self.isOver(number, now: now) {
                state.periods[number] = nil
                state.count -= period.count
                state.unproven -= period.unproven
                over.append(period)
            }
            return over
        }
        // Their memory is given back here, where nobody waits for it.
        withExtendedLifetime(over) {}
    }

    /// How many codes lie in one set at most before it grows: so many are moved at once.
    var largestSet: Int { state.withLock { $0.periods.values.reduce(0) { max($0, $1.largestSet) } } }

    /// How many codes are kept.
    var count: Int { state.withLock { $0.count } }
}
