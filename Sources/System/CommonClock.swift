internal import Synchronization

/// A time of day that several machines have in common, as looks at it tell: between two looks it goes on by the clock
/// that never jumps, whatever becomes of this machine's own time of day.
///
///     // Asked at 1,000 ms and answered at 1,040 ms, by the clock that never jumps: it said 1,790,000,000,500 then.
///     common.take(1_790_000_000_500_000, between: before, and: after)
///     common.now      // some 20 ms later than that, 1,790,000,000,520
///
/// A time of day of one's own that may be the common one, as far as a look can tell, is taken for it: it tells more
/// exactly than a look that took a while.
public final class CommonClock: Sendable {
    /// A look, as what is to be added to the clock that never jumps, in microseconds.
    private struct Known {
        var offset: ClosedRange<Int64>
        let at: Int64
    }

    /// How far clocks that nobody sets may part, in parts of a million: what systems allow, which few need.
    private static let driftPerMillion: Int64 = 500
    private static let unknown = Int64.min

    private let known = Mutex<Known?>(nil)
    // Read with each look at the time.
    private let offset = Atomic(unknown)
    private let limit: Int64

    /// - Parameter limitSeconds: a look that is further than this from this machine's own time of day is not gone by.
    public init(limitSeconds: Int64) {
        limit = limitSeconds * 1_000_000
    }

    /// Nil before the first look.
    public var now: WallClock? { time(at: .now) }

    func time(at instant: MonotonicTime) -> WallClock? {
        let offset = offset.load(ordering: .relaxed)
        return offset == Self.unknown ? nil : WallClock(milliseconds: (instant.microseconds + offset) / 1000)
    }

    /// How far a time of day is ahead of it, in milliseconds, negative where it is behind; 0 before the first look.
    public func lead(of wall: WallClock) -> Int64 { now.map { wall.milliseconds - $0.milliseconds } ?? 0 }

    /// Takes a look: looks narrow each other down, and one that contradicts those before it begins anew, for a clock
    /// was set.
    ///
    /// - Parameters:
    ///   - microseconds: what it said, since 1970.
    ///   - wall: this machine's own time of day at the second instant.
    public func take(
        _ microseconds: Int64, between before: MonotonicTime, and after: MonotonicTime, wall: WallClock = .now
    ) {
        let took = after.microseconds - before.microseconds
        guard abs(wall.microseconds - microseconds) <= limit + took else { return }
        var shown = (microseconds - after.microseconds)...(microseconds - before.microseconds)
        let own = wall.microseconds - after.microseconds
        known.withLock { known in
            if let before = known {
                let drift = (after.microseconds - before.at) * Self.driftPerMillion / 1_000_000 + 1
                let earlier = (before.offset.lowerBound - drift)...(before.offset.upperBound + drift)
                if earlier.overlaps(shown) { shown = earlier.clamped(to: shown) }
            }
            if shown.contains(own) { shown = own...own }
            known = Known(offset: shown, at: after.microseconds)
            offset.store((shown.lowerBound + shown.upperBound) / 2, ordering: .relaxed)
        }
    }
}

extension MonotonicTime {
    fileprivate var microseconds: Int64 { nanoseconds / 1000 }
}

extension WallClock {
    fileprivate var microseconds: Int64 { seconds * 1_000_000 + nanoseconds / 1000 }
}
