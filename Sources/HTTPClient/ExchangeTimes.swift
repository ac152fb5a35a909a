internal import Synchronization
public import System

/// When what has happened on the way of a request: for who asks for it (``OutboundRequest/times``). Nobody else pays
/// for it.
public final class ExchangeTimes: Sendable {
    /// Those of the last try. What has not happened is nil.
    public struct Moments: Sendable {
        /// How often the request has been sent, or was about to be.
        public internal(set) var tries = 0
        /// When a connection was taken that was there.
        public internal(set) var reused: MonotonicTime?
        /// When the host's name was looked up, for a connection that was made.
        public internal(set) var resolved: MonotonicTime?
        public internal(set) var connected: MonotonicTime?
        /// When TLS was there.
        public internal(set) var secured: MonotonicTime?
        /// When all of the request was on its way.
        public internal(set) var sent: MonotonicTime?
        /// When the first byte of the answer was there.
        public internal(set) var answering: MonotonicTime?
    }

    private let state = Mutex(Moments())

    public init() {}

    public var moments: Moments { state.withLock(\.self) }

    /// Begins another try on a connection that was there.
    func noteReused() {
        state.withLock { $0 = Moments(tries: $0.tries + 1, reused: .now) }
    }

    /// Begins another try on a connection that was made for it.
    func note(_ made: ConnectionTimes) {
        state.withLock {
            $0 = Moments(
                tries: $0.tries + 1, resolved: made.resolved, connected: made.connected, secured: made.secured)
        }
    }

    func noteSent() { state.withLock { $0.sent = .now } }

    func noteAnswering() { state.withLock { $0.answering = .now } }
}

/// How a connection came to be, as curl tells it.
struct ConnectionTimes {
    let resolved: MonotonicTime
    let connected: MonotonicTime
    /// Nil without TLS.
    let secured: MonotonicTime?
}
