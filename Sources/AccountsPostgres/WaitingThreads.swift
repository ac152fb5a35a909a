import Accounts
import Dispatch
import Synchronization
import Telemetry

/// Threads for work that waits for each of its statements, which no loop may. They are few: who comes when all are
/// taken waits for its turn without one.
final class WaitingThreads: Sendable {
    private struct State {
        var running = 0
        var waiting: ArraySlice<@Sendable () -> Void> = []
    }

    private let queue = DispatchQueue(label: "gatehouse.store.work", attributes: .concurrent)
    private let state = Mutex(State())
    private let threads: Int
    private let waitingLimit: Int
    private let observers: Observers

    /// - Parameter observers: hear of each wait for a thread.
    init(threads: Int, waitingLimit: Int, observers: Observers) {
        (self.threads, self.waitingLimit, self.observers) = (threads, waitingLimit, observers)
    }

    /// - Throws: what `body` throws, or `.unavailable(.overloaded)`.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let turn = observers.beginShared(.storeQueue)
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>) in
            let isTaken = submit {
                turn?.end()
                continuation.resume(returning: Result { () throws(RepositoryError) in try body() })
            }
            if !isTaken {
                turn?.end(.failed("overloaded"))
                continuation.resume(returning: .failure(.unavailable(.overloaded)))
            }
        }
        return try result.get()
    }

    private func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let next: Bool? = state.withLock { state in
            if state.running < threads {
                state.running += 1
                return true
            }
            guard state.waiting.count < waitingLimit else { return nil }
            state.waiting.append(job)
            return false
        }
        if next == true { queue.async { self.work(job) } }
        return next != nil
    }

    private func work(_ first: @Sendable () -> Void) {
        first()
        while let next = takeNext() { next() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if let next = state.waiting.popFirst() { return next }
            state.running -= 1
            return nil
        }
    }
}
