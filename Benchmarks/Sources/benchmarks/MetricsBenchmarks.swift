internal import System
internal import Telemetry

/// What a scrape costs.
enum MetricsBenchmarks {
    private static let leastSeries = 2000
    private static let providers = (0..<7).map { "provider-\($0)" }
    private static let steps: [StepName] = ["discovery", "keys", "token", "userinfo", "push", "revoke"]

    /// The metrics of a server with seven providers, each of which has been called for everything, and failed in it.
    static var all: [Benchmark] {
        let registry = MetricRegistry()
        let metrics = StepMetrics(providers: providers, steps: steps, store: "sqlite")
        registry.add(metrics)
        for provider in providers {
            for kind in steps {
                for outcome in [StepOutcome.done, .failed("status_503"), .abandoned] {
                    let step = Observers([metrics]).begin(.providerCall(provider: StepName(provider), kind: kind))
                    step.end(outcome)
                }
            }
        }
        return [
            Benchmark("scrape-2000-series", rounds: 50) {
                let text = Exposition.prometheus.text(registry.readings())
                let series = text.count { $0 == UInt8(ascii: "\n") } - text.count { $0 == UInt8(ascii: "#") }
                require(series >= leastSeries, "there are so many series")
            }
        ]
    }
}
