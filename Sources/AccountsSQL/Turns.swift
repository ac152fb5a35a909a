public import Accounts
import Dispatch
import Synchronization
public import System

/// Lets few operations at a time do something with the same row, so that somebody whose row is hot or locked keeps
/// nobody waiting but themselves.
///
///     _ = try await turns.begin(.session(id), until: deadline)      // at most two at once, others in their order
///     defer { turns.end(.session(id)) }
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

    /// Takes a turn at once, where there is one: what nearly everybody does. ``end(_:)`` must follow.
    ///
    /// - Returns: nil where others have to come first.
    public func beginAtOnce(_ key: TurnKey) -> Turn? {
        state.withLock { state in
            guard let index = state.lines.index(forKey: key) else {
                let line = Line()
                state.lines[key] = line
                return line.turn
            }
            guard state.lines.values[index].running < atOnce else { return nil }
            state.lines.values[index].running += 1
            return state.lines.values[index].turn
        }
    }

    /// Waits for a turn. ``end(_:)`` must follow, unless it throws. Who has one takes no other.
    ///
    /// - Parameter deadline: when it is not worth waiting for any more.
    /// - Throws: `.unavailable(.locked)` when it has not come in time, `.unavailable(.overloaded)` when too many wait.
    /// - Returns: what all who do something with this row have in common.
    public func begin(_ key: TurnKey, until deadline: MonotonicTime) async throws(RepositoryError) -> Turn {
        if let turn = beginAtOnce(key) { return turn }
        let refusal = await withCheckedContinuation { wait(for: key, until: deadline, Waiter($0)) }
        if let refusal { throw .unavailable(refusal) }
        // A turn that is held keeps the line.
        guard let turn = state.withLock({ $0.lines[key]?.turn }) else { throw .unavailable(.closed) }
        return turn
    }

    /// Lets the next one go on.
    public func end(_ key: TurnKey) {
        let next: Waiter? = state.withLock { state in
            guard let index = state.lines.index(forKey: key) else { return nil }
            if let next = state.lines.values[index].waiting.popFirst() {
                state.waiting -= 1
                return next
            }
            state.lines.values[index].running -= 1
            if state.lines.values[index].running == 0 { state.lines.remove(at: index) }
            return nil
        }
        next?.continuation.resume(returning: nil)
    }

    /// How many wait.
    public var waiting: Int { state.withLock(\.waiting) }

    private func wait(for key: TurnKey, until deadline: MonotonicTime, _ waiter: Waiter) {
        let refusal: Unavailability?? = state.withLock { state in
            // Those who had it have gone meanwhile.
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
}
