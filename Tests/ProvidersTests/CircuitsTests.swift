import EventLoop
import HTTPClient
internal import Syntax
internal import System
import Testing

@testable import Providers

@Suite struct `The circuits of a provider` {
    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func `the circuits of a provider are each host's own, however calls to them alternate`() throws {
        let circuits = Circuits(
            limits: CircuitBreaker.Limits(
                failures: 3, firstPause: .seconds(5), maximumPause: .seconds(5), probeLifetime: .seconds(10)))
        let sound = try EndpointURL("https://sound.example/token", allowLoopbackHTTP: false)
        let broken = try EndpointURL("https://broken.example/token", allowLoopbackHTTP: false)
        for _ in 0..<3 {
            for url in [sound, broken] {
                #expect(circuits.admit(url, now: at(0)) == nil)
                circuits.report(url, isAnswered: url == sound, now: at(0))
            }
        }
        for _ in 0..<2 {
            #expect(circuits.admit(broken, now: at(1)) == .seconds(4))
            #expect(circuits.admit(sound, now: at(1)) == nil)
            #expect(circuits.admit(sound, now: at(1)) == nil)
        }
        #expect(circuits.conditions().map(\.host) == ["broken.example:443", "sound.example:443"])
    }
}
