import Accounts
import HTTPClient
import Providers
import SignIn
import Syntax
import System
import Telemetry
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `Metrics of how it goes` {
    private func lines(_ source: any MetricSource) -> [String] {
        String(decoding: Exposition.prometheus.text(source.readings()), as: UTF8.self).split(separator: "\n")
            .map(String.init)
    }

    @Test func `tell of a store whose writes fail, and of a host that is not called`() async throws {
        let stage = try await SignInStage()
        let readiness = ServiceReadiness(repository: stage.repository, clock: stage.clock)
        let metrics = HealthMetrics(readiness, [stage.provider], stage.clock)
        #expect(lines(metrics).contains("gatehouse_store_up 1"))
        for _ in 0..<100 { stage.repository.outcomes.note(.unavailable(.diskFull)) }
        #expect(lines(metrics).contains("gatehouse_store_up 0"))
        let url = try EndpointURL("https://carrier.example/token", allowLoopbackHTTP: false)
        for _ in 0..<100 where stage.provider.circuits.admit(url, now: .now) == nil {
            stage.provider.circuits.report(url, isAnswered: false, now: .now)
        }
        let circuit = #"gatehouse_provider_circuit_state{provider="zenkey",host="carrier.example:443"} 2"#
        #expect(lines(metrics).contains(circuit), "\(lines(metrics))")
    }

    @Test func `tell how far a provider's clock is off, and how often its keys were fetched again`() async throws {
        let stage = try await SignInStage()
        let readiness = ServiceReadiness(repository: stage.repository, clock: stage.clock)
        let metrics = HealthMetrics(readiness, [stage.provider], stage.clock)
        #expect(!lines(metrics).contains { $0.hasPrefix("gatehouse_provider_clock_offset") })
        stage.provider.keyRefetches.addShared(2)
        #expect(lines(metrics).contains(#"gatehouse_provider_key_refetches_total{provider="zenkey"} 2"#))
    }

    @Test func `tell what was refused, since it was too much`() {
        let counts = RefusalCounts()
        counts.count(.rateLimited(.signIns, retryAfterSeconds: 1), isRefresh: false)
        counts.count(.overloaded, isRefresh: false)
        counts.count(.storageUnavailable(.overloaded), isRefresh: true)
        counts.count(nil, isRefresh: true)
        let lines = lines(counts)
        #expect(lines.contains { $0.hasPrefix(#"gatehouse_rate_limited_total{limit="#) && $0.hasSuffix("} 1") })
        #expect(lines.contains(#"gatehouse_overload_rejections_total{limit="provider"} 1"#))
        #expect(lines.contains(#"gatehouse_overload_rejections_total{limit="store"} 1"#))
        #expect(lines.contains("gatehouse_sessions_refreshed_total 1"))
    }
}
