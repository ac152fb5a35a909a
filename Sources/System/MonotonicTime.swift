import Glibc

/// An instant of the clock that never jumps, in nanoseconds. It says nothing about the time of day.
public struct MonotonicTime: Comparable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The present instant, read from the system.
    public static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// So much later; the last instant there is where that would be beyond it.
    ///
    /// - Parameter nanoseconds: not negative.
    public func advanced(byNanoseconds nanoseconds: Int64) -> MonotonicTime {
        let sum = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return MonotonicTime(nanoseconds: sum.overflow ? .max : sum.partialValue)
    }

    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return MonotonicTime(nanoseconds: seconds > 0 ? .max : .min) }
        return time.advanced(byNanoseconds: whole &+ attoseconds / 1_000_000_000)
    }

    /// How long after `earlier` this instant is; negative when it is before.
    public static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
        .nanoseconds(later.nanoseconds &- earlier.nanoseconds)
    }
}
