internal import Synchronization
public import System

/// How it goes with something that others do their work by, as outcomes tell: a provider, the store.
public struct Health: Equatable, Sendable {
    public let state: OutcomeWindow.State
    /// Since when, in seconds since 1970; nil: since the start.
    public let since: Int64?
    /// Of the last five minutes.
    public let counts: OutcomeWindow.Totals
    /// Why the last failure came about, in words of ours; nil where there was none.
    public let lastReason: String?
}

/// Looks at the outcomes of one kind again and again. Safe to share.
public final class HealthWatch: Sendable {
    private let window: Mutex<OutcomeWindow>
    /// How it was when it was told last.
    private let told = Mutex(OutcomeWindow.State.ok)

    /// - Parameter fewest: how few outcomes tell nothing.
    public init(fewest: Int, now: MonotonicTime = .now) {
        window = Mutex(OutcomeWindow(fewest: fewest, now: now))
    }

    /// How it goes by these totals.
    ///
    /// - Parameter wall: the present time in seconds since 1970.
    public func look(
        _ totals: OutcomeWindow.Totals, lastReason: String?, now: MonotonicTime, wall: Int64
    ) -> Health {
        window.withLock { window in
            window.look(totals, now: now, wall: wall)
            return Health(
                state: window.state, since: window.since, counts: window.counts,
                lastReason: totals.failed == 0 ? nil : lastReason)
        }
    }

    /// Whether that is to be told: it has gone bad, or is well again.
    public func isNews(_ health: Health) -> Bool {
        told.withLock { told in
            defer { told = health.state }
            return (told == .ok) != (health.state == .ok)
        }
    }
}
