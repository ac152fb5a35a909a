import Synchronization
public import System
public import Telemetry

/// What has come of sign-ins at a provider, as far as that was up to the provider, to what is configured of it, or to
/// the way there.
///
/// The breaker knows of calls, and no call is made where a document that failed is remembered, or where keys fit no ID
/// token: what people see of it is told here.
public final class ProviderOutcomes: Sendable {
    /// So few failures may be anybody's.
    private static let fewest = 5

    private let done = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let lastReason = Mutex<String?>(nil)
    private let watch = HealthWatch(fewest: ProviderOutcomes.fewest)

    public init() {}

    /// Somebody was signed in, or would have been but for what is ours to decide.
    public func noteDone() { done.wrappingAdd(1, ordering: .relaxed) }

    /// - Parameter reason: in words of ours, with nothing of what was sent.
    public func noteFailure(_ reason: String) {
        failed.wrappingAdd(1, ordering: .relaxed)
        lastReason.withLock { $0 = reason }
    }

    /// How it goes.
    ///
    /// - Parameter wall: the present time in seconds since 1970.
    public func health(now: MonotonicTime, wall: Int64) -> Health {
        let totals = OutcomeWindow.Totals(
            done: done.load(ordering: .relaxed), failed: failed.load(ordering: .relaxed))
        return watch.look(totals, lastReason: lastReason.withLock(\.self), now: now, wall: wall)
    }

    /// Whether that is to be told.
    public func isNews(_ health: Health) -> Bool { watch.isNews(health) }
}
