import System
import Testing

@testable import Telemetry

@Suite struct `Metrics of steps` {
    private let metrics = StepMetrics(providers: ["plain", "other"], steps: ["keys", "token"], store: "postgresql")

    private func has(_ line: String) -> Bool {
        String(decoding: Exposition.prometheus.text(metrics.readings()), as: UTF8.self)
            .split(separator: "\n").contains { $0 == line }
    }

    @Test func `have who is at a provider, and who waits for the store, as long as they are`() {
        let observers = Observers([metrics])
        let stay = observers.begin(.bulkhead(provider: "plain"))
        let wait = observers.begin(.storeQueue)
        #expect(has(#"gatehouse_provider_in_flight{provider="plain"} 1"#))
        #expect(has(#"gatehouse_provider_in_flight{provider="other"} 0"#))
        #expect(has(#"gatehouse_store_waiting{store="postgresql"} 1"#))
        stay.end()
        wait.end()
        #expect(has(#"gatehouse_provider_in_flight{provider="plain"} 0"#))
        #expect(has(#"gatehouse_store_waiting{store="postgresql"} 0"#))
        #expect(has(#"gatehouse_store_queue_duration_seconds_count{store="postgresql"} 1"#))
    }

    @Test func `have each call by its provider, its step and its end`() {
        let observers = Observers([metrics])
        observers.begin(.providerCall(provider: "plain", kind: "token")).end()
        observers.begin(.providerCall(provider: "plain", kind: "token")).end(.failed("status_503"))
        do { _ = observers.begin(.providerCall(provider: "other", kind: "keys")) }
        // What is configured nowhere makes no series.
        observers.begin(.providerCall(provider: "stranger", kind: "token")).end()
        observers.begin(.providerCall(provider: "plain", kind: "stranger")).end()
        let count = "gatehouse_provider_request_duration_seconds_count"
        #expect(has(#"\#(count){provider="plain",step="token",result="ok"} 1"#))
        #expect(has(#"\#(count){provider="plain",step="token",result="failed"} 1"#))
        #expect(has(#"\#(count){provider="other",step="keys",result="abandoned"} 1"#))
        let text = String(decoding: Exposition.prometheus.text(metrics.readings()), as: UTF8.self)
        #expect(!text.contains("stranger"))
    }

    @Test func `have commits, by the conventional name too`() {
        let observers = Observers([metrics])
        observers.begin(.commit).end()
        observers.begin(.commit).end(.failed("full"))
        #expect(has(#"gatehouse_store_commit_duration_seconds_count{store="postgresql",result="ok"} 1"#))
        #expect(has(#"gatehouse_store_commit_duration_seconds_count{store="postgresql",result="failed"} 1"#))
        let labels = #"db_system_name="postgresql",db_operation_name="COMMIT",error_type="failed""#
        #expect(has(#"db_client_operation_duration_seconds_count{\#(labels)} 1"#))
    }

    @Test func `measure from the beginning of a step to its end`() {
        let began = MonotonicTime(nanoseconds: 1_000_000_000)
        metrics.ended(.commit, StepID.next(), .done, from: began, to: began + .milliseconds(3))
        let bucket = #"gatehouse_store_commit_duration_seconds_bucket{store="postgresql",result="ok",le="#
        #expect(has(#"\#(bucket)"0.002"} 0"#) && has(#"\#(bucket)"0.005"} 1"#))
        #expect(has(#"gatehouse_store_commit_duration_seconds_sum{store="postgresql",result="ok"} 0.003"#))
    }
}
