import EventLoop
import Synchronization
import System
import Telemetry

/// How soon the loops take up work, and how much of their time they work.
final class LoopMetrics: MetricSource {
    private static let lag = MetricFamily(
        .histogram, "gatehouse_event_loop_lag_seconds", unit: "seconds",
        "How long a job has waited for its loop, asked once a second.")
    private static let utilization = MetricFamily(
        .gauge, "gatehouse_event_loop_utilization_ratio", unit: "ratio",
        "Which part of the last seconds the loop has worked.")
    private static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

    private final class OfLoop: Sendable {
        let loop: EventLoop
        let lag = LoopHistogram(seconds: LoopMetrics.bounds)
        let last = Mutex<(processor: Int64, at: MonotonicTime)?>(nil)
        let utilization = Mutex<Double>(0)

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        func look() {
            let sent = MonotonicTime.now
            // A loop that is stuck holds up nobody here: the job waits as long as all others.
            Task(executorPreference: loop) { [lag] in lag.add(MonotonicTime.now.nanoseconds - sent.nanoseconds) }
            guard let processor = loop.processorNanoseconds else { return }
            let before = last.withLock { last in
                defer { last = (processor, sent) }
                return last
            }
            guard let before, sent > before.at else { return }
            let ratio = Double(processor - before.processor) / Double(sent.nanoseconds - before.at.nanoseconds)
            utilization.withLock { $0 = min(1, max(0, ratio)) }
        }
    }

    private let loops: [OfLoop]

    init(_ loops: [EventLoop]) {
        self.loops = loops.map(OfLoop.init)
    }

    func look() {
        for loop in loops { loop.look() }
    }

    func readings() -> [MetricReading] {
        let names = loops.indices.map { [(name: "loop", value: "\($0)")] }
        return [
            MetricReading(
                Self.lag, zip(names, loops).map { MetricSample($0, .histogram($1.lag.reading)) }),
            MetricReading(
                Self.utilization, zip(names, loops).map { MetricSample($0, $1.utilization.withLock(\.self)) }),
        ]
    }
}
