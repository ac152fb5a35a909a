/// What a client may take. 0 turns a limit off.
public struct HTTPServerLimits: Sendable {
    /// Open connections over all loops. Beyond it the oldest idle one is closed; when none is idle, the new one gets
    /// 503.
    public var maximumConnections: Int
    /// Open connections of one client address, an IPv6 /64 being one. Beyond it, a new one gets 503.
    public var maximumConnectionsPerAddress: Int
    /// The request line and all field lines together, and the trailer section by itself.
    public var maximumHeaderBytes: Int
    /// Field lines of one request.
    public var maximumHeaderFields: Int
    /// The request target alone.
    public var maximumRequestTargetBytes: Int
    /// The body, after transfer coding is undone.
    public var maximumBodyBytes: Int
    /// What is read ahead of later requests while one is being answered.
    public var maximumPipelinedBytes: Int
    /// From the first byte of a request to the end of its head.
    public var headerTimeout: Duration
    /// From the end of the head to the end of the body.
    public var bodyTimeout: Duration
    /// How long a connection may be open without a request.
    public var idleTimeout: Duration
    /// From the first byte of an answer to its last being taken by the client.
    public var writeTimeout: Duration
    /// How long a connection that was answered for the last time waits for the client to read that.
    public var lingerTimeout: Duration
    /// How long accepting rests when the system has no descriptor left, unless a connection closes before.
    public var acceptRetry: Duration
    /// How old a connection that has not asked for anything may get while the server drains: its first request may be
    /// on its way.
    public var firstRequestGrace: Duration

    public init(
        maximumConnections: Int = 20_000, maximumConnectionsPerAddress: Int = 0, maximumHeaderBytes: Int = 32_768,
        maximumHeaderFields: Int = 100, maximumRequestTargetBytes: Int = 16_384, maximumBodyBytes: Int = 65_536,
        maximumPipelinedBytes: Int = 16_384,
        headerTimeout: Duration = .seconds(10), bodyTimeout: Duration = .seconds(10),
        idleTimeout: Duration = .seconds(75),
        writeTimeout: Duration = .seconds(10), lingerTimeout: Duration = .seconds(2),
        acceptRetry: Duration = .milliseconds(100), firstRequestGrace: Duration = .seconds(2)
    ) {
        self.maximumConnections = maximumConnections
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        (self.maximumHeaderBytes, self.maximumHeaderFields) = (maximumHeaderBytes, maximumHeaderFields)
        (self.maximumRequestTargetBytes, self.maximumBodyBytes) = (maximumRequestTargetBytes, maximumBodyBytes)
        (self.maximumPipelinedBytes, self.headerTimeout) = (maximumPipelinedBytes, headerTimeout)
        (self.bodyTimeout, self.idleTimeout, self.writeTimeout) = (bodyTimeout, idleTimeout, writeTimeout)
        (self.lingerTimeout, self.acceptRetry) = (lingerTimeout, acceptRetry)
        self.firstRequestGrace = firstRequestGrace
    }

    /// How many connections more than a limit are still told that there are too many; later ones are just closed.
    public static func refusals(beyond limit: Int) -> Int { min(256, max(16, limit / 4)) }

    /// A limit as a bound that is always there, and far enough from the largest number to be added to.
    static func bound(_ limit: Int) -> Int { limit > 0 ? min(limit, .max >> 2) : .max >> 2 }
}
