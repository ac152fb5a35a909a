internal import HTTPClient
import Synchronization
public import Syntax
public import System

/// The circuit breakers of one provider, one for each host it is called at: that one carrier is down is nothing to the
/// subscribers of another.
public final class Circuits: Sendable {
    private let limits: CircuitBreaker.Limits
    private let hosts = Mutex(Hosts())

    /// One host's breaker. An object, because a value could only be changed by taking it out of the dictionary and putting
    /// it in again, with each call.
    private final class Host {
        var breaker: CircuitBreaker

        init(_ breaker: CircuitBreaker) {
            self.breaker = breaker
        }
    }

    private struct Hosts {
        var byServer: [String: Host] = [:]
        /// The host of the last call, which the next one, or the report on it, is mostly about: a name is compared with one
        /// other at less cost than it is hashed.
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
    /// - Parameter isAnswered: false when nothing came, or a fault of the provider's server; nil when the call ended for
    ///   a reason of ours, which says nothing about the provider.
    public func report(_ url: EndpointURL, isAnswered: Bool?, now: MonotonicTime) {
        guard let isAnswered else { return }
        hosts.withLock { hosts in
            let host = hosts.known(url.server)
            if isAnswered { host?.breaker.succeeded() } else { host?.breaker.failed(now: now) }
        }
    }
}
