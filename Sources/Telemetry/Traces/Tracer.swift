import Synchronization
internal import System

/// Gathers what becomes of requests, and keeps the traces of those that were chosen, and of those in which something
/// failed or that took long, until somebody takes them away.
public final class Tracer: Sendable {
    /// What is kept, and how much of it.
    public struct Rules: Sendable, Equatable {
        public var sampler: Sampler
        /// From how long on a request is slow.
        public var slow: Duration
        /// How many spans may wait to be taken away; what comes beyond is dropped and counted.
        public var queueLimit: Int

        public init(sampler: Sampler = .standard, slow: Duration = .seconds(1), queueLimit: Int = 2048) {
            (self.sampler, self.slow, self.queueLimit) = (sampler, slow, queueLimit)
        }
    }

    private static let droppedFamily = MetricFamily(
        .counter, "gatehouse_spans_dropped", "Spans that were lost, since they were too many or nobody took them.")

    private let rules: Rules
    private let names: TraceNames
    private let queue = Mutex<[KeptSpan]>([])
    private let queued = Atomic(0)
    private let dropped = Atomic(0)

    public convenience init(_ rules: Rules) {
        var generator = SystemRandomNumberGenerator()
        self.init(rules, using: &generator)
    }

    /// - Parameter generator: for the names of traces and spans.
    public init(_ rules: Rules, using generator: inout some RandomNumberGenerator) {
        self.rules = rules
        names = TraceNames(using: &generator)
    }

    /// Begins a trace with its first step here.
    ///
    /// - Parameter context: the caller's; nil where the caller traces nothing that we believe.
    func begin(_ root: StepID, from context: TraceContext?) -> Trace {
        let id = context?.traceID ?? names.trace(beginningWith: root)
        return Trace(
            id, parent: context?.parentID, isSampled: rules.sampler.chooses(id, parent: context?.isSampled),
            state: context?.state, names: names)
    }

    /// Begins what goes on behind a request, in the same trace.
    func begin(_ root: StepID, continuing scope: StepScope, of trace: Trace) -> Trace {
        Trace(
            trace.id, parent: trace.name(of: scope.step), isSampled: trace.isSampled, state: trace.state, names: names)
    }

    /// Ends a trace, and keeps it where there is a reason to.
    func end(_ trace: Trace, _ root: Span) {
        let kept = trace.end(root) { hasFailure in
            trace.isSampled || hasFailure || root.isServerFailure || root.ended - root.began >= rules.slow
        }
        guard let (spans, missing) = kept else { return }
        let room = queue.withLock { queue in
            let room = min(spans.count, max(0, rules.queueLimit - queue.count))
            // The request's own span is the last, and the one that tells most.
            queue += spans.suffix(room).map { KeptSpan($0, trace) }
            queued.store(queue.count, ordering: .relaxed)
            return room
        }
        noteDropped(missing + spans.count - room)
    }

    /// How many spans wait.
    public var waiting: Int { queued.load(ordering: .relaxed) }

    /// Takes those away that have waited longest.
    public func take(_ limit: Int) -> [KeptSpan] {
        queue.withLock { queue in
            let taken = Array(queue.prefix(limit))
            queue.removeFirst(taken.count)
            queued.store(queue.count, ordering: .relaxed)
            return taken
        }
    }

    /// Takes those back that could not be delivered yet.
    public func giveBack(_ spans: [KeptSpan]) {
        queue.withLock { queue in
            queue.insert(contentsOf: spans, at: 0)
            queued.store(queue.count, ordering: .relaxed)
        }
    }

    /// Counts spans that are lost.
    public func noteDropped(_ count: Int) {
        if count > 0 { dropped.wrappingAdd(count, ordering: .relaxed) }
    }
}

extension Tracer: MetricSource {
    public func readings() -> [MetricReading] {
        [MetricReading(Self.droppedFamily, [MetricSample(Double(dropped.load(ordering: .relaxed)))])]
    }
}

/// A span of a trace that is kept.
public struct KeptSpan: Sendable {
    public let span: Span
    public let id: SpanID
    /// Nil for the first span of a trace.
    public let parent: SpanID?
    public let trace: Trace

    fileprivate init(_ span: Span, _ trace: Trace) {
        (self.span, self.trace) = (span, trace)
        id = trace.name(of: span.id)
        parent = span.parent.map(trace.name) ?? trace.parent
    }
}

extension Span {
    /// Whether it is a request that failed through no fault of its sender.
    fileprivate var isServerFailure: Bool {
        switch detail {
        case .request(let answer): answer.status >= 500
        // What nobody waits for has failed when it says so.
        default: if case .failed = outcome { true } else { false }
        }
    }
}
