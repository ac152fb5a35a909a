import Accounts
import Synchronization
import System
import Telemetry

/// What is asked of the store now and then for the sake of being told: how long it takes to answer a statement that
/// reads nothing, and what waits in it for providers.
final class StoreMetrics: MetricSource {
    private static let roundTrip = MetricFamily(
        .histogram, "gatehouse_store_round_trip_seconds", unit: "seconds",
        "A statement that reads nothing, every five seconds.")
    private static let pending = MetricFamily(
        .gauge, "gatehouse_outbox_pending", "What waits to be told to providers.")
    private static let oldest = MetricFamily(
        .gauge, "gatehouse_outbox_oldest_seconds", unit: "seconds", "How long the oldest of that has waited.")
    private static let refreshes = MetricFamily(
        .counter, "gatehouse_vault_refreshes", "Refreshes of providers' tokens that are kept, of all instances.")
    private static let connections = MetricFamily(
        .gauge, "gatehouse_store_connections", "Connections to a database server, every five seconds.")
    private static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

    private let store: String
    private let roundTrips = LoopHistogram(seconds: StoreMetrics.bounds)
    private let waiting = Mutex<(pending: Int, oldestSeconds: Int64)?>(nil)
    private let grants = Mutex<GrantCounts?>(nil)
    private let connections = Mutex<(serving: Int, connecting: Int)?>(nil)

    /// - Parameter store: what the store is.
    init(store: String) {
        self.store = store
    }

    /// Measures what a look at the store's clock takes.
    func look(_ look: () async throws(RepositoryError) -> Void) async throws(RepositoryError) {
        let began = MonotonicTime.now
        try await look()
        roundTrips.addShared(MonotonicTime.now.nanoseconds - began.nanoseconds)
    }

    func note(pending: Int, oldestSeconds: Int64, _ counts: GrantCounts) {
        waiting.withLock { $0 = (pending, oldestSeconds) }
        grants.withLock { $0 = counts }
    }

    func note(_ counts: (serving: Int, connecting: Int)) {
        connections.withLock { $0 = counts }
    }

    func readings() -> [MetricReading] {
        let connections = connections.withLock(\.self)
        let waiting = waiting.withLock(\.self)
        let grants = grants.withLock(\.self)
        return [
            MetricReading(Self.roundTrip, [MetricSample([("store", store)], .histogram(roundTrips.reading))]),
            MetricReading(
                Self.connections,
                connections.map {
                    [
                        MetricSample([("store", store), ("state", "serving")], Double($0.serving)),
                        MetricSample([("store", store), ("state", "connecting")], Double($0.connecting)),
                    ]
                } ?? []),
            MetricReading(Self.pending, waiting.map { [MetricSample(Double($0.pending))] } ?? []),
            MetricReading(Self.oldest, waiting.map { [MetricSample(Double($0.oldestSeconds))] } ?? []),
            MetricReading(
                Self.refreshes,
                grants.map {
                    [
                        MetricSample([("result", "ok")], Double($0.refreshes)),
                        MetricSample([("result", "failed")], Double($0.failures)),
                    ]
                } ?? []),
        ]
    }
}
