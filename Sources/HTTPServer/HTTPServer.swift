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

    /// Listens, so that connections queue from now on; they are answered after ``start()``.
    ///
    /// - Parameters:
    ///   - loops: the loops to serve on, at least one. They belong to the caller, who starts and stops them.
    ///   - proxies: behind whom many clients stand: ``HTTPServerLimits/maximumConnectionsPerAddress`` does not hold for
    ///     them.
    ///   - tls: what clients are served under; nil where they speak plain HTTP.
    ///   - handler: makes the handler for a loop, knowing the real address.
    /// - Throws: `SystemError` when the address can't be bound, somebody else listens there, or what was opened before
    ///   is no TCP socket that listens.
    public init(
        at place: ListeningPlace, loops: [EventLoop], limits: HTTPServerLimits,
        proxies: [AddressRange] = [], tls: TLSServer? = nil,
        handler: @Sendable (EventLoop, SocketAddress) -> any RequestHandler
    ) throws(SystemError) {
        let budget = ConnectionBudget(limits, proxies: proxies)
        var listeners: [LoopListener] = []
        var handlers: [any RequestHandler] = []
        let first = try place.open(for: loops.count) { index, socket, first in
            if index == handlers.count { handlers.append(handler(loops[index], first)) }
            listeners.append(
                LoopListener(
                    loop: loops[index], socket: socket, limits: limits, budget: budget, tls: tls,
                    handler: handlers[index]))
        }
        (self.address, self.listeners, self.budget) = (first, listeners, budget)
    }

    /// The same on a host and a port of its own.
    public convenience init(
        host: String, port: UInt16, loops: [EventLoop], limits: HTTPServerLimits,
        handler: @Sendable (EventLoop, SocketAddress) -> any RequestHandler
    ) throws(SystemError) {
        try self.init(at: .bound(host: host, port: port), loops: loops, limits: limits, handler: handler)
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
