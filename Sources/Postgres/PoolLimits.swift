/// The bounds of a pool.
public struct PoolLimits: Sendable {
    /// How many connections it keeps.
    public var connections: Int
    /// How many callers one connection serves at a time. Each waits for those before it, and all of them lose the
    /// connection when one passes its deadline and nothing has come from the server for a while.
    public var callersPerConnection: Int
    /// How many callers may wait for a place beyond these.
    public var waitingCallers: Int
    /// How long a caller waits to be let in (``PostgresPool/admit()``). Nil: everybody is let in at once.
    public var longestAdmission: Duration?
    /// For one try to connect, TLS and authentication included.
    public var connectTimeout: Duration
    /// How long callers wait for a server that is away, counted from when it went: later callers are refused at
    /// once until it is back. Nil: each waits to its own deadline.
    public var outagePatience: Duration?
    /// Whether statements stay prepared; false behind a pooler that gives each transaction another connection to the
    /// server.
    public var keepsStatements: Bool
    /// When the server itself ends a statement, which mostly waits for a lock then, or a transaction in which nothing
    /// happens: it does not notice that nobody waits for it any more. A commit is ended by nothing. Nil: never.
    public var serverTimeout: Duration?
    /// How long a statement waits for what others have locked, and with it all who share its connection. Nil: as long
    /// as for anything else.
    public var lockTimeout: Duration?
    /// How long the server hears nothing before it asks whether this side is still there, and ends a session that does
    /// not answer; it keeps those of a network that was cut for hours else. Nil: as the server's system has it.
    public var serverKeepalive: Duration?

    public init(
        connections: Int = 2, callersPerConnection: Int = 32, waitingCallers: Int = 1024,
        longestAdmission: Duration? = nil,
        connectTimeout: Duration = .seconds(5), outagePatience: Duration? = nil, keepsStatements: Bool = true,
        serverTimeout: Duration? = nil, lockTimeout: Duration? = nil,
        serverKeepalive: Duration? = nil
    ) {
        (self.longestAdmission, self.outagePatience) = (longestAdmission, outagePatience)
        (self.keepsStatements, self.connections) = (keepsStatements, connections)
        (self.callersPerConnection, self.waitingCallers) = (callersPerConnection, waitingCallers)
        (self.connectTimeout, self.serverTimeout, self.lockTimeout) = (connectTimeout, serverTimeout, lockTimeout)
        self.serverKeepalive = serverKeepalive
    }

    /// What is asked of the session, as settings of the server's.
    var sessionSettings: [String] {
        var settings: [String] = []
        if let serverTimeout {
            let milliseconds = max(1, Int(serverTimeout / .milliseconds(1)))
            settings += ["statement_timeout=\(milliseconds)", "idle_in_transaction_session_timeout=\(milliseconds)"]
        }
        if let lockTimeout { settings.append("lock_timeout=\(max(1, Int(lockTimeout / .milliseconds(1))))") }
        if let serverKeepalive {
            let seconds = max(1, Int(serverKeepalive / .seconds(1)))
            settings += [
                "tcp_keepalives_idle=\(seconds)", "tcp_keepalives_interval=\(seconds)", "tcp_keepalives_count=2",
                // For what is on its way, which keepalives do not watch.
                "tcp_user_timeout=\(seconds * 3)s",
            ]
        }
        return settings
    }
}
