/// That somebody may not sign in, by whatever way.
public struct Lock: Equatable, Sendable {
    /// Whose word it is. A later word of a provider's never lifts an operator's lock.
    public enum Cause: String, Sendable, CaseIterable {
        case `operator`
        case provider
        /// The account was disabled where the user was brought from.
        case imported
    }

    public var cause: Cause
    /// The operator's own words (``AuditReason``), for operators; nil where there are none.
    public var reason: String?
    /// Seconds since 1970.
    public var since: Int64
    /// When it ends by itself, in seconds since 1970; nil for never.
    public var until: Int64?

    public init(cause: Cause, reason: String?, since: Int64, until: Int64?) {
        (self.cause, self.reason, self.since, self.until) = (cause, reason, since, until)
    }

    /// - Parameter now: seconds since 1970.
    public func holds(now: Int64) -> Bool { until.map { $0 > now } ?? true }
}
