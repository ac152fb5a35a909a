internal import HTTPServer
internal import Synchronization
internal import System
internal import Telemetry

/// The requests of one operation on one loop, by the status of their answers.
///
/// A status costs memory once it was answered. Another thread may read while the loop counts.
final class RouteCounts: Sendable {
    /// Those of OpenTelemetry's conventions, and ours, which begin at a millisecond.
    static let conventional = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    private static let bounds = [0.001, 0.0025] + conventional
    private static let statuses = 100..<600

    private final class Slot: Sendable {
        let histogram = AtomicLazyReference<LoopHistogram>()
    }

    let route: String
    /// The route as a step.
    let step: StepName
    let method: String
    /// Of the status that nearly every answer has, which is found without a look.
    private let ok = LoopHistogram(seconds: RouteCounts.bounds)
    private let slots: [Slot]

    /// - Parameter method: of the operation; `_OTHER` where there is none.
    init(route: String, method: String) {
        self.route = route
        step = StepName(route)
        self.method = method
        slots = Self.slotStatuses.map { _ in Slot() }
    }

    /// Every status that has words, and last the place of all others.
    private static let slotStatuses = statuses.filter { $0 != 200 && !HTTPStatus($0).reasonPhrase.isEmpty } + [0]
    private static let slotOf: [UInt8] = statuses.map { status in
        UInt8(slotStatuses.firstIndex(of: status) ?? slotStatuses.count - 1)
    }

    /// By the loop whose counts these are.
    ///
    /// - Parameter trace: that of the request; nil for none.
    func count(_ request: HTTPRequest, _ response: HTTPResponse, _ trace: Trace? = nil) {
        let nanoseconds = MonotonicTime.now.nanoseconds &- request.receivedAt.nanoseconds
        if response.status == .ok { return ok.add(nanoseconds, in: trace) }
        histogram(of: response.status.code)?.add(nanoseconds, in: trace)
    }

    private func histogram(of status: Int) -> LoopHistogram? {
        guard Self.statuses.contains(status) else { return nil }
        let slot = slots[Int(Self.slotOf[status - Self.statuses.lowerBound])]
        return slot.histogram.load() ?? slot.histogram.storeIfNil(LoopHistogram(seconds: Self.bounds))
    }

    /// What was answered so far, by status.
    var readings: [(status: String, durations: HistogramCounts)] {
        let ok = ok.reading
        let others = zip(Self.slotStatuses, slots).compactMap { status, slot in
            slot.histogram.load().map { (status: status == 0 ? "other" : "\(status)", durations: $0.reading) }
        }
        return (ok.counts.contains { $0 > 0 } ? [(status: "200", durations: ok)] : []) + others
    }
}

/// What the requests of one API on one loop are told by.
final class RequestCounts: MetricSource, Sendable {
    private static let requests = MetricFamily(.counter, "gatehouse_http_requests", "Requests that were answered.")
    private static let durations = MetricFamily(
        .histogram, "gatehouse_http_request_duration_seconds", unit: "seconds",
        "From when a request was read until its answer was made.")
    private static let conventional = MetricFamily(
        .histogram, "http_server_request_duration_seconds", unit: "seconds",
        "The same by OpenTelemetry's conventions.")

    private let routes: [RouteCounts]

    init(_ routes: [RouteCounts]) {
        self.routes = routes
    }

    func readings() -> [MetricReading] {
        var requests: [MetricSample] = []
        var durations: [MetricSample] = []
        var conventional: [MetricSample] = []
        for route in routes {
            for (status, counts) in route.readings {
                let labels = [("route", route.route), ("method", route.method), ("status", status)]
                requests.append(MetricSample(labels, Double(counts.counts.reduce(0, +))))
                durations.append(MetricSample([("route", route.route)], .histogram(counts)))
                conventional.append(
                    MetricSample(
                        [
                            ("http_request_method", route.method), ("http_route", route.route),
                            ("http_response_status_code", status), ("url_scheme", "http"),
                        ], .histogram(counts.coarser(RouteCounts.conventional))))
            }
        }
        return [
            MetricReading(Self.requests, requests), MetricReading(Self.durations, durations),
            MetricReading(Self.conventional, conventional),
        ]
    }
}
