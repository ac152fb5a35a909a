public import System

/// Keeps calls from a provider that fails every one of them, and tries it again one call at a time.
///
/// A value with three states: closed, every call goes out; open, none does until a pause is over; half open, one call is
/// the probe, and what becomes of it closes or opens the circuit. Each failed probe doubles the pause.
public struct CircuitBreaker: Sendable {
    /// When a circuit opens and for how long.
    public struct Limits: Sendable {
        /// How many calls in a row must fail.
        public var failures: Int
        public var firstPause: Duration
        public var longestPause: Duration
        /// After how long a probe that was never reported counts as lost, and another may go.
        public var probeLifetime: Duration

        public init(failures: Int, firstPause: Duration, longestPause: Duration, probeLifetime: Duration) {
            self.failures = failures
            self.firstPause = firstPause
            self.longestPause = longestPause
            self.probeLifetime = probeLifetime
        }

        /// Twenty failures in a row are no accident; a carrier that comes back is found within a minute at most.
        public static let standard = Limits(
            failures: 20, firstPause: .seconds(1), longestPause: .seconds(60), probeLifetime: .seconds(30))
    }

    private enum State: Sendable {
        case closed(failures: Int)
        case open(until: MonotonicTime, pause: Duration)
        case halfOpen(since: MonotonicTime, pause: Duration)
    }

    /// What the breaker does now, for operators.
    public enum Condition: String, Sendable {
        case closed, open
        case halfOpen = "half_open"
    }

    private let limits: Limits
    private var state = State.closed(failures: 0)

    public init(limits: Limits) {
        self.limits = limits
    }

    public var condition: Condition {
        switch state {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// Asks whether a call may go out now.
    ///
    /// - Returns: nil when it may, and then its end must be reported; else how long to wait.
    public mutating func admit(now: MonotonicTime) -> Duration? {
        switch state {
        case .closed: return nil
        case .open(let until, let pause):
            guard now >= until else { return until - now }
            state = .halfOpen(since: now, pause: pause)
            return nil
        case .halfOpen(let since, let pause):
            guard now >= since + limits.probeLifetime else { return pause }
            state = .halfOpen(since: now, pause: pause)
            return nil
        }
    }

    /// Reports that a call was answered: whatever the answer said, the provider is there.
    public mutating func succeeded() {
        state = .closed(failures: 0)
    }

    /// Reports that a call was not answered, or with a fault of the provider's server.
    public mutating func failed(now: MonotonicTime) {
        switch state {
        case .closed(let failures):
            if failures + 1 < limits.failures {
                state = .closed(failures: failures + 1)
            } else {
                state = .open(until: now + limits.firstPause, pause: limits.firstPause)
            }
        case .halfOpen(_, let pause):
            let longer = min(pause * 2, limits.longestPause)
            state = .open(until: now + longer, pause: longer)
        // A call from before the circuit opened says nothing new.
        case .open: return
        }
    }
}
