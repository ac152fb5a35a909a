internal import Glibc

/// The time of day as the system tells it. It can be set, so it may jump.
public struct WallClock: Sendable {
    /// Seconds since 1970.
    public let seconds: Int64
    /// What of the next second has gone by, below 1,000,000,000.
    public let nanoseconds: Int64

    public init(seconds: Int64, nanoseconds: Int64) {
        (self.seconds, self.nanoseconds) = (seconds, nanoseconds)
    }

    public init(milliseconds: Int64) {
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        self.init(seconds: seconds, nanoseconds: (milliseconds - seconds * 1000) * 1_000_000)
    }

    /// Milliseconds since 1970.
    public var milliseconds: Int64 { seconds * 1000 + nanoseconds / 1_000_000 }

    /// The present time.
    public static var now: WallClock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallClock(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}

/// The time of day for those who are given it from outside: the system's, or what a test makes of it.
public struct Clock: Sendable {
    /// The system's own.
    public static let system = Clock(reading: { .now })

    private let read: @Sendable () -> WallClock
    private let common: CommonClock?

    /// - Parameter seconds: gives the seconds since 1970.
    public init(_ seconds: @escaping @Sendable () -> Int64) {
        self.init(reading: { WallClock(seconds: seconds(), nanoseconds: 0) })
    }

    /// - Parameter common: what counts instead, as soon as it is known.
    public init(reading: @escaping @Sendable () -> WallClock, common: CommonClock? = nil) {
        read = reading
        self.common = common
    }

    /// The present time.
    public var now: WallClock { common?.now ?? read() }
    /// Seconds since 1970.
    public var seconds: Int64 { now.seconds }
    /// Milliseconds since 1970.
    public var milliseconds: Int64 { now.milliseconds }
}
