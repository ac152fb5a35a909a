internal import EventLoop
internal import HTTPServer
public import SignIn
internal import System

/// The limits for each client address, shared by all loops and both listeners.
public struct AddressLimits: Sendable {
    private let limiters: [AddressLimit: AddressLimiter]
    let clientAddress: ClientAddress

    /// - Parameters:
    ///   - perMinute: how often in a minute; 0: as often as one likes. What is not named has no limit.
    ///   - clientAddress: whom a request comes from, behind proxies too.
    public init(_ perMinute: [AddressLimit: Int], clientAddress: ClientAddress) {
        limiters = perMinute.filter { $0.value > 0 }.mapValues(AddressLimiter.init(perMinute:))
        self.clientAddress = clientAddress
    }

    /// Counts a request of a network.
    ///
    /// - Throws: `ServiceError.rateLimited` when there were too many already.
    package func count(_ network: @autoclosure () -> ClientNetwork, as limit: AddressLimit) throws(ServiceError) {
        guard let wait = limiters[limit]?.take(for: network(), now: .now) else { return }
        throw .rateLimited(limit, retryAfterSeconds: wait)
    }

    /// Refuses a request of a network that has failed too often, and counts nothing.
    ///
    /// - Throws: `ServiceError.rateLimited`.
    package func refuseAfterFailures(
        _ network: @autoclosure () -> ClientNetwork, of limit: AddressLimit
    ) throws(ServiceError) {
        guard let wait = limiters[limit]?.wait(for: network(), now: .now) else { return }
        throw .rateLimited(limit, retryAfterSeconds: wait)
    }

    /// Counts a request that has failed.
    package func countFailure(_ network: @autoclosure () -> ClientNetwork, as limit: AddressLimit) {
        _ = limiters[limit]?.take(for: network(), now: .now)
    }
}
