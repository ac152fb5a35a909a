internal import HTTPClient
import Synchronization
public import Syntax
public import System

/// The circuit breakers of one provider, one for each host it is called at: that one carrier is down is nothing to the
/// subscribers of another.
public final class Circuits: Sendable {
    private let limits: CircuitBreaker.Limits
    private let breakers = Mutex<[String: Host]>([:])

    /// One host's breaker. An object, because a value could only be changed by taking it out of the dictionary and putting
    /// it in again, with each call.
    private final class Host {
        var breaker: CircuitBreaker

        init(_ breaker: CircuitBreaker) {
            self.breaker = breaker
        }
    }

    init(limits: CircuitBreaker.Limits) {
        self.limits = limits
    }

    /// Asks whether the host of a URL may be called now; see ``CircuitBreaker/admit(now:)``.
    public func admit(_ url: EndpointURL, now: MonotonicTime) -> Duration? {
        breakers.withLock { breakers in
            if let host = breakers[url.server] { return host.breaker.admit(now: now) }
            let host = Host(CircuitBreaker(limits: limits))
            breakers[url.server] = host
            return host.breaker.admit(now: now)
        }
    }

    /// How each host that was called does, for operators.
    public func conditions() -> [(host: String, condition: CircuitBreaker.Condition)] {
        breakers.withLock { breakers in
            breakers.map { (host: $0.key, condition: $0.value.breaker.condition) }.sorted { $0.host < $1.host }
        }
    }

    /// Reports what became of an admitted call.
    ///
    /// - Parameter isAnswered: false when nothing came, or a fault of the provider's server; nil when the call ended for
    ///   a reason of ours, which says nothing about the provider.
    public func report(_ url: EndpointURL, isAnswered: Bool?, now: MonotonicTime) {
        guard let isAnswered else { return }
        breakers.withLock { breakers in
            if isAnswered {
                breakers[url.server]?.breaker.succeeded()
            } else {
                breakers[url.server]?.breaker.failed(now: now)
            }
        }
    }
}
