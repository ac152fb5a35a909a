internal import System

/// A step that has begun and not ended yet.
public struct OpenStep: ~Copyable, Sendable {
    /// What a step is a part of.
    enum Place: Sendable {
        /// Nothing that is traced.
        case untraced
        /// Nothing: it is a request, or what nobody waits for.
        case root(Trace)
        case part(StepScope, of: Trace)
        /// Several requests.
        case shared([StepScope])
    }

    struct Open: ~Copyable, Sendable {
        let observers: Observers.Parts
        let step: Step
        let id: StepID
        let beganAt: MonotonicTime
        let unended: StepOutcome
        let place: Place

        var trace: Trace? {
            switch place {
            case .root(let trace), .part(_, of: let trace): trace
            case .untraced, .shared: nil
            }
        }

        var isTraced: Bool { if case .untraced = place { false } else { true } }

        func end(_ outcome: StepOutcome, _ detail: SpanDetail?) {
            let now = MonotonicTime.now
            for observer in observers.listening(to: step) { observer.ended(step, id, outcome, from: beganAt, to: now) }
            func span(_ id: StepID, in parent: StepID?) -> Span {
                Span(
                    step: step, id: id, parent: parent, outcome: outcome, began: beganAt, ended: now, detail: detail)
            }
            switch place {
            case .untraced: break
            case .root(let trace): observers.tracer?.end(trace, span(id, in: nil))
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
        case .some(let open): StepScope(step: open.id, trace: open.trace)
        case .none: nil
        }
    }

    /// Whether anybody wants to be told of it beside how it ended.
    public var isTraced: Bool {
        switch open {
        case .some(let open): open.isTraced
        case .none: false
        }
    }

    /// - Parameter detail: what is told of it beside how it ended; asked for only where it is traced.
    public consuming func end(_ outcome: StepOutcome = .done, _ detail: @autoclosure () -> SpanDetail? = nil) {
        if let open = open.take() { open.end(outcome, open.isTraced ? detail() : nil) }
    }

    deinit {
        switch open {
        case .some(let open): open.end(open.unended, nil)
        case .none: break
        }
    }
}
