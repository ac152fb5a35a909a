internal import HTTPClient
public import Synchronization
public import System

/// A fetched value and how long it is fresh.
public struct Fetched<Value: Sendable>: Sendable {
    public let value: Value
    public let freshness: Duration

    public init(_ value: Value, freshness: Duration) {
        (self.value, self.freshness) = (value, freshness)
    }
}

/// One remote document, fetched when it is needed, by one fetch at a time for all who wait.
///
/// While a value is fresh it costs one lock. Past that it still serves, within a bound, while a new one is fetched in
/// the background: a provider whose metadata is down for an hour loses no sign-in. A failure, which any answer is that
/// can't be used, never takes a value's place before its time; it is remembered for a moment, so that a crowd does not
/// become a storm.
public final class CachedFetch<Value: Sendable>: Sendable {
    public typealias Outcome = Result<Value, ProviderCallError>
    public typealias Fetch = @Sendable () async -> Result<Fetched<Value>, ProviderCallError>

    @usableFromInline
    struct State {
        @usableFromInline var value: Value?
        @usableFromInline var freshUntil = MonotonicTime(nanoseconds: .min)
        var staleUntil = MonotonicTime(nanoseconds: .min)
        var failure: (error: ProviderCallError, until: MonotonicTime)?
        var inFlight: Task<Outcome, Never>?
    }

    private let bounds: CacheBounds
    @usableFromInline let state = Mutex(State())

    public init(bounds: CacheBounds) {
        self.bounds = bounds
    }

    /// The value, if it is fresh: what nearly every call finds, without so much as preparing a fetch.
    @inlinable
    public func fresh(now: MonotonicTime) -> Value? {
        state.withLock { now < $0.freshUntil ? $0.value : nil }
    }

    /// Whether all there was is a failure whose time is over: nothing to wait for and nothing to serve.
    public func isSpent(now: MonotonicTime) -> Bool {
        state.withLock { state in
            guard state.value == nil, state.inFlight == nil, let failure = state.failure else { return false }
            return now >= failure.until
        }
    }

    /// The value at hand, fresh or not, that a fetch which runs now may replace.
    func last(now: MonotonicTime) -> Value? {
        state.withLock { now < $0.staleUntil ? $0.value : nil }
    }

    /// The value, from memory where that serves, else from `fetch`.
    ///
    /// - Parameter leavesWhenCancelled: whether a caller that is cancelled stops waiting. One whose code is spent
    ///   stays: with the fetch, which goes on anyway, its sign-in can still be finished.
    /// - Throws: what `fetch` failed with, when no value is left to serve.
    public func value(
        now: MonotonicTime, leavesWhenCancelled: Bool, fetch: @escaping Fetch
    ) async throws(ProviderCallError) -> Value {
        let found: (value: Value?, wait: Task<Outcome, Never>?, failure: ProviderCallError?) = state.withLock { state in
            if let value = state.value, now < state.freshUntil { return (value, nil, nil) }
            if let failure = state.failure, now < failure.until, state.inFlight == nil {
                return now < state.staleUntil ? (state.value, nil, failure.error) : (nil, nil, failure.error)
            }
            let task = state.inFlight ?? start(fetch, &state)
            return now < state.staleUntil ? (state.value, nil, nil) : (nil, task, nil)
        }
        if let value = found.value { return value }
        if let task = found.wait {
            return try await (leavesWhenCancelled ? SharedOutcome.of(task) : task.value).get()
        }
        throw found.failure ?? .notJSON
    }

    /// Fetches now, or joins the fetch that runs, however fresh the value at hand is.
    public func refetched(fetch: @escaping Fetch) async throws(ProviderCallError) -> Value {
        let task = state.withLock { $0.inFlight ?? start(fetch, &$0) }
        return try await task.value.get()
    }

    /// What the fetch brings that runs now, or else the value at hand; nil where there is neither.
    func awaited(now: MonotonicTime) async throws(ProviderCallError) -> Value? {
        let (task, value) = state.withLock { ($0.inFlight, now < $0.staleUntil ? $0.value : nil) }
        guard let task else { return value }
        return try await task.value.get()
    }

    /// The task belongs to no caller: one that goes away stops waiting, and the others still get their answer.
    private func start(_ fetch: @escaping Fetch, _ state: inout State) -> Task<Outcome, Never> {
        let task = Task { finish(await fetch()) }
        state.inFlight = task
        return task
    }

    private func finish(_ result: Result<Fetched<Value>, ProviderCallError>) -> Outcome {
        let now = MonotonicTime.now
        return state.withLock { state in
            state.inFlight = nil
            switch result {
            case .success(let fetched):
                state.value = fetched.value
                state.freshUntil = now + fetched.freshness
                state.staleUntil = state.freshUntil + bounds.stale
                state.failure = nil
                return .success(fetched.value)
            case .failure(let error):
                state.failure = (error, now + bounds.memory(of: error))
                return .failure(error)
            }
        }
    }
}

/// One caller's wait for a fetch that others wait for too: it ends with the fetch, or with the caller's own
/// cancellation, which is nothing to the others.
final class SharedOutcome<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, ProviderCallError>

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
