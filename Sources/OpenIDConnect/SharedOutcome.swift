internal import HTTPClient
import Synchronization

/// One caller's wait for a fetch that others wait for too: it ends with the fetch, or with the caller's own
/// cancellation, which is nothing to the others.
final class SharedOutcome<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, ProviderFailure>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Outcome, Never>)
        case over
    }

    private let state = Mutex(State.idle)

    private init() {}

    /// Waits for `task`.
    ///
    /// - Returns: what came of it; `.transport(.cancelled)` when the caller goes away before.
    static func of(_ task: Task<Outcome, Never>) async -> Outcome {
        let wait = SharedOutcome()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard wait.begin(continuation) else { return continuation.resume(returning: cancelled) }
                Task { wait.end(await task.value) }
            }
        } onCancel: {
            wait.end(cancelled)
        }
    }

    private static var cancelled: Outcome { .failure(.transport(.cancelled)) }

    /// - Returns: false when the caller was gone already.
    private func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        state.withLock { state in
            guard case .idle = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    private func end(_ outcome: Outcome) {
        let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: outcome)
    }
}
