import HTTPServer
import Telemetry

/// How many connections the listeners have, and how many they refused.
struct ConnectionMetrics: MetricSource {
    private static let open = MetricFamily(.gauge, "gatehouse_http_connections", "Connections of clients.")
    private static let refused = MetricFamily(
        .counter, "gatehouse_http_connections_refused",
        "Connections that got no answer to what they asked: there were too many, or no descriptor was left.")

    /// By the name of the section that says where each listens.
    let listeners: [(name: String, server: HTTPServer)]

    func readings() -> [MetricReading] {
        [
            MetricReading(
                Self.open,
                listeners.map { MetricSample([("listener", $0.name)], Double($0.server.connectionCount)) }),
            MetricReading(
                Self.refused,
                listeners.flatMap { name, server in
                    server.refusalCounts.map { reason, count in
                        MetricSample([("listener", name), ("reason", reason.rawValue)], Double(count))
                    }
                }),
        ]
    }
}
