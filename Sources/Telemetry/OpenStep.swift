internal import System

/// A step that has begun and not ended yet.
public struct OpenStep: ~Copyable, Sendable {
    /// What a step is a part of.
    enum Place: Sendable {
        /// Nothing: it is a request, or what nobody waits for.
        case root(Trace?)
        case part(StepScope?)
        /// Several requests.
        case shared([StepScope])
    }

    struct Open: Sendable {
        let observers: Observers.Parts
        let step: Step
        let id: StepID
        let place: Place
        let beganAt: MonotonicTime
        let unended: StepOutcome

        /// Who hears of it: a request is told to those alone who ask for that.
        var listening: [any Observer] {
            if case .request = step { observers.ofRequests } else { observers.all }
        }

        var parent: StepID? {
            if case .part(let scope?) = place { scope.step } else { nil }
        }

        var trace: Trace? {
            switch place {
            case .root(let trace): trace
            case .part(let scope): scope?.trace
            case .shared: nil
            }
        }

        func end(_ outcome: StepOutcome, _ detail: SpanDetail?) {
            let now = MonotonicTime.now
            for observer in listening { observer.ended(step, id, outcome, from: beganAt, to: now) }
            guard let tracer = observers.tracer else { return }
            func span(_ id: StepID, in parent: StepID?) -> Span {
                Span(
                    step: step, id: id, parent: parent, outcome: outcome, began: beganAt, ended: now, detail: detail)
            }
            switch place {
            case .root(let trace): if let trace { tracer.end(trace, span(id, in: nil)) }
            case .part(let scope): scope?.trace?.add(span(id, in: scope?.step))
            // In each request it is a span of its own: no two have one name.
            case .shared(let scopes): for scope in scopes { scope.trace?.add(span(.next(), in: scope.step)) }
            }
        }
    }

    /// nil where nobody looks, and once it has ended.
    private var open: Open?
    /// What is told of it beside how it ended.
    private var detail: SpanDetail?

    init(_ open: Open? = nil) {
        self.open = open
    }

    /// What steps within it are a part of; nil where nobody looks.
    public var scope: StepScope? { open.map { StepScope(step: $0.id, trace: $0.trace) } }

    /// Whether anybody wants to be told of it beside how it ended.
    public var isTraced: Bool {
        guard let open else { return false }
        if case .shared(let scopes) = open.place { return !scopes.isEmpty }
        return open.trace != nil
    }

    /// Tells of it beside how it ends. The last word counts.
    public mutating func describe(_ detail: @autoclosure () -> SpanDetail) {
        if isTraced { self.detail = detail() }
    }

    public consuming func end(_ outcome: StepOutcome = .done) {
        open?.end(outcome, detail)
        open = nil
    }

    deinit {
        if let open { open.end(open.unended, detail) }
    }
}
