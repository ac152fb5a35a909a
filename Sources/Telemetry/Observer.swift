public import System

/// Hears of every step as it begins and as it ends: what counts, times and traces is an observer.
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

/// The observers of a process. Without any, a step costs nothing but the question whether there are some.
public struct Observers: Sendable {
    /// Nobody looks.
    public static let none = Observers([])

    private let all: [any Observer]
    private let ofRequests: [any Observer]

    public init(_ all: [any Observer]) {
        self.all = all
        ofRequests = all.filter(\.hearsOfRequests)
    }

    /// These and another one.
    public func adding(_ observer: any Observer) -> Observers { Observers(all + [observer]) }

    /// Begins the step that a request is.
    ///
    /// - Parameter route: the operation's path, as the table has it.
    public func beginRequest(_ route: String) -> OpenStep {
        Self.open(ofRequests, .request(route: route), partOf: nil, unended: .abandoned)
    }

    /// Begins a step.
    ///
    /// - Parameters:
    ///   - parent: what it is a part of.
    ///   - unended: how it has ended where nobody says so and it is let go.
    public func begin(
        _ step: @autoclosure () -> Step, partOf parent: StepID? = nil, unended: StepOutcome = .abandoned
    ) -> OpenStep {
        Self.open(all, step(), partOf: parent, unended: unended)
    }

    private static func open(
        _ observers: [any Observer], _ step: @autoclosure () -> Step, partOf parent: StepID?, unended: StepOutcome
    ) -> OpenStep {
        if observers.isEmpty { return OpenStep() }
        let open = OpenStep.Open(
            observers: observers, step: step(), id: StepID.next(), beganAt: .now, unended: unended)
        for observer in observers { observer.began(open.step, open.id, partOf: parent) }
        return OpenStep(open)
    }

    /// Begins a step that is handed on to where it ends.
    ///
    /// - Parameter parent: what it is a part of.
    /// - Returns: nil where nobody looks.
    public func beginShared(_ step: @autoclosure () -> Step, partOf parent: StepID? = nil) -> SharedStep? {
        let open = begin(step(), partOf: parent)
        return open.id == nil ? nil : SharedStep(open)
    }
}

/// A step that has begun and not ended yet.
public struct OpenStep: ~Copyable, Sendable {
    fileprivate struct Open: Sendable {
        let observers: [any Observer]
        let step: Step
        let id: StepID
        let beganAt: MonotonicTime
        let unended: StepOutcome

        func end(_ outcome: StepOutcome) {
            let now = MonotonicTime.now
            for observer in observers { observer.ended(step, id, outcome, from: beganAt, to: now) }
        }
    }

    /// nil where nobody looks, and once it has ended.
    private var open: Open?

    /// Nil where nobody looks.
    public var id: StepID? { open?.id }

    fileprivate init(_ open: Open? = nil) {
        self.open = open
    }

    public consuming func end(_ outcome: StepOutcome = .done) {
        open?.end(outcome)
        open = nil
    }

    deinit {
        if let open { open.end(open.unended) }
    }
}
