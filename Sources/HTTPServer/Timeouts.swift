import System

/// The limits of time in nanoseconds, worked out once, because taking a `Duration` apart costs a long division. 0 is off.
struct Timeouts: Sendable {
    let header: Int64
    let body: Int64
    let idle: Int64
    let write: Int64
    let linger: Int64
    let firstRequestGrace: Int64

    init(_ limits: HTTPServerLimits) {
        header = Self.nanoseconds(limits.headerTimeout)
        body = Self.nanoseconds(limits.bodyTimeout)
        idle = Self.nanoseconds(limits.idleTimeout)
        write = Self.nanoseconds(limits.writeTimeout)
        linger = Self.nanoseconds(limits.lingerTimeout)
        firstRequestGrace = Self.nanoseconds(limits.firstRequestGrace)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        (MonotonicTime(nanoseconds: 0) + duration).nanoseconds
    }
}
