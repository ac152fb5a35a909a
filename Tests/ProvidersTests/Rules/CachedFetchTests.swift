import EventLoop
import HTTPClient
import Patience
import Providers
import Synchronization
import System
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A cached fetch` {
    private typealias Answer = Result<Fetched<Int>, ProviderCallError>

    /// Counts fetches, holds them at a gate where one is given, and answers with the number of the fetch or a failure.
    private final class Source: Sendable {
        private let count = Mutex(0)
        private let failure = Mutex<ProviderCallError?>(nil)
        private let wasCancelled = Mutex(false)

        var fetches: Int { count.withLock(\.self) }
        var sawCancellation: Bool { wasCancelled.withLock(\.self) }

        func fail(with failure: ProviderCallError?) { self.failure.withLock { $0 = failure } }

        func fetch(through gate: Gate? = nil) -> CachedFetch<Int>.Fetch {
            {
                let number = self.count.withLock { count in
                    count += 1
                    return count
                }
                await gate?.pass()
                if Task.isCancelled { self.wasCancelled.withLock { $0 = true } }
                if let failure = self.failure.withLock(\.self) { return .failure(failure) }
                return .success(Fetched(number, freshness: .seconds(1000)))
            }
        }
    }

    private let cache = CachedFetch<Int>(
        bounds: CacheBounds(
            usual: .seconds(1000), shortest: .seconds(1), longest: .seconds(2000), stale: .seconds(500),
            afterFailure: .seconds(10), afterMiss: .seconds(50)))
    private let source = Source()
    private let start = MonotonicTime.now
    /// Later than the first fetch by more than it is fresh, and by less than it may be stale.
    private var whenStale: MonotonicTime { start + .seconds(1400) }
    private var whenGone: MonotonicTime { start + .seconds(1600) }

    @Test func `answers from memory while the value is fresh`() async throws {
        #expect(try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch()) == 1)
        #expect(
            try await cache.value(now: start + .seconds(999), leavesWhenCancelled: true, fetch: source.fetch()) == 1)
        #expect(source.fetches == 1)
    }

    @Test func `fetches once for a hundred who wait`() async throws {
        let (gate, called) = (Gate(), Gate())
        called.open()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await called.pass()
                    return try await cache.value(
                        now: start, leavesWhenCancelled: true, fetch: source.fetch(through: gate))
                }
            }
            await called.arrivals(100)
            await gate.arrivals()
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 100))
        #expect(source.fetches == 1)
    }

    @Test func `serves a stale value while a new one is fetched`() async throws {
        _ = try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        let gate = Gate()
        for _ in 0..<3 {
            #expect(
                try await cache.value(now: whenStale, leavesWhenCancelled: true, fetch: source.fetch(through: gate))
                    == 1)
        }
        await gate.arrivals()
        #expect(source.fetches == 2)
        gate.open()
        try await eventually("the new value") {
            try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch()) != 1
        }
        #expect(try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch()) == 2)
        #expect(source.fetches == 2)
    }

    @Test func `waits for a new value when the old one is too old`() async throws {
        _ = try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        #expect(try await cache.value(now: whenGone, leavesWhenCancelled: true, fetch: source.fetch()) == 2)
    }

    @Test func `remembers a failure for a moment`() async throws {
        source.fail(with: .notJSON)
        await #expect(throws: ProviderCallError.notJSON) {
            try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        }
        source.fail(with: nil)
        await #expect(throws: ProviderCallError.notJSON) {
            try await cache.value(now: start + .seconds(9), leavesWhenCancelled: true, fetch: source.fetch())
        }
        #expect(source.fetches == 1)
        #expect(try await cache.value(now: start + .seconds(60), leavesWhenCancelled: true, fetch: source.fetch()) == 2)
    }

    @Test func `remembers longer that there is nothing to fetch`() async throws {
        source.fail(with: .noCarrier(discoveryUI: nil))
        _ = try? await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        #expect(!cache.isSpent(now: start + .seconds(49)))
        _ = try? await cache.value(now: start + .seconds(49), leavesWhenCancelled: true, fetch: source.fetch())
        #expect(source.fetches == 1)
        #expect(cache.isSpent(now: start + .seconds(100)))
    }

    @Test func `serves a stale value over a failure and does not fetch again at once`() async throws {
        _ = try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        source.fail(with: .status(500))
        await #expect(throws: ProviderCallError.status(500)) { try await cache.refetched(fetch: source.fetch()) }
        #expect(try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch()) == 1)
        #expect(source.fetches == 2)
        // The failure is remembered from the real present on, so the value is made stale by its bound instead.
        let brief = CachedFetch<Int>(
            bounds: CacheBounds(
                usual: .zero, shortest: .zero, longest: .zero, stale: .seconds(500), afterFailure: .seconds(100),
                afterMiss: .seconds(100)))
        let fresh: CachedFetch<Int>.Fetch = { .success(Fetched(7, freshness: .zero)) }
        _ = try await brief.value(now: start, leavesWhenCancelled: true, fetch: fresh)
        _ = try? await brief.refetched(fetch: source.fetch())
        let soon = MonotonicTime.now + .seconds(1)
        #expect(try await brief.value(now: soon, leavesWhenCancelled: true, fetch: source.fetch()) == 7)
        #expect(source.fetches == 3)
    }

    @Test func `fails when nothing is left to serve`() async throws {
        _ = try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        source.fail(with: .status(503))
        await #expect(throws: ProviderCallError.status(503)) {
            try await cache.value(now: whenGone, leavesWhenCancelled: true, fetch: source.fetch())
        }
    }

    @Test func `lets one who goes away go, and gives the others their answer`() async throws {
        let gate = Gate()
        let leaving = Task {
            try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch(through: gate))
        }
        await gate.arrivals()
        let staying = Task { try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch()) }
        leaving.cancel()
        // Before the fetch has ended: the gate is still shut.
        await #expect(throws: ProviderCallError.transport(.cancelled)) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == 1)
        #expect(source.fetches == 1)
        #expect(!source.sawCancellation)
    }

    @Test func `keeps one who would rather have the answer, gone or not`() async throws {
        let gate = Gate()
        let cancelled = Task {
            try await cache.value(now: start, leavesWhenCancelled: false, fetch: source.fetch(through: gate))
        }
        await gate.arrivals()
        cancelled.cancel()
        gate.open()
        #expect(try await cancelled.value == 1)
    }

    @Test func `fetches again on demand, however fresh its value is`() async throws {
        _ = try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch())
        #expect(try await cache.refetched(fetch: source.fetch()) == 2)
        #expect(try await cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch()) == 2)
    }

    @Test func `joins a fetch on demand to the one that runs`() async throws {
        let (gate, called) = (Gate(), Gate())
        called.open()
        async let first = cache.value(now: start, leavesWhenCancelled: true, fetch: source.fetch(through: gate))
        await gate.arrivals()
        async let second = cache.refetched(fetch: source.fetch(through: called))
        gate.open()
        #expect(try await (first, second) == (1, 1))
    }
}
