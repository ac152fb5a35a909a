public import System

/// What providers are called for, the store's queue and its commits, as metrics. Requests are counted where they are
/// answered (`RequestCounts`).
public final class StepMetrics: Observer, MetricSource {
    private static let calls = MetricFamily(
        .histogram, "gatehouse_provider_request_duration_seconds", unit: "seconds",
        "Calls to a provider, with all their tries.")
    private static let inFlight = MetricFamily(
        .gauge, "gatehouse_provider_in_flight", "Sign-ins that hold a place at a provider.")
    private static let queue = MetricFamily(
        .histogram, "gatehouse_store_queue_duration_seconds", unit: "seconds",
        "Waits for the store: for a turn, a connection or a thread.")
    private static let waiting = MetricFamily(.gauge, "gatehouse_store_waiting", "Who waits for the store.")
    private static let commits = MetricFamily(
        .histogram, "gatehouse_store_commit_duration_seconds", unit: "seconds", "Commits, with their syncs to disk.")
    private static let operations = MetricFamily(
        .histogram, "db_client_operation_duration_seconds", unit: "seconds",
        "The same by OpenTelemetry's conventions.")

    private static let results = ["ok", "failed", "abandoned"]
    private static let callBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    /// OpenTelemetry's for databases, and some between.
    private static let storeBounds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
    private static let conventionalStoreBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

    private final class OfProvider: Sendable {
        let name: StepName
        let inFlight = LoopCount()
        /// By the place of the step, and of the result.
        let durations: [[LoopHistogram]]

        init(_ name: StepName, steps: Int) {
            self.name = name
            durations = (0..<steps).map { _ in
                StepMetrics.results.map { _ in LoopHistogram(seconds: StepMetrics.callBounds) }
            }
        }
    }

    private let store: String
    private let steps: [StepName]
    /// There are few, so that going through them is faster than a hash.
    private let providers: [OfProvider]
    private let queued = LoopHistogram(seconds: StepMetrics.storeBounds)
    private let waitingNow = LoopCount()
    private let committed = StepMetrics.results.map { _ in LoopHistogram(seconds: StepMetrics.storeBounds) }

    public let hearsOfRequests = false

    /// - Parameters:
    ///   - providers: the names of all that are configured.
    ///   - steps: what providers are called for.
    ///   - store: what the store is, `sqlite` or `postgresql`.
    public init(providers: [String], steps: [StepName], store: String) {
        (self.store, self.steps) = (store, steps)
        self.providers = providers.sorted().map { OfProvider(StepName($0), steps: steps.count) }
    }

    public func began(_ step: Step, _ id: StepID, partOf parent: StepID?) {
        switch step {
        case .bulkhead(let provider): counts(of: provider)?.inFlight.addShared()
        case .storeQueue: waitingNow.addShared()
        case .request, .providerCall, .commit, .hashing, .delivery: break
        }
    }

    public func ended(
        _ step: Step, _ id: StepID, _ outcome: StepOutcome, from began: MonotonicTime, to end: MonotonicTime
    ) {
        let nanoseconds = end.nanoseconds &- began.nanoseconds
        switch step {
        case .bulkhead(let provider): counts(of: provider)?.inFlight.addShared(-1)
        case .providerCall(let provider, let kind):
            guard let counts = counts(of: provider), let place = steps.firstIndex(of: kind) else { return }
            counts.durations[place][Self.place(of: outcome)].addShared(nanoseconds)
        case .storeQueue:
            waitingNow.addShared(-1)
            queued.addShared(nanoseconds)
        case .commit: committed[Self.place(of: outcome)].addShared(nanoseconds)
        case .request, .hashing, .delivery: break
        }
    }

    private func counts(of provider: StepName) -> OfProvider? {
        for counts in providers where counts.name == provider { return counts }
        return nil
    }

    private static func place(of outcome: StepOutcome) -> Int {
        switch outcome {
        case .done: 0
        case .failed: 1
        case .abandoned: 2
        }
    }

    public func readings() -> [MetricReading] {
        var calls: [MetricSample] = []
        var inFlight: [MetricSample] = []
        for counts in providers {
            inFlight.append(MetricSample([("provider", counts.name.text)], Double(counts.inFlight.total)))
            for (step, ofStep) in zip(steps, counts.durations) {
                for (result, reading) in zip(Self.results, ofStep.map(\.reading)) where !reading.isEmpty {
                    calls.append(
                        MetricSample(
                            [("provider", counts.name.text), ("step", step.text), ("result", result)],
                            .histogram(reading)))
                }
            }
        }
        let commits = committed.map(\.reading)
        var ofCommits: [MetricSample] = []
        var conventional: [MetricSample] = []
        for (result, reading) in zip(Self.results, commits) where !reading.isEmpty {
            ofCommits.append(MetricSample([("store", store), ("result", result)], .histogram(reading)))
            conventional.append(
                MetricSample(
                    [
                        ("db_system_name", store), ("db_operation_name", "COMMIT"),
                        ("error_type", result == "ok" ? "" : result),
                    ],
                    .histogram(reading.coarser(Self.conventionalStoreBounds))))
        }
        return [
            MetricReading(Self.calls, calls), MetricReading(Self.inFlight, inFlight),
            MetricReading(Self.queue, [MetricSample([("store", store)], .histogram(queued.reading))]),
            MetricReading(Self.waiting, [MetricSample([("store", store)], Double(waitingNow.total))]),
            MetricReading(Self.commits, ofCommits), MetricReading(Self.operations, conventional),
        ]
    }
}
