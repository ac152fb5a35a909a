public import Providers
internal import System
public import Telemetry

/// What ``ServiceReadiness`` and providers tell of how it goes, for scrapers.
public struct HealthMetrics: MetricSource {
    private static let storeUp = MetricFamily(
        .gauge, "gatehouse_store_up", "1 while the store does what is asked of it, 0 while writes of it fail.")
    private static let circuit = MetricFamily(
        .gauge, "gatehouse_provider_circuit_state",
        "Of calls to a provider's host: 0 closed, 1 half open, 2 open, so that none is made.")

    private let readiness: ServiceReadiness
    private let providers: [Provider]

    public init(_ readiness: ServiceReadiness, _ providers: [Provider]) {
        self.readiness = readiness
        self.providers = providers
    }

    public func readings() -> [MetricReading] {
        let isUp = readiness.storeHealth(now: .now).state == .ok
        let circuits = providers.flatMap { provider in
            provider.circuits.conditions().map { host, condition in
                MetricSample(
                    [("provider", provider.configuration.name), ("host", host)], Self.number(of: condition))
            }
        }
        return [
            MetricReading(Self.storeUp, [MetricSample(isUp ? 1 : 0)]), MetricReading(Self.circuit, circuits),
        ]
    }

    private static func number(of condition: CircuitBreaker.Condition) -> Double {
        switch condition {
        case .closed: 0
        case .halfOpen: 1
        case .open: 2
        }
    }
}
