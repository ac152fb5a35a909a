internal import Synchronization

/// How far this machine's clock is ahead of one that several machines have in common, as looks at that one narrow it
/// down.
///
///     // Asked at 1,000 ms and answered at 1,040 ms, by ours: the other said 990 in between.
///     lead.take(10...50)      // 30 ms ahead, as far as is known
public final class ClockLead: Sendable {
    private let known = Mutex<ClosedRange<Int64>?>(nil)
    // Read with each look at the time.
    private let middle = Atomic<Int64>(0)

    private let limit: Int64

    /// - Parameter limitSeconds: beyond it this machine's clock stays as the last look within has shown it.
    public init(limitSeconds: Int64) {
        limit = limitSeconds * 1000
    }

    /// In milliseconds, negative where it is behind; 0 before the first look.
    public var milliseconds: Int64 { middle.load(ordering: .relaxed) }

    /// Takes what a look has shown, unless it is beyond the limit.
    ///
    /// One that contradicts those before it begins anew: a clock was set.
    public func take(_ shown: ClosedRange<Int64>) {
        guard shown.overlaps(-limit...limit) else { return }
        known.withLock { known in
            let range = known.flatMap { $0.overlaps(shown) ? $0.clamped(to: shown) : nil } ?? shown
            known = range
            middle.store((range.lowerBound + range.upperBound) / 2, ordering: .relaxed)
        }
    }
}
