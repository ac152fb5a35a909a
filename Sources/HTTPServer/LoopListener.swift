import EventLoop
import Glibc

/// The part of the server that lives on one loop: it accepts, and it keeps what that loop's connections share.
actor LoopListener: LoopBound, ReadinessHandler {
    /// How many connections are accepted before others get their turn.
    private static let acceptsAtOnce = 64
    /// As many as may wait in the system's queue, of which the last call takes all.
    private static let backlog = 4096

    nonisolated let loop: EventLoop
    nonisolated let limits: HTTPServerLimits
    nonisolated let timeouts: Timeouts
    nonisolated let handler: any RequestHandler
    nonisolated let supplies: LoopLocal<LoopSupplies>
    private let budget: ConnectionBudget
    private var socket: ListeningSocket?
    /// The other loops' listeners, asked for an idle connection when this one has none.
    private var neighbours: [LoopListener] = []
    /// By descriptor number.
    private var connections: [Connection?] = []
    private var openConnections = 0
    private var retry: LoopTimer?
    private var drained: [CheckedContinuation<Void, Never>] = []
    private var isDraining = false

    init(
        loop: EventLoop, socket: consuming ListeningSocket, limits: HTTPServerLimits, budget: ConnectionBudget,
        handler: any RequestHandler
    ) {
        self.loop = loop
        self.socket = consume socket
        self.limits = limits
        self.timeouts = Timeouts(limits)
        self.budget = budget
        self.handler = handler
        supplies = LoopLocal(LoopSupplies(commonFields: handler.commonFields), on: loop)
    }

    /// Begins to accept.
    func start(neighbours: [LoopListener]) throws(SystemError) {
        guard let number = socket?.number else { return }
        self.neighbours = neighbours
        try loop.register(number, for: .readable, handler: self)
    }

    nonisolated func descriptorIsReady(_ readiness: Readiness) {
        assumeIsolated { $0.accept(atMost: Self.acceptsAtOnce) }
    }

    // MARK: Accepting

    private func accept(atMost count: Int) {
        for _ in 0..<count {
            do throws(SystemError) {
                guard let accepted = try socket?.accept() else { return }
                admit(accepted)
            } catch {
                switch error.code {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return rest()
                // One that has gone while it waited, or that the network took away: the next may be well.
                default: continue
                }
            }
        }
    }

    /// Stops accepting for a while: the connection that can't be taken would be announced again and again.
    private func rest() {
        guard retry == nil, let number = socket?.number else { return }
        try? loop.update(number, for: [])
        retry = loop.schedule(after: limits.acceptRetry) { self.assumeIsolated { $0.resume() } }
    }

    private func resume() {
        guard let retry, let number = socket?.number else { return }
        retry.cancel()
        self.retry = nil
        try? loop.update(number, for: .readable)
    }

    private func admit(_ accepted: consuming AcceptedSocket) {
        let peer = accepted.peer
        let connection = Connection(accepted.takeStream(), peer: peer, listener: self)
        let number = Int(connection.number)
        while connections.count <= number { connections.append(nil) }
        connections[number] = connection
        openConnections += 1
        switch budget.enter() {
        case .granted: connection.assumeIsolated { $0.open() }
        case .beyondLimit: makeRoom(for: connection)
        case .farBeyondLimit: connection.assumeIsolated { $0.close() }
        }
    }

    private func makeRoom(for connection: Connection) {
        if closeOldestIdle() { return connection.assumeIsolated { $0.open() } }
        let neighbours = neighbours
        Task(executorPreference: loop) {
            for neighbour in neighbours {
                if await neighbour.closeOldestIdle() { return await connection.open() }
            }
            await connection.refuse(.overloaded)
        }
    }

    /// - Returns: whether there was an idle connection.
    func closeOldestIdle() -> Bool {
        guard let oldest = supplies.withValue({ $0.idle.oldest }), let connection = connections[Int(oldest)] else {
            return false
        }
        connection.assumeIsolated { $0.close() }
        return true
    }

    /// Forgets a connection that closes.
    func forget(_ number: Int32) {
        supplies.withValue { $0.idle.leave(number) }
        connections[Int(number)] = nil
        openConnections -= 1
        budget.leave()
        resume()
        if openConnections == 0 {
            for waiting in drained { waiting.resume() }
            drained = []
        }
    }

    // MARK: Draining

    /// Stops accepting, lets what runs finish until `limit` has passed, then closes the rest. A second call may shorten
    /// the time.
    func drain(within limit: Duration) async {
        if !isDraining { stopAccepting() }
        guard openConnections > 0 else { return }
        let deadline = loop.schedule(after: limit) { self.assumeIsolated { $0.closeAll() } }
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            // A caller that does not live on the loop comes here by another job, and the last connection may have gone
            // in between.
            if openConnections == 0 { waiting.resume() } else { drained.append(waiting) }
        }
        deadline.cancel()
    }

    private func stopAccepting() {
        // Those that have been connected already are ours to answer: closing the listener would reset them.
        accept(atMost: Self.backlog)
        isDraining = true
        supplies.withValue { $0.isDraining = true }
        neighbours = []
        retry?.cancel()
        retry = nil
        if let number = socket?.number { loop.deregister(number) }
        socket = nil
        for connection in connections.compactMap(\.self) { connection.assumeIsolated { $0.drain() } }
    }

    private func closeAll() {
        for connection in connections.compactMap(\.self) { connection.assumeIsolated { $0.close() } }
    }
}
