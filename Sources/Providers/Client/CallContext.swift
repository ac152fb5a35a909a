import Synchronization
public import Telemetry

/// What travels with a request, or with work of our own, from the one who asks to the provider that is called: who
/// hears of its steps, what the sign-in is called in logs, and what went wrong on the way.
///
/// Where failures of many kinds become one answer, the person who is woken still has to know which host failed, and
/// how.
public final class CallContext: Sendable {
    /// What is known of a call to a provider that came to nothing, beside the error: for the log, and never for an app.
    public struct Facts: Sendable, Equatable {
        public let step: ProviderProblem.Step
        public let failure: ProviderCallError
        /// Whom the call was for; nil where the failure is remembered from another sign-in's call.
        public let host: String?
        /// The provider's own words.
        public let words: ProviderWords?
        /// What the operator does about it, where the table of the provider's words has that.
        public let remedy: String?
    }

    private struct State {
        var correlationID: String?
        var facts: Facts?
        var refused: [PortTokenError] = []
        var publishedKeysAt: String?
        var mustFinish = false
        var told: PrintableName?
        var found: String?
    }

    /// Hear of every step.
    public let observers: Observers
    /// What all steps are a part of; nil where there is nothing, or nobody looks.
    public let scope: StepScope?
    private let state = Mutex(State())

    public init(_ observers: Observers, partOf scope: StepScope?) {
        (self.observers, self.scope) = (observers, scope)
    }

    /// Begins a step on the way.
    public func begin(_ step: @autoclosure () -> Step, unended: StepOutcome = .abandoned) -> OpenStep {
        observers.begin(step(), partOf: scope, unended: unended)
    }

    /// The caller's own name for the sign-in, checked to be harmless; providers and the log get it.
    public var correlationID: String? {
        get { state.withLock(\.correlationID) }
        set { state.withLock { $0.correlationID = newValue } }
    }

    /// Whether a code is with the provider: what belongs to it is done whether anybody waits for it still or not, since
    /// nobody can send the code again.
    public var mustFinish: Bool {
        get { state.withLock(\.mustFinish) }
        set { state.withLock { $0.mustFinish = newValue } }
    }

    /// Of the last call that came to nothing.
    public var facts: Facts? { state.withLock(\.facts) }
    /// Why port tokens proved nothing, whatever became of the sign-in.
    public var refusedPortTokens: [PortTokenError] { state.withLock(\.refused) }

    public func note(refused refusals: [PortTokenError]) {
        if !refusals.isEmpty { state.withLock { $0.refused += refusals } }
    }

    /// The host that publishes the private half of the key by which something seems to be signed; nil where none was
    /// met.
    public var publishedKeysAt: String? { state.withLock(\.publishedKeysAt) }

    /// What the provider's authorization response called its refusal; nil where it was none.
    public var told: PrintableName? { state.withLock(\.told) }

    public func note(told: PrintableName) { state.withLock { $0.told = told } }

    /// What was found where a rule was broken, beside what was expected, for the log; nil where none was.
    public var found: String? { state.withLock(\.found) }

    public func note(found: String) { state.withLock { $0.found = found } }

    func note(publishedKeysAt host: String) { state.withLock { $0.publishedKeysAt = host } }

    func note(
        _ step: ProviderProblem.Step, _ failure: ProviderCallError, host: String?, words: ProviderWords? = nil,
        remedy: String? = nil
    ) {
        state.withLock {
            $0.facts = Facts(step: step, failure: failure, host: host, words: words, remedy: remedy)
        }
    }
}
