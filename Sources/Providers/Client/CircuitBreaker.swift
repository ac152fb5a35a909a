internal import HTTPClient
import Synchronization
public import Syntax
public import System

/// Keeps calls from a provider that fails every one of them, and tries it again one call at a time.
///
/// A value with three states: closed, every call goes out; open, none does until a pause is over; half open, one call
/// is the probe, and what becomes of it closes or opens the circuit. Each failed probe doubles the pause.
public struct CircuitBreaker: Sendable {
    /// When a circuit opens and for how long.
    public struct Limits: Sendable {
        /// How many calls in a row must fail.
        public var failures: Int
        public var firstPause: Duration
        public var maximumPause: Duration
        /// After how long a probe that was never reported counts as lost, and another may go.
        public var probeLifetime: Duration

        public init(failures: Int, firstPause: Duration, maximumPause: Duration, probeLifetime: Duration) {
            (self.failures, self.firstPause, self.maximumPause) = (failures, firstPause, maximumPause)
            self.probeLifetime = probeLifetime
        }

        /// Twenty failures in a row are no accident; a carrier that comes back is found within a minute at most.
        public static let standard = Limits(
            failures: 20, firstPause: .seconds(1), maximumPause: .seconds(60), probeLifetime: .seconds(30))
    }

    private enum State: Sendable {
        case closed(failures: Int)
        case open(until: MonotonicTime, pause: Duration)
        case halfOpen(since: MonotonicTime, pause: Duration)
    }

    /// What the breaker does now, for operators.
    public enum Condition: String, Sendable {
        case closed, open
        case halfOpen = "half_open"
    }

    private let limits: Limits
    private var state = State.closed(failures: 0)

    public init(limits: Limits) {
        self.limits = limits
    }

    public var condition: Condition {
        switch state {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// Asks whether a call may go out now.
    ///
    /// - Returns: nil when it may, and then its end must be reported; else how long to wait.
    public mutating func admit(now: MonotonicTime) -> Duration? {
        switch state {
        case .closed: return nil
        case .open(let until, let pause):
            guard now >= until else { return until - now }
            state = .halfOpen(since: now, pause: pause)
            return nil
        case .halfOpen(let since, let pause):
            guard now >= since + limits.probeLifetime else { return pause }
            state = .halfOpen(since: now, pause: pause)
            return nil
        }
    }

    /// Reports that a call was answered: whatever the answer said, the provider is there.
    public mutating func succeeded() {
        state = .closed(failures: 0)
    }

    /// Reports that a call was not answered, or with a fault of the provider's server.
    public mutating func failed(now: MonotonicTime) {
        switch state {
        case .closed(let failures):
            if failures + 1 < limits.failures {
                state = .closed(failures: failures + 1)
            } else {
                state = .open(until: now + limits.firstPause, pause: limits.firstPause)
            }
        case .halfOpen(_, let pause):
            let longer = min(pause * 2, limits.maximumPause)
            state = .open(until: now + longer, pause: longer)
        // A call from before the circuit opened says nothing new.
        case .open: return
        }
    }
}

/// The circuit breakers of one provider, one for each host it is called at: that one carrier is down is nothing to the
/// subscribers of another.
public final class Circuits: Sendable {
    private let limits: CircuitBreaker.Limits
    private let hosts = Mutex(Hosts())

    /// One host's breaker. An object, because a value could only be changed by taking it out of the dictionary and
    /// putting it in again, with each call.
    private final class Host {
        var breaker: CircuitBreaker

        init(_ breaker: CircuitBreaker) {
            self.breaker = breaker
        }
    }

    private struct Hosts {
        var byServer: [String: Host] = [:]
        /// The host of the last call, which the next one, or the report on it, is mostly about: a name is compared with
        /// one other at less cost than it is hashed.
        private var latest: (server: String, host: Host)?

        mutating func known(_ server: String) -> Host? {
            if let latest, latest.server == server { return latest.host }
            guard let host = byServer[server] else { return nil }
            latest = (server, host)
            return host
        }
    }

    init(limits: CircuitBreaker.Limits) {
        self.limits = limits
    }

    /// Asks whether the host of a URL may be called now; see ``CircuitBreaker/admit(now:)``.
    public func admit(_ url: EndpointURL, now: MonotonicTime) -> Duration? {
        hosts.withLock { hosts in
            if let host = hosts.known(url.server) { return host.breaker.admit(now: now) }
            let host = Host(CircuitBreaker(limits: limits))
            hosts.byServer[url.server] = host
            return host.breaker.admit(now: now)
        }
    }

    /// How each host that was called does, for operators.
    public func conditions() -> [(host: String, condition: CircuitBreaker.Condition)] {
        hosts.withLock { hosts in
            hosts.byServer.map { (host: $0.key, condition: $0.value.breaker.condition) }.sorted { $0.host < $1.host }
        }
    }

    /// Reports what became of an admitted call.
    ///
    /// - Parameter isAnswered: false when nothing came, or a fault of the provider's server; nil when the call ended
    ///   for a reason of ours, which says nothing about the provider.
    public func report(_ url: EndpointURL, isAnswered: Bool?, now: MonotonicTime) {
        guard let isAnswered else { return }
        hosts.withLock { hosts in
            let host = hosts.known(url.server)
            if isAnswered { host?.breaker.succeeded() } else { host?.breaker.failed(now: now) }
        }
    }
}
