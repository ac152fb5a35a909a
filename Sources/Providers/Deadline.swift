public import System

/// When a sign-in must have been answered, and how long one call of it may take.
public struct Deadline: Sendable {
    private let end: MonotonicTime
    private let perCall: Duration

    public init(now: MonotonicTime, total: Duration, perCall: Duration) {
        end = now + total
        self.perCall = perCall
    }

    /// Whether another call is worth its while.
    public func hasTimeLeft(now: MonotonicTime) -> Bool { now + .milliseconds(200) < end }

    /// How long the next call may take; a call that could not even start in what is left gets a millisecond, and so its
    /// own time-out.
    public func nextCall(now: MonotonicTime) -> Duration {
        max(.milliseconds(1), min(perCall, end - now))
    }
}
