import Accounts
import Synchronization

/// Which authorization codes were used and could still be presented.
///
/// Memory decides, and the table is its log: a unique index over random hashes would cost every sign-in a page of its
/// own on disk. Everything live is loaded when the store opens, and one server has the file, so nothing is missing here.
/// Eight bytes of each hash are kept: two codes that share them by chance are one in 10¹³ sign-ins with a million live,
/// and the second would be refused, never taken. They are kept together with those that expire in the same few minutes,
/// so that few sets have to be searched, and a set that is over is forgotten at once.
final class UsedCodes: Sendable {
    enum Claim: Equatable {
        case first
        case used
        /// No more fit into the limit.
        case full
    }

    /// How long a period is, in seconds. A code stays used to the end of the period that it expires in.
    private static let periodSeconds: Int64 = 300

    private struct State {
        /// By the number of the period in which they expire.
        var periods: [Int64: Set<UInt64>] = [:]
        var count = 0
        /// Codes of the write group under way, which are not on disk yet.
        var claimed: Set<UInt64> = []

        func isUsed(_ key: UInt64, now: Int64) -> Bool {
            periods.contains { period, codes in !UsedCodes.isOver(period, now: now) && codes.contains(key) }
        }
    }

    private static func isOver(_ period: Int64, now: Int64) -> Bool { (period + 1) * periodSeconds <= now }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the code is used for good: its use is on disk.
    func isUsed(_ hash: TokenHash, now: Int64) -> Bool {
        state.withLock { $0.isUsed(hash.words.0, now: now) }
    }

    /// Claims a code for a write that is under way; ``settle(_:isUsed:)`` must follow.
    func claim(_ hash: TokenHash, now: Int64) -> Claim {
        state.withLock { state in
            let key = hash.words.0
            if state.claimed.contains(key) || state.isUsed(key, now: now) { return .used }
            guard state.count + state.claimed.count < limit else { return .full }
            state.claimed.insert(key)
            return .first
        }
    }

    /// Ends the claim on a code, whoever has it.
    ///
    /// - Parameter isUsed: whether the use is on disk now.
    func settle(_ code: OneTimeUse, isUsed: Bool) {
        state.withLock { state in
            state.claimed.remove(code.hash.words.0)
            guard isUsed else { return }
            let period = code.expiresAt / Self.periodSeconds
            if state.periods[period, default: []].insert(code.hash.words.0).inserted { state.count += 1 }
        }
    }

    /// Forgets the periods that are over.
    func forget(now: Int64) {
        state.withLock { state in
            for (period, codes) in state.periods where Self.isOver(period, now: now) {
                state.periods[period] = nil
                state.count -= codes.count
            }
        }
    }
}
