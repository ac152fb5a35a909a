public import Accounts
import Dispatch
import Synchronization
public import System

/// What an operation of the store takes the lock of first, as far as others may want the same at once.
public enum TurnKey: Hashable, Sendable {
    case subject(Subject)
    case session(SessionID)
    case user(UserID)
    case identity(IdentityID)
    /// What is used once.
    case value(TokenHash)
    /// What is counted.
    case budget([UInt8])
}

/// Lets few operations at a time do something with the same row, so that somebody whose row is hot or locked keeps
/// nobody waiting but themselves.
///
///     try await turns.take(.session(id), until: deadline) { … }     // at most two at once, others in their order
public final class Turns: Sendable {
    private final class Waiter: Sendable {
        let continuation: CheckedContinuation<Unavailability?, Never>

        init(_ continuation: CheckedContinuation<Unavailability?, Never>) {
            self.continuation = continuation
        }
    }

    private struct Line {
        var running = 1
        // A slice gives up its first element without moving the others.
        var waiting: ArraySlice<Waiter> = []
        let turn = Turn()
    }

    private struct State {
        var lines: [TurnKey: Line] = [:]
        var waiting = 0
    }

    private static let expiries = DispatchQueue(label: "gatehouse.store.turns")

    private let state = Mutex(State())
    private let atOnce: Int
    private let waitingLimit: Int

    /// - Parameters:
    ///   - atOnce: how many of one key.
    ///   - waitingLimit: how many may wait, of all keys together; beyond it they fail as overloaded.
    public init(atOnce: Int, waitingLimit: Int) {
        self.atOnce = max(1, atOnce)
        self.waitingLimit = waitingLimit
    }

    /// Does something when its turn comes.
    ///
    /// - Parameters:
    ///   - deadline: when it is not worth waiting for any more.
    ///   - body: takes no turn of its own. It is given what all who do something with this row have in common.
    /// - Throws: what `body` throws; `.unavailable(.locked)` when its turn has not come in time,
    ///   `.unavailable(.overloaded)` when too many wait.
    public func take<Value>(
        _ key: TurnKey, until deadline: MonotonicTime, _ body: (Turn) async throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let turn = try await begin(key, until: deadline)
        defer { end(key) }
        return try await body(turn)
    }

    /// How many wait.
    public var waiting: Int { state.withLock(\.waiting) }

    private func begin(_ key: TurnKey, until deadline: MonotonicTime) async throws(RepositoryError) -> Turn {
        let (turn, isFree): (Turn, Bool) = state.withLock { state in
            guard let line = state.lines[key] else {
                let line = Line()
                state.lines[key] = line
                return (line.turn, true)
            }
            guard line.running < atOnce else { return (line.turn, false) }
            state.lines[key]?.running += 1
            return (line.turn, true)
        }
        if isFree { return turn }
        let refusal = await withCheckedContinuation { wait(for: key, until: deadline, Waiter($0)) }
        if let refusal { throw .unavailable(refusal) }
        return turn
    }

    private func wait(for key: TurnKey, until deadline: MonotonicTime, _ waiter: Waiter) {
        let refusal: Unavailability?? = state.withLock { state in
            // Whoever it was has gone meanwhile.
            guard let line = state.lines[key] else {
                state.lines[key] = Line()
                return .some(nil)
            }
            if line.running < atOnce {
                state.lines[key]?.running += 1
                return .some(nil)
            }
            guard state.waiting < waitingLimit else { return .overloaded }
            state.lines[key]?.waiting.append(waiter)
            state.waiting += 1
            return nil
        }
        if let refusal { return waiter.continuation.resume(returning: refusal) }
        let left = max(0, deadline.nanoseconds - MonotonicTime.now.nanoseconds)
        Self.expiries.asyncAfter(deadline: .now() + .nanoseconds(Int(left))) { [self] in expire(waiter, key) }
    }

    private func expire(_ waiter: Waiter, _ key: TurnKey) {
        let isWaiting = state.withLock { state in
            guard let index = state.lines[key]?.waiting.firstIndex(where: { $0 === waiter }) else { return false }
            state.lines[key]?.waiting.remove(at: index)
            state.waiting -= 1
            return true
        }
        if isWaiting { waiter.continuation.resume(returning: .locked) }
    }

    private func end(_ key: TurnKey) {
        let next: Waiter? = state.withLock { state in
            if let next = state.lines[key]?.waiting.popFirst() {
                state.waiting -= 1
                return next
            }
            state.lines[key]?.running -= 1
            if state.lines[key]?.running == 0 { state.lines[key] = nil }
            return nil
        }
        next?.continuation.resume(returning: nil)
    }
}
