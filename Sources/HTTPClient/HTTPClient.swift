public import EventLoop

/// Sends requests to providers over https, on one event loop.
///
/// Connections are kept and shared, over HTTP/2 where the server offers it. Redirects are not followed, cookies not
/// kept, and neither proxies nor anything else is taken from the environment. Names are looked up on threads of curl's,
/// everything else happens on the loop.
public actor HTTPClient: LoopBound, HTTPTransport {
    public nonisolated let loop: EventLoop
    private let limits: HTTPClientLimits
    private var pools: [ConnectionPool.Key: ConnectionPool] = [:]
    /// The pool of the last request, which the next one mostly shares: comparing a policy costs less than hashing it.
    private var latest: ConnectionPool?
    private var lastID: UInt64 = 0
    private var isShutDown = false

    /// - Parameter loop: must run until ``shutDown()`` has returned.
    public init(loop: EventLoop, limits: HTTPClientLimits = HTTPClientLimits()) {
        self.loop = loop
        self.limits = limits
    }

    isolated deinit {
        for pool in pools.values { pool.tearDown() }
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// A GET is sent again when the idle connection it was given turns out to be dead, a POST never is. When the task is cancelled the transfer ends at once, unless it `finishesWhenCancelled`.
    ///
    /// - Throws: `HTTPClientError`.
    public func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        guard !isShutDown else { throw .shutDown }
        guard !Task.isCancelled else { throw .cancelled }
        guard request.timeout > .zero else { throw .timedOut(requestSent: false) }
        let pool = try pool(for: request.policy)
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

    private func transfer(_ request: OutboundRequest, _ id: UInt64, _ pool: ConnectionPool) async -> Transfer.Outcome {
        await withCheckedContinuation { continuation in
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
        pools.removeAll()
        latest = nil
    }

    private func cancel(_ id: UInt64) {
        _ = pools.values.contains { $0.cancel(id) }
    }

    private func pool(for policy: OutboundPolicy) throws(HTTPClientError) -> ConnectionPool {
        let key = ConnectionPool.Key(policy)
        if let latest, latest.key == key { return latest }
        if let known = pools[key] {
            latest = known
            return known
        }
        let pool = try ConnectionPool(key: key, limits: limits, loop: loop)
        pools[key] = pool
        latest = pool
        return pool
    }
}
