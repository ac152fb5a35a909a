import Synchronization
import System

/// What becomes of one request, step by step, until it is decided whether that is kept.
///
/// Steps end on several threads. What ends after the request has its answer is no part of it any more.
public final class Trace: Sendable {
    private struct State {
        var spans: [Span] = []
        var hasFailure = false
        var missing = 0
        var isOver = false
    }

    /// The most steps that are kept of one request. None has so many, unless something goes round in circles.
    static let maximumSpans = 128
    /// Of a sign-in, with a few to spare.
    private static let usualSpans = 8

    public let id: TraceID
    /// Whether it was chosen as it began. Who calls and who is called are told, so that they choose the same.
    public let isSampled: Bool
    /// What others on the way have noted for themselves.
    public let state: String?
    /// The sender's span; nil where the request came with none.
    let parent: SpanID?
    private let names: TraceNames
    private let spans = Mutex(State())
    private let kept = Atomic(false)

    init(_ id: TraceID, parent: SpanID?, isSampled: Bool, state: String?, names: TraceNames) {
        (self.id, self.parent, self.isSampled, self.state, self.names) = (id, parent, isSampled, state, names)
    }

    /// What a step is called towards others.
    func name(of step: StepID) -> SpanID { names.span(of: step) }

    /// Whether it was kept, once the request has its answer.
    public var isKept: Bool { kept.load(ordering: .relaxed) }

    /// What a service that is called for a step is told in `traceparent` (W3C Trace Context §3.2).
    public func traceparent(from step: StepID) -> String {
        "00-\(id.text)-\(name(of: step).text)-\(isSampled ? "01" : "00")"
    }

    func add(_ span: Span) {
        spans.withLock { state in
            guard !state.isOver else { return }
            if case .failed = span.outcome { state.hasFailure = true }
            guard state.spans.count < Self.maximumSpans else { return state.missing += 1 }
            if state.spans.isEmpty { state.spans.reserveCapacity(Self.usualSpans) }
            state.spans.append(span)
        }
    }

    /// Ends it with the span of the request itself.
    ///
    /// - Parameter keeps: decides whether it is kept, by whether any step of it has failed.
    /// - Returns: all spans, and how many were too many; nil where it is not kept.
    func end(_ root: Span, keeps: (_ hasFailure: Bool) -> Bool) -> (spans: [Span], missing: Int)? {
        let state = spans.withLock { state in
            defer { state = State(isOver: true) }
            return state
        }
        guard keeps(state.hasFailure) else { return nil }
        kept.store(true, ordering: .relaxed)
        return (state.spans + [root], state.missing)
    }
}

/// Where a step stands: which step it is, and the trace that it is a part of; nil where nothing is traced.
public struct StepScope: Sendable {
    /// That of the request which the task works for, for what is reached by ways that hand on no context, such as the
    /// store. It is bound only where there is a trace.
    @TaskLocal public static var current: StepScope?

    public let step: StepID
    public let trace: Trace?

    /// What a service that is called as a part of the step is told; nil where nothing is traced.
    public var traceparent: String? { trace?.traceparent(from: step) }
}
