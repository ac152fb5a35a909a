internal import Synchronization
internal import System

/// A step that has begun and not ended yet.
public struct OpenStep: ~Copyable, Sendable {
    /// What is kept of a step where it is traced. A step that is not has no room for it.
    final class Traced: Sendable {
        /// What a step is a part of.
        enum Place: Sendable {
            /// Nothing: it is a request, or what nobody waits for.
            case root(Trace)
            case part(StepScope, of: Trace)
            /// Several requests.
            case shared([StepScope])
        }

        let place: Place
        /// What is told of it beside how it ended.
        let detail = Mutex<SpanDetail?>(nil)

        init(_ place: Place) {
            self.place = place
        }

        var trace: Trace? {
            switch place {
            case .root(let trace), .part(_, of: let trace): trace
            case .shared: nil
            }
        }
    }

    struct Open: ~Copyable, Sendable {
        let observers: Observers.Parts
        let step: Step
        let id: StepID
        let beganAt: MonotonicTime
        let unended: StepOutcome
        let traced: Traced?

        func end(_ outcome: StepOutcome) {
            let now = MonotonicTime.now
            for observer in observers.listening(to: step) { observer.ended(step, id, outcome, from: beganAt, to: now) }
            guard let traced, let tracer = observers.tracer else { return }
            let detail = traced.detail.withLock(\.self)
            func span(_ id: StepID, in parent: StepID?) -> Span {
                Span(
                    step: step, id: id, parent: parent, outcome: outcome, began: beganAt, ended: now, detail: detail)
            }
            switch traced.place {
            case .root(let trace): tracer.end(trace, span(id, in: nil))
            case .part(let scope, of: let trace): trace.add(span(id, in: scope.step))
            // In each request it is a span of its own: no two have one name.
            case .shared(let scopes): for scope in scopes { scope.trace?.add(span(.next(), in: scope.step)) }
            }
        }
    }

    /// nil where nobody looks, and once it has ended.
    private var open: Open?

    init(_ open: consuming Open? = nil) {
        self.open = open
    }

    /// What steps within it are a part of; nil where nobody looks.
    public var scope: StepScope? {
        switch open {
        case .some(let open): StepScope(step: open.id, trace: open.traced?.trace)
        case .none: nil
        }
    }

    /// Whether anybody wants to be told of it beside how it ended.
    public var isTraced: Bool { traced != nil }

    private var traced: Traced? {
        switch open {
        case .some(let open): open.traced
        case .none: nil
        }
    }

    /// Tells of it beside how it ends. The last word counts.
    public func describe(_ detail: @autoclosure () -> SpanDetail) {
        guard let traced else { return }
        let detail = detail()
        traced.detail.withLock { $0 = detail }
    }

    public consuming func end(_ outcome: StepOutcome = .done) {
        if let open = open.take() { open.end(outcome) }
    }

    deinit {
        switch open {
        case .some(let open): open.end(open.unended)
        case .none: break
        }
    }
}
