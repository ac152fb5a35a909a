internal import EventLoop
internal import HTTPServer
public import SignIn

/// The limits for each client address, shared by all loops and both listeners.
public struct AddressLimits: Sendable {
    private let limiters: [AddressLimit: AddressLimiter]
    let clientAddress: ClientAddress

    /// - Parameters:
    ///   - perMinute: how often in a minute; 0: as often as one likes. What is not named has no limit.
    ///   - clientAddress: whom a request comes from, behind proxies too.
    public init(_ perMinute: [AddressLimit: Int], clientAddress: ClientAddress) {
        limiters = Dictionary(
            uniqueKeysWithValues: perMinute.filter { $0.value > 0 }.map {
                ($0.key, AddressLimiter($0.key, perMinute: $0.value))
            })
        self.clientAddress = clientAddress
    }

    /// What counts for one of them, for who asks with every request and looks it up once; nil where there is no limit.
    func limiter(of limit: AddressLimit) -> AddressLimiter? { limiters[limit] }

    /// Counts a request of a network, or one that has failed.
    ///
    /// - Throws: `ServiceError.rateLimited` when there were too many already.
    package func count(_ network: @autoclosure () -> ClientNetwork, as limit: AddressLimit) throws(ServiceError) {
        try limiters[limit]?.count(network())
    }

    /// Refuses a request of a network that has failed too often, and counts nothing: for what costs much before it is
    /// known to be wrong. Elsewhere failures are counted as they come (``count(_:as:)``), and nothing else is refused.
    ///
    /// - Throws: `ServiceError.rateLimited`.
    package func refuseAfterFailures(
        _ network: @autoclosure () -> ClientNetwork, of limit: AddressLimit
    ) throws(ServiceError) {
        try limiters[limit]?.refuseAfterFailures(network())
    }

    /// Counts a request that has failed.
    package func countFailure(_ network: @autoclosure () -> ClientNetwork, as limit: AddressLimit) {
        limiters[limit]?.countFailure(network())
    }
}
