internal import EventLoop
internal import HTTPServer
internal import SignIn
internal import System

/// The limits for each client address, shared by all loops and both listeners.
public struct AddressLimits: Sendable {
    private let signIns: AddressLimiter
    private let challenges: AddressLimiter
    private let failedRefreshes: AddressLimiter
    private let failedAdminTokens: AddressLimiter
    private let authorizations: AddressLimiter
    private let pushes: AddressLimiter
    private let keys: AddressLimiter
    private let failedLongSecrets: AddressLimiter
    private let signUps: AddressLimiter
    let clientAddress: ClientAddress

    /// Each limit is how often in a minute; 0: as often as one likes.
    ///
    /// - Parameter clientAddress: whom a request comes from, behind proxies too.
    public init(
        signIns: Int, challenges: Int, failedRefreshes: Int, failedAdminTokens: Int, authorizations: Int,
        pushes: Int, keys: Int, failedLongSecrets: Int, signUps: Int, clientAddress: ClientAddress
    ) {
        self.signIns = AddressLimiter(perMinute: signIns)
        self.challenges = AddressLimiter(perMinute: challenges)
        self.failedRefreshes = AddressLimiter(perMinute: failedRefreshes)
        self.failedAdminTokens = AddressLimiter(perMinute: failedAdminTokens)
        self.authorizations = AddressLimiter(perMinute: authorizations)
        self.pushes = AddressLimiter(perMinute: pushes)
        self.keys = AddressLimiter(perMinute: keys)
        self.failedLongSecrets = AddressLimiter(perMinute: failedLongSecrets)
        self.signUps = AddressLimiter(perMinute: signUps)
        self.clientAddress = clientAddress
    }

    /// Counts a request of a network.
    ///
    /// - Throws: `ServiceError.rateLimited` when there were too many already.
    func count(_ network: @autoclosure () -> ClientNetwork, as limit: ServiceError.Limit) throws(ServiceError) {
        guard let wait = limiter(limit).take(for: network(), now: .now) else { return }
        throw .rateLimited(limit, retryAfterSeconds: wait)
    }

    /// Refuses a request of a network that has failed too often, and counts nothing.
    ///
    /// - Throws: `ServiceError.rateLimited`.
    func refuseAfterFailures(_ network: @autoclosure () -> ClientNetwork, of limit: ServiceError.Limit)
        throws(ServiceError)
    {
        guard let wait = limiter(limit).wait(for: network(), now: .now) else { return }
        throw .rateLimited(limit, retryAfterSeconds: wait)
    }

    /// Counts a request that has failed.
    func countFailure(_ network: @autoclosure () -> ClientNetwork, as limit: ServiceError.Limit) {
        _ = limiter(limit).take(for: network(), now: .now)
    }

    private func limiter(_ limit: ServiceError.Limit) -> AddressLimiter {
        switch limit {
        case .signIns: signIns
        case .challenges: challenges
        case .failedRefreshes: failedRefreshes
        case .failedAdminTokens: failedAdminTokens
        case .authorizations: authorizations
        case .pushes: pushes
        case .keys: keys
        case .failedLongSecrets: failedLongSecrets
        case .signUps: signUps
        }
    }
}
