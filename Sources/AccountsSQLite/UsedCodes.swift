import Accounts
import Synchronization

/// The authorization codes used of late, in memory, so that "was it used?" costs no look into the database.
///
/// It keeps eight bytes of each hash: that a code is not here proves that it was not used; that it is here is confirmed
/// in the database. Codes are kept by the minute of their expiry, so that whole minutes are forgotten at once.
final class UsedCodes: Sendable {
    enum Answer: Equatable {
        case notUsed
        /// Memory can't tell: the database must.
        case ask
    }

    private struct State {
        var minutes: [Int64: Set<UInt64>] = [:]
        var count = 0
        /// Codes that did not fit expire until then; before, the absence of a code proves nothing.
        var incompleteUntil: Int64 = .min
    }

    private let state = Mutex(State())
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func insert(_ code: OneTimeUse) {
        state.withLock { state in
            guard state.count < limit else {
                state.incompleteUntil = max(state.incompleteUntil, code.expiresAt)
                return
            }
            if state.minutes[code.expiresAt / 60, default: []].insert(code.hash.words.0).inserted { state.count += 1 }
        }
    }

    func lookUp(_ hash: TokenHash, now: Int64) -> Answer {
        state.withLock { state in
            if state.incompleteUntil > now { return .ask }
            return state.minutes.values.contains { $0.contains(hash.words.0) } ? .ask : .notUsed
        }
    }

    /// Forgets the minutes that are over.
    func forget(now: Int64) {
        state.withLock { state in
            for (minute, codes) in state.minutes where (minute + 1) * 60 <= now {
                state.minutes[minute] = nil
                state.count -= codes.count
            }
        }
    }
}
