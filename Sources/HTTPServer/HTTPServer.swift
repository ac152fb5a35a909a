public import EventLoop
public import Syntax
public import System
public import TLS

/// An HTTP/1.1 server: for each address of its host one listener on each loop.
public final class HTTPServer: Sendable {
    /// Where it listens, with the real port; of several addresses the first.
    public let address: SocketAddress
    private let listeners: [LoopListener]
    private let budget: ConnectionBudget

    /// How many connections there are.
    public var connectionCount: Int { budget.openCount }
    /// How many were refused since the start.
    public var refusalCounts: [(reason: ConnectionRefusal, count: Int)] { budget.refusalCounts }

    /// Binds, so that connections queue from now on; they are answered after ``start()``.
    ///
    /// - Parameters:
    ///   - host: an address to bind to, or a name, to whose addresses it binds: those of them that the machine has.
    ///   - port: 0 lets the kernel choose.
    ///   - loops: the loops to serve on, at least one. They belong to the caller, who starts and stops them.
    ///   - proxies: behind whom many clients stand: ``HTTPServerLimits/maximumConnectionsPerAddress`` does not hold for
    ///     them.
    ///   - tls: what clients are served under; nil where they speak plain HTTP.
    ///   - handler: makes the handler for a loop, knowing the real address.
    /// - Throws: `SystemError` when the address can't be bound, or somebody else listens there.
    public init(
        host: String, port: UInt16, loops: [EventLoop], limits: HTTPServerLimits,
        proxies: [AddressRange] = [], tls: TLSServer? = nil,
        handler: @Sendable (EventLoop, SocketAddress) -> any RequestHandler
    ) throws(SystemError) {
        let budget = ConnectionBudget(limits, proxies: proxies)
        var listeners: [LoopListener] = []
        var handlers: [any RequestHandler] = []
        var first: SocketAddress?
        var missing: SystemError?
        for name in try ListeningSocket.addresses(of: host) {
            do throws(SystemError) {
                // The loops share the port, and so would any other server of this user's, which would get half of the
                // connections: a socket that shares with nobody finds out.
                if port != 0 { _ = try ListeningSocket(host: name, port: port, sharesPort: false) }
                for (index, loop) in loops.enumerated() {
                    let socket = try ListeningSocket(host: name, port: first?.port ?? port, sharesPort: true)
                    let address = first ?? socket.address
                    first = address
                    if index == handlers.count { handlers.append(handler(loop, address)) }
                    listeners.append(
                        LoopListener(
                            loop: loop, socket: socket, limits: limits, budget: budget, tls: tls,
                            handler: handlers[index]))
                }
            } catch {
                // A name may have an address of a family that the machine does without.
                guard error.meansNoSuchAddress else { throw error }
                missing = error
            }
        }
        guard let address = first else { throw missing ?? .hostNotFound }
        (self.address, self.listeners, self.budget) = (address, listeners, budget)
    }

    /// Begins to accept connections.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`.
    public func start() async throws(SystemError) {
        for listener in listeners {
            try await listener.start(neighbours: listeners.filter { $0 !== listener })
        }
    }

    /// From now on every answer is the last of its connection, so that clients which keep theirs turn elsewhere with
    /// their next request. Connections are accepted as before.
    public func announceClose() async {
        for listener in listeners { await listener.announceClose() }
    }

    /// Stops accepting, closes idle connections, lets requests that run finish with `Connection: close`, and closes
    /// what is left after `limit`. The loops must still run. A server that was started must be drained before it is let
    /// go.
    public func drain(within limit: Duration) async {
        for listener in listeners { await listener.stopAccepting() }
        await withTaskGroup { group in
            for listener in listeners { group.addTask { await listener.drain(within: limit) } }
        }
    }
}

/// What answers requests. One handler serves one loop and runs on it, so it must not block.
public protocol RequestHandler: Sendable {
    /// Fields that every answer has, unless it says otherwise (``HTTPResponse/hasCommonFields``).
    var commonFields: [(name: String, value: String)] { get }
    /// Fields that every answer has, whatever it says: what is told of the way that answers go.
    var transportFields: [(name: String, value: String)] { get }

    /// Answers a request. Its task is cancelled when the client is gone.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// The answer to a request that was refused before there was one. The connection closes after it.
    func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse
}
