import System

/// What a client may take, as its connection keeps to it. Worked out once: a limit that is off is a bound like any
/// other here, and times are nanoseconds, because taking a `Duration` apart costs a long division.
struct ConnectionLimits: Sendable {
    /// Of the request line and all field lines together, and of the trailer section by itself.
    let headerBytes: Int
    /// Of one request, and of its trailer section.
    let headerFields: Int
    let requestTargetBytes: Int
    let bodyBytes: Int
    let pipelinedBytes: Int

    /// The time that each deadline gives, in nanoseconds; 0 is off.
    let idle: Int64
    let firstRequest: Int64
    let head: Int64
    let body: Int64
    let write: Int64
    let linger: Int64

    init(_ limits: HTTPServerLimits) {
        headerBytes = HTTPServerLimits.bound(limits.maximumHeaderBytes)
        headerFields = HTTPServerLimits.bound(limits.maximumHeaderFields)
        requestTargetBytes = HTTPServerLimits.bound(limits.maximumRequestTargetBytes)
        bodyBytes = HTTPServerLimits.bound(limits.maximumBodyBytes)
        pipelinedBytes = limits.maximumPipelinedBytes
        idle = Self.nanoseconds(limits.idleTimeout)
        firstRequest = Self.nanoseconds(limits.firstRequestGrace)
        head = Self.nanoseconds(limits.headerTimeout)
        body = Self.nanoseconds(limits.bodyTimeout)
        write = Self.nanoseconds(limits.writeTimeout)
        linger = Self.nanoseconds(limits.lingerTimeout)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        (MonotonicTime(nanoseconds: 0) + duration).nanoseconds
    }
}
