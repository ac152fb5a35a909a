import EventLoop
import Synchronization
import System
import TLS

/// The part of the server that lives on one loop: it accepts, and it keeps what that loop's connections share.
///
/// The kernel chooses a listener for each connection without a look at who has how many, so that a proxy's few
/// connections, which stay, may all be on one loop. A listener therefore hands a new one on to the loop that has the
/// fewest, where the difference is worth the change of threads.
actor LoopListener: LoopBound, ReadinessHandler {
    /// How many connections are accepted before others get their turn. Where thousands are at work, the turn comes
    /// round a few times a second: of thousands who connect then the last would wait for many of them.
    private static let acceptsAtOnce = 1024
    /// As many as may wait in the system's queue, of which the last call takes all.
    private static let backlog = 4096

    nonisolated let loop: EventLoop
    nonisolated let limits: ConnectionLimits
    nonisolated let handler: any RequestHandler
    nonisolated let resources: LoopLocal<LoopResources>
    private let budget: ConnectionBudget
    private let tls: TLSServer?
    private var socket: ListeningSocket?
    /// The other loops' listeners, asked for an idle connection when this one has none.
    private var neighbours: [LoopListener] = []
    /// By descriptor number.
    private var connections: [HTTPConnection?] = []
    /// How many connections this loop has, with those that another listener is just handing on to it.
    nonisolated let load = Atomic<Int>(0)
    /// How long accepting rests when the system has no descriptor left.
    private let acceptRetry: Duration
    private var retry: LoopTimer?
    private var drained: [CheckedContinuation<Void, Never>] = []

    init(
        loop: EventLoop, socket: consuming ListeningSocket, limits: HTTPServerLimits, budget: ConnectionBudget,
        tls: TLSServer?, handler: any RequestHandler
    ) {
        self.tls = tls
        self.loop = loop
        self.socket = consume socket
        self.limits = ConnectionLimits(limits)
        acceptRetry = limits.acceptRetry
        (self.budget, self.handler) = (budget, handler)
        resources = LoopLocal(
            LoopResources(commonFields: handler.commonFields, transportFields: handler.transportFields), on: loop)
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
                if error.meansNoDescriptorIsLeft {
                    // The oldest idle connection gives its descriptor to the new one.
                    if !closeOldestIdle() { return askForDescriptor() }
                } else if error.meansNoMemoryIsLeft {
                    return rest()
                }
                // One that has gone while it waited, or that the network took away: the next may be well.
            }
        }
    }

    /// Rests until a neighbour's oldest idle connection has given its descriptor, or for a while.
    private func askForDescriptor() {
        budget.note(.descriptors)
        rest()
        let neighbours = neighbours
        Task(executorPreference: loop) {
            for neighbour in neighbours where await neighbour.closeOldestIdle() { return await self.resume() }
        }
    }

    /// Stops accepting for a while: the connection that can't be taken would be announced again and again.
    private func rest() {
        guard retry == nil, let number = socket?.number else { return }
        try? loop.update(number, for: [])
        retry = loop.schedule(after: acceptRetry) { self.assumeIsolated { $0.resume() } }
    }

    private func resume() {
        guard let retry, let number = socket?.number else { return }
        retry.cancel()
        self.retry = nil
        try? loop.update(number, for: .readable)
    }

    private func admit(_ accepted: consuming AcceptedSocket) {
        let peer = accepted.peer
        let admission = budget.enter(peer)
        let place = admission == .granted ? lightest : self
        place.load.add(1, ordering: .relaxed)
        guard let stream = stream(over: accepted) else {
            place.load.subtract(1, ordering: .relaxed)
            return budget.leave(admission, peer)
        }
        let connection = HTTPConnection(stream, peer: peer, admission: admission, listener: place)
        if place === self { return take(connection) }
        Task(executorPreference: place.loop) { place.takeOver(connection) }
    }

    /// - Returns: nil where there is no memory for it.
    private func stream(over accepted: consuming AcceptedSocket) -> ClientStream? {
        guard let tls else { return .plain(accepted.takeStream()) }
        guard let stream = tls.stream(over: accepted.takeStream()) else { return nil }
        return .secure(stream)
    }

    /// Begins with a connection that another listener has handed on. Call it on this listener's loop: it happens at
    /// once, so that a connection is never between two loops for longer than one job waits.
    private nonisolated func takeOver(_ connection: HTTPConnection) { assumeIsolated { $0.take(connection) } }

    /// This listener, or the one with the fewest connections when this one has clearly more.
    private var lightest: LoopListener {
        let own = load.load(ordering: .relaxed)
        var (lightest, least) = (self, own)
        for neighbour in neighbours {
            let count = neighbour.load.load(ordering: .relaxed)
            if count < least { (lightest, least) = (neighbour, count) }
        }
        return Self.isUneven(own, least) ? lightest : self
    }

    /// Whether a loop that has `own` connections is better not given another one while some loop has `least`. A few are
    /// spread exactly; in a crowd an eighth more or less is not worth a change of threads.
    static func isUneven(_ own: Int, _ least: Int) -> Bool { own > least + least / 8 }

    /// Begins with a connection of this loop.
    private func take(_ connection: HTTPConnection) {
        let number = Int(connection.number)
        while connections.count <= number { connections.append(nil) }
        connections[number] = connection
        switch connection.admission {
        case .granted: connection.assumeIsolated { $0.open() }
        case .beyondLimit: makeRoom(for: connection)
        case .beyondLimitOfAddress:
            budget.note(.address)
            connection.assumeIsolated { $0.turnAway() }
        case .farBeyondLimit:
            budget.note(.flood)
            connection.assumeIsolated { $0.close() }
        }
    }

    private func makeRoom(for connection: HTTPConnection) {
        if closeOldestIdle() { return connection.assumeIsolated { $0.open() } }
        let (neighbours, budget) = (neighbours, budget)
        Task(executorPreference: loop) {
            for neighbour in neighbours {
                if await neighbour.closeOldestIdle() { return await connection.open() }
            }
            budget.note(.connections)
            await connection.turnAway()
        }
    }

    /// - Returns: whether there was an idle connection.
    func closeOldestIdle() -> Bool {
        guard let oldest = resources.withValue({ $0.idle.oldest }), let connection = connections[Int(oldest)] else {
            return false
        }
        connection.assumeIsolated { $0.close() }
        return true
    }

    /// Forgets a connection that closes.
    func forget(_ connection: HTTPConnection) {
        resources.withValue { $0.idle.leave(connection.number) }
        connections[Int(connection.number)] = nil
        budget.leave(connection.admission, connection.peer)
        resume()
        if load.subtract(1, ordering: .relaxed).newValue == 0 {
            for waiting in drained { waiting.resume() }
            drained = []
        }
    }

    // MARK: The end

    /// From now on every answer is the last of its connection. Accepting goes on.
    func announceClose() { resources.withValue { $0.announcesClose = true } }

    /// Stops accepting. What has been accepted may still be handed on to a neighbour, which therefore begins to drain
    /// only when all have stopped.
    func stopAccepting() {
        guard let number = socket?.number else { return }
        // Those that have been connected already are ours to answer: closing the listener would reset them.
        accept(atMost: Self.backlog)
        retry?.cancel()
        retry = nil
        loop.deregister(number)
        socket = nil
    }

    /// Lets what runs finish until `limit` has passed, then closes the rest. A second call may shorten the time.
    func drain(within limit: Duration) async {
        beginDraining()
        guard load.load(ordering: .relaxed) > 0 else { return }
        let deadline = loop.schedule(after: limit) { self.assumeIsolated { $0.closeAll() } }
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            // A caller that does not live on the loop comes here by another job, and the last connection may have gone
            // in between.
            if load.load(ordering: .relaxed) == 0 { waiting.resume() } else { drained.append(waiting) }
        }
        deadline.cancel()
    }

    private func beginDraining() {
        resources.withValue { resources in
            resources.announcesClose = true
            resources.isDraining = true
        }
        neighbours = []
        for connection in connections.compactMap(\.self) { connection.assumeIsolated { $0.drain() } }
    }

    private func closeAll() {
        for connection in connections.compactMap(\.self) { connection.assumeIsolated { $0.close() } }
    }
}
