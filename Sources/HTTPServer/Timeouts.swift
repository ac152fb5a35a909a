import System

/// The limits of time in nanoseconds, worked out once, because taking a `Duration` apart costs a long division. 0 is
/// off.
struct Timeouts: Sendable {
    private let idle: Int64
    private let firstRequest: Int64
    private let head: Int64
    private let body: Int64
    private let write: Int64
    private let linger: Int64

    init(_ limits: HTTPServerLimits) {
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

    subscript(deadline: ConnectionActions.Deadline) -> Int64 {
        switch deadline {
        case .idle: idle
        case .firstRequest: firstRequest
        case .head: head
        case .body: body
        case .write: write
        case .linger: linger
        }
    }
}
