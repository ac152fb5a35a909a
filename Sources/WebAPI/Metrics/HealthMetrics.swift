public import Providers
public import System
public import Telemetry

/// What ``ServiceReadiness`` and providers tell of how it goes, for scrapers.
public struct HealthMetrics: MetricSource {
    private static let storeUp = MetricFamily(
        .gauge, "gatehouse_store_up", "1 while the store does what is asked of it, 0 while writes of it fail.")
    private static let circuit = MetricFamily(
        .gauge, "gatehouse_provider_circuit_state",
        "Of calls to a provider's host: 0 closed, 1 half open, 2 open, so that none is made.")

    private static let clockOffset = MetricFamily(
        .gauge, "gatehouse_provider_clock_offset_seconds", unit: "seconds",
        "How far a provider's clock is ahead of ours, as its documents tell.")

    private static let refetches = MetricFamily(
        .counter, "gatehouse_provider_key_refetches",
        "Fetches of a provider's keys because those at hand did not verify a token.")

    private let readiness: ServiceReadiness
    private let providers: [Provider]
    private let clock: Clock

    public init(_ readiness: ServiceReadiness, _ providers: [Provider], _ clock: Clock) {
        (self.readiness, self.providers, self.clock) = (readiness, providers, clock)
    }

    public func readings() -> [MetricReading] {
        let isUp = readiness.storeHealth(now: .now).state == .ok
        let circuits = providers.flatMap { provider in
            provider.circuits.conditions().map { host, condition in
                MetricSample(
                    [("provider", provider.configuration.name), ("host", host)], Self.number(of: condition))
            }
        }
        let offsets = providers.compactMap { provider in
            provider.clock.offset(now: clock.seconds).map {
                MetricSample([("provider", provider.configuration.name)], Double($0))
            }
        }
        let refetches = providers.map { provider in
            MetricSample([("provider", provider.configuration.name)], Double(provider.keyRefetches.total))
        }
        return [
            MetricReading(Self.clockOffset, offsets), MetricReading(Self.refetches, refetches),
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
