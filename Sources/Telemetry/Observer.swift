public import System

/// Hears of every step as it begins and as it ends: what counts and times is an observer.
///
/// It is called where the step happens, on a loop or on the store's thread, and must return at once. Each step that
/// has begun ends exactly once, also where a request is given up.
public protocol Observer: AnyObject, Sendable {
    /// Whether it hears of requests, too, of which there are many that have no other step. False costs these nothing.
    var hearsOfRequests: Bool { get }

    /// - Parameter parent: the step that this one is a part of; nil where that is not known.
    func began(_ step: Step, _ id: StepID, partOf parent: StepID?)

    func ended(_ step: Step, _ id: StepID, _ outcome: StepOutcome, from began: MonotonicTime, to end: MonotonicTime)
}

/// The observers of a process, and what traces. Without any, a step costs nothing but the question whether there are
/// some.
public struct Observers: Sendable {
    /// Nobody looks.
    public static let none = Observers([])

    /// One object, since these are handed on with every request.
    final class Parts: Sendable {
        let all: [any Observer]
        let ofRequests: [any Observer]
        let tracer: Tracer?

        init(_ all: [any Observer], _ tracer: Tracer?) {
            (self.all, self.tracer) = (all, tracer)
            ofRequests = all.filter(\.hearsOfRequests)
        }
    }

    /// Nil where nobody looks.
    private let parts: Parts?

    public init(_ all: [any Observer], tracer: Tracer? = nil) {
        parts = all.isEmpty && tracer == nil ? nil : Parts(all, tracer)
    }

    /// Nil where nothing is traced.
    public var tracer: Tracer? { parts?.tracer }

    /// These and another one.
    public func adding(_ observer: any Observer) -> Observers {
        Observers((parts?.all ?? []) + [observer], tracer: tracer)
    }

    /// Begins the step that a request is, and with it a trace.
    ///
    /// - Parameters:
    ///   - route: the operation's path, as the table has it.
    ///   - context: the trace that its sender has begun; asked for only where something is traced.
    public func beginRequest(_ route: StepName, from context: @autoclosure () -> TraceContext? = nil) -> OpenStep {
        guard let parts, parts.tracer != nil || !parts.ofRequests.isEmpty else { return OpenStep() }
        let id = StepID.next()
        return parts.open(
            .request(route: route), id, parts.tracer.map { .root($0.begin(id, from: context())) } ?? .untraced)
    }

    /// Begins a step that nobody waits for. What is left to do behind a request's answer goes into its trace.
    public func beginAlone(_ step: @autoclosure () -> Step) -> OpenStep {
        guard let parts else { return OpenStep() }
        let id = StepID.next()
        guard let tracer = parts.tracer else { return parts.open(step(), id, .untraced) }
        let trace =
            if let scope = StepScope.current, let known = scope.trace {
                tracer.begin(id, continuing: scope, of: known)
            } else {
                tracer.begin(id, from: nil)
            }
        return parts.open(step(), id, .root(trace))
    }

    /// Begins a step.
    ///
    /// - Parameters:
    ///   - parent: what it is a part of; nil: of the request that the task works for, where that is traced.
    ///   - unended: how it has ended where nobody says so and it is let go.
    public func begin(
        _ step: @autoclosure () -> Step, partOf parent: StepScope? = nil, unended: StepOutcome = .abandoned
    ) -> OpenStep {
        guard let parts else { return OpenStep() }
        guard parts.tracer != nil, let scope = parent ?? StepScope.current else {
            return parts.open(step(), .next(), .untraced, partOf: parent?.step, unended)
        }
        return parts.open(
            step(), .next(), scope.trace.map { .part(scope, of: $0) } ?? .untraced, partOf: scope.step, unended)
    }

    /// Begins a step that is one of several requests together.
    ///
    /// - Parameter scopes: those of them that are traced.
    public func begin(
        _ step: @autoclosure () -> Step, partOfEach scopes: [StepScope], unended: StepOutcome = .abandoned
    ) -> OpenStep {
        guard let parts else { return OpenStep() }
        return parts.open(step(), .next(), scopes.isEmpty ? .untraced : .shared(scopes), partOf: nil, unended)
    }

    /// Begins a step that is handed on to where it ends.
    ///
    /// - Parameter parent: as of ``begin(_:partOf:unended:)``.
    /// - Returns: nil where nobody looks.
    public func beginShared(_ step: @autoclosure () -> Step, partOf parent: StepScope? = nil) -> SharedStep? {
        guard let parts else { return nil }
        let scope = parent ?? (parts.tracer == nil ? nil : StepScope.current)
        return SharedStep(begin(step(), partOf: scope), of: scope)
    }
}

extension Observers.Parts {
    /// Who hears of a step: of a request only those who ask for that.
    func listening(to step: Step) -> [any Observer] {
        if case .request = step { ofRequests } else { all }
    }

    /// - Parameters:
    ///   - place: where it stands in a trace.
    ///   - unended: how it has ended where nobody says so.
    func open(
        _ step: Step, _ id: StepID, _ place: OpenStep.Place, partOf parent: StepID? = nil,
        _ unended: StepOutcome = .abandoned
    ) -> OpenStep {
        let beganAt = MonotonicTime.now
        for observer in listening(to: step) { observer.began(step, id, partOf: parent) }
        return OpenStep(
            OpenStep.Open(
                observers: self, step: step, id: id, beganAt: beganAt, unended: unended, place: place))
    }
}
