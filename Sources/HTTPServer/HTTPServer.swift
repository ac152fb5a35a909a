public import EventLoop

/// An HTTP/1.1 server: one listener on each loop.
public final class HTTPServer: Sendable {
    /// Where it listens, with the real port.
    public let address: SocketAddress
    private let listeners: [LoopListener]

    /// Binds, so that connections queue from now on; they are answered after ``start()``.
    ///
    /// - Parameters:
    ///   - host: an address or a name to bind to.
    ///   - port: 0 lets the kernel choose.
    ///   - loops: the loops to serve on, at least one. They belong to the caller, who starts and stops them.
    ///   - isProxy: whether an address is that of a proxy, behind which many clients stand:
    ///     ``HTTPServerLimits/connectionsPerAddress`` does not hold for it.
    ///   - handler: makes the handler for a loop, knowing the real address.
    /// - Throws: `SystemError` when the address can't be bound, or somebody else listens there.
    public init(
        host: String, port: UInt16, loops: [EventLoop], limits: HTTPServerLimits,
        isProxy: @escaping @Sendable (SocketAddress) -> Bool = { _ in false },
        handler: @Sendable (EventLoop, SocketAddress) -> any RequestHandler
    ) throws(SystemError) {
        // The loops share the port, and so would any other server of this user's, which would get half of the connections:
        // a socket that shares with nobody finds out.
        if port != 0 { _ = try ListeningSocket(host: host, port: port, sharesPort: false) }
        let budget = ConnectionBudget(limits, isProxy: isProxy)
        var listeners: [LoopListener] = []
        var address = SocketAddress(bytes: .init(high: 0, low: 0), isIPv6: false, port: port)
        for loop in loops {
            let socket = try ListeningSocket(host: host, port: address.port, sharesPort: true)
            address = socket.address
            listeners.append(
                LoopListener(
                    loop: loop, socket: socket, limits: limits, budget: budget, handler: handler(loop, address)))
        }
        self.address = address
        self.listeners = listeners
    }

    /// Begins to accept connections.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`.
    public func start() async throws(SystemError) {
        for listener in listeners {
            try await listener.start(neighbours: listeners.filter { $0 !== listener })
        }
    }

    /// From now on every answer is the last of its connection, so that clients which keep theirs turn elsewhere with their
    /// next request. Connections are accepted as before.
    public func announceClose() async {
        for listener in listeners { await listener.announceClose() }
    }

    /// Stops accepting, closes idle connections, lets requests that run finish with `Connection: close`, and closes what
    /// is left after `limit`. The loops must still run. A server that was started must be drained before it is let go.
    public func drain(within limit: Duration) async {
        for listener in listeners { await listener.stopAccepting() }
        await withTaskGroup { group in
            for listener in listeners { group.addTask { await listener.drain(within: limit) } }
        }
    }
}
