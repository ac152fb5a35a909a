import Accounts
import Synchronization

/// Which authorization codes were used and could still be presented.
///
/// Memory decides, and the table is its log: a unique index over random hashes would cost every sign-in a page of its
/// own on disk. Everything live is loaded when the store opens, and one server has the file, so nothing is missing here.
/// Eight bytes of each hash are kept: two codes that share them by chance are one in 10¹³ sign-ins with a million live,
/// and the second would be refused, never taken. They are kept by the minute of their expiry, so that a minute that is
/// over is forgotten at once.
final class UsedCodes: Sendable {
    enum Claim: Equatable {
        case first
        case used
        /// No more fit into the limit.
        case full
    }

    private struct State {
        var minutes: [Int64: [UInt64: Int64]] = [:]
        var count = 0
        /// Codes of the write group under way, which are not on disk yet.
        var claimed: Set<UInt64> = []

        func isUsed(_ key: UInt64, now: Int64) -> Bool {
            minutes.values.contains { minute in minute[key].map { $0 > now } ?? false }
        }
    }

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
            let before = state.minutes[code.expiresAt / 60, default: [:]].updateValue(
                code.expiresAt, forKey: code.hash.words.0)
            if before == nil { state.count += 1 }
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
