public import EventLoop
internal import Synchronization
import Syntax

/// Sends requests to providers over https, on one event loop.
///
/// Connections are kept and used again, one request at a time (HTTP/1.1). Redirects are not followed, cookies not
/// kept, and neither proxies nor anything else is taken from the environment: a proxy is the policy's to name. Names
/// are looked up on threads of curl's, everything else happens on the loop.
public actor HTTPClient: LoopBound, HTTPTransport {
    public nonisolated let loop: EventLoop
    private let limits: HTTPClientLimits
    private let trust: TrustStore
    private let share: LimitShare
    /// All clients among which limits are divided, this one among them; none before ``join(_:)``.
    private var siblings: [HTTPClient] = []
    private var pools: [ConnectionPool.Key: ConnectionPool] = [:]
    /// Pools with connections that were checked against other trust anchors; they end with their last transfer.
    private var retired: [ConnectionPool] = []
    /// Which of the trust store's replacements have been taken note of.
    private var knownReplacements = 0
    /// The pool of the last request, which the next one mostly shares: comparing a policy costs less than hashing it.
    private var latest: ConnectionPool?
    private var lastID: UInt64 = 0
    private var isShutDown = false

    /// - Parameter loop: must run until ``shutDown()`` has returned.
    public init(loop: EventLoop, limits: HTTPClientLimits = HTTPClientLimits(), trust: TrustStore = TrustStore()) {
        self.init(loop: loop, limits: limits, trust: trust, share: .whole)
    }

    private init(loop: EventLoop, limits: HTTPClientLimits, trust: TrustStore, share: LimitShare) {
        (self.loop, self.limits, self.trust, self.share) = (loop, limits, trust, share)
    }

    /// Makes a client for each loop, which keep the limits of policies together: each has its part of them, and one
    /// that is too small to be divided is kept by one client, to which the others hand their requests.
    ///
    /// - Parameter loops: as for ``init(loop:limits:trust:)``. Shut all of the clients down.
    public static func clients(
        of loops: [EventLoop], limits: HTTPClientLimits = HTTPClientLimits(), trust: TrustStore
    ) async -> [HTTPClient] {
        let clients = loops.enumerated().map { index, loop in
            HTTPClient(loop: loop, limits: limits, trust: trust, share: LimitShare(index: index, count: loops.count))
        }
        for client in clients { await client.join(clients) }
        return clients
    }

    private func join(_ clients: [HTTPClient]) { siblings = clients }

    isolated deinit {
        for pool in pools.values { pool.tearDown() }
        for pool in retired { pool.tearDown() }
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// A GET is sent again when the idle connection it was given turns out to be dead, a POST never is. When the task
    /// is cancelled the transfer ends at once, unless it `finishesWhenCancelled`.
    ///
    /// - Throws: `HTTPClientError`.
    public func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        guard !isShutDown else { throw .shutDown }
        guard !Task.isCancelled else { throw .cancelled }
        guard request.timeout > .zero else { throw .timedOut(requestSent: false) }
        let limit = request.content.policy.connectionsPerHost
        if limit > 0, limit < share.count, let owner = owner(of: request.content.url), owner !== self {
            return try await owner.send(request)
        }
        let pool: ConnectionPool
        let key = ConnectionPool.Key(request.content.policy, request.content.url)
        if key.proxy != nil, !key.allowsPrivateAddresses, !AddressFilter.mayBePublic(request.content.url.host) {
            throw .refusedAddress
        }
        if let ready = readyPool(key) {
            pool = ready
        } else {
            let anchors = key.isSecure ? try await trust.anchors(for: key.caFile) : nil
            // Much may have happened meanwhile.
            guard !isShutDown else { throw .shutDown }
            pool = if let ready = readyPool(key) { ready } else { try makePool(key, anchors) }
        }
        pool.expected += 1
        lastID += 1
        let id = lastID
        if request.finishesWhenCancelled { return try await transfer(request, id, pool).get() }
        let outcome = await withTaskCancellationHandler {
            // A method of the actor, because a closure that does not use the actor would leave the loop.
            await transfer(request, id, pool)
        } onCancel: {
            // It is queued behind the start of the transfer, which has been under way on the loop since.
            Task(executorPreference: loop) { await self.cancel(id) }
        }
        return try outcome.get()
    }

    private func transfer(_ request: OutboundRequest, _ id: UInt64, _ pool: ConnectionPool) async -> Exchange.Outcome {
        await withCheckedContinuation { continuation in
            pool.expected -= 1
            // A caller that does not live on the loop comes here by another job: the end of the task or of the client
            // may have come in between, and would have found no transfer to end.
            if isShutDown {
                continuation.resume(returning: .failure(.shutDown))
            } else if Task.isCancelled, !request.finishesWhenCancelled {
                continuation.resume(returning: .failure(.cancelled))
            } else {
                pool.start(request, id: id, continuation)
            }
        }
    }

    /// Ends every transfer with `shutDown`, closes every connection, and refuses whatever comes later.
    public func shutDown() {
        isShutDown = true
        for pool in pools.values { pool.tearDown() }
        for pool in retired { pool.tearDown() }
        pools.removeAll()
        retired.removeAll()
        latest = nil
        // They refer to each other.
        siblings.removeAll()
    }

    private func cancel(_ id: UInt64) {
        _ = pools.values.contains { $0.cancel(id) } || retired.contains { $0.cancel(id) }
    }

    private func owner(of url: EndpointURL) -> HTTPClient? { siblings.isEmpty ? nil : siblings[share.owner(of: url)] }

    /// The pool, if it is there and checks connections against what is trusted now.
    private func readyPool(_ key: ConnectionPool.Key) -> ConnectionPool? {
        let replacements = trust.replacements.load(ordering: .acquiring)
        if replacements != knownReplacements { retireAll(after: replacements) }
        if !retired.isEmpty { endRetired() }
        if let latest, latest.key == key { return latest }
        guard let known = pools[key] else { return nil }
        latest = known
        return known
    }

    private func makePool(
        _ key: ConnectionPool.Key, _ anchors: TrustAnchors?
    ) throws(HTTPClientError) -> ConnectionPool {
        let pool = try ConnectionPool(
            key: key, connections: share.part(of: key.connectionsPerHost) ?? key.connectionsPerHost, limits: limits,
            trust: anchors, loop: loop)
        pools[key] = pool
        latest = pool
        return pool
    }

    private func retireAll(after replacements: Int) {
        knownReplacements = replacements
        retired += pools.values
        pools.removeAll()
        latest = nil
    }

    private func endRetired() {
        for pool in retired where pool.isIdle { pool.tearDown() }
        retired.removeAll(where: \.isIdle)
    }
}
