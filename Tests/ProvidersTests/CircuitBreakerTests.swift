import EventLoop
import Providers
import System
import Testing

@Suite struct `A circuit breaker` {
    private let limits = CircuitBreaker.Limits(
        failures: 3, firstPause: .seconds(1), maximumPause: .seconds(3), probeLifetime: .seconds(10))
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker(limits: limits)
        for _ in 0..<3 { breaker.failed(now: at(0)) }
        return breaker
    }

    @Test func `lets calls out until enough of them failed in a row`() {
        var breaker = CircuitBreaker(limits: limits)
        breaker.failed(now: at(0))
        breaker.failed(now: at(0))
        breaker.succeeded()
        breaker.failed(now: at(0))
        breaker.failed(now: at(0))
        #expect(breaker.admit(now: at(0)) == nil)
        breaker.failed(now: at(0))
        #expect(breaker.admit(now: at(0)) == .seconds(1))
        #expect(breaker.admit(now: at(400)) == .milliseconds(600))
    }

    @Test func `lets one probe out after the pause, and closes when it succeeds`() {
        var breaker = opened()
        #expect(breaker.admit(now: at(1000)) == nil)
        #expect(breaker.admit(now: at(1001)) != nil, "a second probe went out beside the first")
        breaker.succeeded()
        #expect(breaker.admit(now: at(1002)) == nil)
        #expect(breaker.admit(now: at(1002)) == nil)
    }

    @Test func `pauses twice as long after each failed probe, up to its longest`() {
        var breaker = opened()
        var now: Int64 = 1000
        for pause in [2000, 3000, 3000] as [Int64] {
            #expect(breaker.admit(now: at(now)) == nil)
            breaker.failed(now: at(now))
            #expect(breaker.admit(now: at(now + pause - 1)) != nil)
            now += pause
        }
    }

    @Test func `a circuit breaker is not held open by failures of calls from before it opened`() {
        var breaker = opened()
        breaker.failed(now: at(900))
        #expect(breaker.admit(now: at(1000)) == nil)
    }

    @Test func `sends another probe when one was never heard of again`() {
        var breaker = opened()
        #expect(breaker.admit(now: at(1000)) == nil)
        #expect(breaker.admit(now: at(10_999)) != nil)
        #expect(breaker.admit(now: at(11_000)) == nil)
    }
}
