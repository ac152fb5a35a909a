internal import EventLoop

/// What a connection has to do, in this order, as ``ConnectionState`` says.
struct ConnectionActions: Equatable, Sendable {
    /// Note that a request, or the waiting for one, starts now.
    var isStart = false
    /// Wait for this from now on; nil: for the same as before.
    var interest: Readiness?
    /// Be counted among the idle connections of the loop, or no longer; nil: as before.
    var isIdle: Bool?
    /// Set this deadline in place of the one that runs; nil: leave that. One that passes while an answer is made means
    /// nothing, so that none has to be taken away.
    var deadline: Deadline?
    var step = Step.none

    /// The deadlines, of which one runs at a time, with the instant each is counted from.
    enum Deadline: Sendable {
        /// From the start: of waiting for a request.
        case idle
        /// From the start likewise, of a client that has not asked for anything, while the server stops.
        case firstRequest
        /// From the start: of the request, with its first byte.
        case head
        /// From now.
        case body
        /// From now.
        case write
        /// From now.
        case linger

        var isFromStart: Bool {
            switch self {
            case .idle, .firstRequest, .head: true
            case .body, .write, .linger: false
            }
        }

        /// How much time it gives, in nanoseconds; 0 is off.
        func time(in limits: ConnectionLimits) -> Int64 {
            switch self {
            case .idle: limits.idle
            case .firstRequest: limits.firstRequest
            case .head: limits.head
            case .body: limits.body
            case .write: limits.write
            case .linger: limits.linger
            }
        }
    }

    /// Why the client is told no before anything was asked of the handler.
    enum Refusal: Sendable { case violation, tooLate, tooMany }

    enum Step: Equatable, Sendable {
        case none
        /// Read once; whatever is left is announced again.
        case read
        /// Read once, and throw it away.
        case discard
        /// Look for the next request in what was read.
        case parse
        /// Tell the client to send the body that it holds back.
        case sendContinue
        /// Have the handler answer the request that has just been found.
        case handOver
        /// Make the answer that says no.
        case refuse(Refusal)
        /// Write the answer that is ready.
        case send
        /// Write more of the answer.
        case sendMore
        /// Say that nothing more will be sent.
        case shutdownSending
        /// Let go of everything; an answer that is being made is cancelled.
        case close
    }
}
