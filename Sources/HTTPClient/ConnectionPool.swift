import EventLoop
import Syntax
import System

/// The connections of one kind of policy on the loop, and the exchanges that they carry.
///
/// Policies that differ in what they let through have pools of their own, so that no request goes out on a connection
/// that another policy has let pass.
final class ConnectionPool: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only: by the client, which lives there, by the loop's timer, by the
    // connections and by what makes them.

    /// What of a policy a connection depends on.
    struct Key: Hashable, Sendable {
        let caFile: String?
        let allowsPrivateAddresses: Bool
        let connectionsPerHost: Int
        /// Without TLS no trust anchors are needed, and none are waited for.
        let isSecure: Bool
        /// Nil where connections are made without one.
        let proxy: OutboundProxy?

        init(_ policy: OutboundPolicy, _ url: EndpointURL) {
            isSecure = url.isSecure
            proxy = if let proxy = policy.proxy, proxy.carries(url) { proxy } else { nil }
            caFile = policy.caFile
            allowsPrivateAddresses = policy.allowsPrivateAddresses
            connectionsPerHost = policy.connectionsPerHost
        }
    }

    /// How much is read at a time.
    private static let readBytes = 16_384

    /// What its requests have in common.
    let key: Key
    /// Requests that have chosen this pool and are about to start.
    var expected = 0
    /// Where its connections read into, one after the other.
    var received = [UInt8](repeating: 0, count: readBytes)
    private let settings: ConnectionSettings
    /// How many connections one server gets at most; 0 is no limit.
    private let connections: Int
    private let connector: Connector
    private var active: [Exchange] = []
    private var servers: [String: Server] = [:]
    /// The server of the last request, which the next one mostly shares.
    private var latest: Server?
    private var idleCount = 0
    /// How many idle connections are kept: never fewer than the next requests may want.
    private let keptIdle: Int
    /// The earliest deadline of the exchanges, or one that was.
    private let deadlines: LoopTimer
    private var isTornDown = false

    /// - Parameter connections: how many one host gets at most from this pool; 0 is no limit.
    /// - Throws: `couldNotConnect` when curl is out of memory, or was not built with the library that is needed.
    init(
        key: Key, connections: Int, limits: HTTPClientLimits, trust: TrustAnchors?, loop: EventLoop
    ) throws(HTTPClientError) {
        (self.key, self.connections) = (key, connections)
        keptIdle = max(1, limits.idleConnections, 2 * connections)
        guard let sessions = ShareHandle() else { throw .couldNotConnect }
        settings = ConnectionSettings(key: key, limits: limits, trust: trust, sessions: sessions)
        connector = try Connector(loop: loop, limits: limits)
        let owner = Owner()
        deadlines = loop.timer { owner.pool?.expire() }
        owner.pool = self
        connector.onMade = { owner.pool?.made($0, $1) }
    }

    /// Where its connections are watched.
    var sockets: SocketTable { connector.sockets }

    // MARK: Exchanges

    /// Begins an exchange; the continuation is resumed exactly once, when it ends.
    func start(_ request: OutboundRequest, id: UInt64, _ continuation: CheckedContinuation<Exchange.Outcome, Never>) {
        let exchange: Exchange
        do throws(HTTPClientError) {
            exchange = try Exchange(request, id: id, limits: settings.limits, continuation)
        } catch {
            continuation.resume(returning: .failure(error))
            return
        }
        exchange.position = active.count
        active.append(exchange)
        if deadlines.deadline.map({ exchange.deadline < $0 }) ?? true { deadlines.move(to: exchange.deadline) }
        assign(exchange, at: server(of: request.content.url))
    }

    /// Ends an exchange before its time, if it has not ended yet.
    ///
    /// - Returns: whether it was one of this pool's.
    func cancel(_ id: UInt64) -> Bool {
        guard let exchange = active.first(where: { $0.id == id }) else { return false }
        end(exchange, .failure(.cancelled))
        return true
    }

    /// Whether no exchange is under way, and none is to come.
    var isIdle: Bool { active.isEmpty && expected == 0 }

    /// Ends all exchanges and closes all connections. The pool is of no use afterwards.
    func tearDown() {
        isTornDown = true
        while let exchange = active.last { end(exchange, .failure(.shutDown)) }
        for server in servers.values { while let connection = server.idle.last { close(connection) } }
        servers.removeAll()
        latest = nil
        connector.tearDown()
        deadlines.cancel()
    }

    /// Hears that the answer is whole.
    ///
    /// - Parameter keeps: whether its connection can carry another exchange.
    func finish(_ exchange: Exchange, keeps: Bool) {
        let outcome = exchange.outcome()
        guard keeps, let connection = exchange.connection else { return end(exchange, outcome) }
        exchange.connection = nil
        connection.exchange = nil
        end(exchange, outcome)
        // One that is always in use grows old all the same.
        guard connection.isFresh(settings.limits, now: connection.idleSince) else { return close(connection) }
        if let next = connection.server.nextWaiting() {
            carry(next, on: connection)
        } else {
            connection.server.idle.append(connection)
            idleCount += 1
            // Of this server's, the one that was idle for the longest time goes.
            if idleCount > keptIdle { close(connection.server.idle[0]) }
        }
    }

    /// Hears that the connection has ended before the answer did.
    func lose(_ exchange: Exchange, _ error: HTTPClientError) {
        let error = exchange.isUnsent ? .connectionBroken(requestSent: false) : error
        guard exchange.isRepeatable || exchange.isUnsent, let lost = exchange.connection, lost.served > 0, !isTornDown,
            case .connectionBroken = error
        else { return end(exchange, .failure(error)) }
        // It was idle and dead. The other idle ones may be as well.
        let server = lost.server
        exchange.connection = nil
        lost.exchange = nil
        discard(lost)
        open(for: exchange, at: server)
    }

    /// Tells the waiting caller, and closes the connection if the exchange still has one.
    func end(_ exchange: Exchange, _ outcome: Exchange.Outcome) {
        guard !exchange.isOver else { return }
        let last = active.removeLast()
        if last !== exchange {
            active[exchange.position] = last
            last.position = exchange.position
        }
        exchange.finish(outcome)
        guard let connection = exchange.connection else { return }
        exchange.connection = nil
        connection.exchange = nil
        close(connection)
    }

    /// Ends what has passed its deadline.
    private func expire() {
        let now = MonotonicTime.now
        for exchange in active where exchange.deadline <= now {
            if exchange.mayHaveBeenSent, let connection = exchange.connection { noteSilence(of: connection) }
            end(exchange, .failure(.timedOut(requestSent: exchange.mayHaveBeenSent)))
        }
        deadlines.move(to: active.lazy.map(\.deadline).min())
    }

    // MARK: Connections

    private func server(of url: EndpointURL) -> Server {
        if let latest, latest.name == url.server { return latest }
        let server = servers[url.server] ?? Server(url.server)
        servers[url.server] = server
        latest = server
        return server
    }

    /// Finds a connection for an exchange, makes one, or lets it wait.
    private func assign(_ exchange: Exchange, at server: Server) {
        let now = MonotonicTime.now
        while let connection = server.idle.last {
            if connection.isFresh(settings.limits, now: now), connection.isOpen {
                server.idle.removeLast()
                idleCount -= 1
                return carry(exchange, on: connection)
            }
            discard(connection)
        }
        if connections > 0, server.open >= connections {
            server.wait(exchange)
        } else {
            open(for: exchange, at: server)
        }
    }

    private func open(for exchange: Exchange, at server: Server) {
        guard let connection = OutboundConnection(to: server, for: exchange, settings, self),
            connector.connect(connection)
        else { return end(exchange, .failure(.couldNotConnect)) }
        server.open += 1
        exchange.connection = connection
    }

    private func carry(_ exchange: Exchange, on connection: OutboundConnection) {
        connection.exchange = exchange
        if let times = exchange.request.times {
            if connection.served > 0 { times.noteReused() } else { times.note(connection.times) }
        }
        exchange.begin(on: connection)
        connection.send()
    }

    /// Closes a connection, and lets those who wait have another in its place.
    func close(_ connection: OutboundConnection) {
        let server = connection.server
        discard(connection)
        guard !isTornDown else { return }
        if let next = server.nextWaiting() {
            open(for: next, at: server)
        } else if server.open == 0 {
            servers[server.name] = nil
            if latest === server { latest = nil }
        }
    }

    private func discard(_ connection: OutboundConnection) {
        if let place = connection.server.idle.firstIndex(where: { $0 === connection }) {
            connection.server.idle.remove(at: place)
            idleCount -= 1
        }
        connection.server.open -= 1
        connector.disconnect(connection)
    }

    /// Hears that a request had no answer in time. Where the network has swallowed it, it has probably forgotten all
    /// connections to that server: then those that are idle are ended, so that no other request is lost on them. A
    /// server that is merely slow has acknowledged what it got.
    private func noteSilence(of silent: OutboundConnection) {
        guard TCPState.isUnacknowledged(silent.descriptor), let peer = silent.peer else { return }
        for connection in silent.server.idle where connection.peer == peer { close(connection) }
    }

    /// Hears that curl has made a connection, or why not.
    private func made(_ connection: OutboundConnection, _ failure: HTTPClientError?) {
        guard let exchange = connection.exchange else { return }
        if let failure { return end(exchange, .failure(failure)) }
        do throws(HTTPClientError) {
            try connection.take()
        } catch {
            return end(exchange, .failure(error))
        }
        carry(exchange, on: connection)
    }
}

/// The way from a timer to its pool, which is complete only after its timer is.
private final class Owner: @unchecked Sendable {
    // Unchecked: set before the timer is, and used on the loop's thread.
    weak var pool: ConnectionPool?
}
