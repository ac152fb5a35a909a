public import EventLoop
public import Postgres

/// Where the store is and how far each of its resources goes.
public struct PostgresSettings: Sendable {
    public var address: ConnectionString
    /// Each has connections of its own, and a caller uses those of the loop that he runs on.
    public var loops: [EventLoop]
    /// Whether tables are made, or brought up to date, where they are missing.
    public var migrates: Bool
    /// The bounds of each loop's durable connections.
    public var limits: PoolLimits
    /// For a statement by itself, all waiting included.
    public var statementTimeout: Duration
    /// For several that depend on each other, and all tries of theirs.
    public var transactionTimeout: Duration

    public init(
        address: ConnectionString, loops: [EventLoop], migrates: Bool = true, limits: PoolLimits = PoolLimits(),
        statementTimeout: Duration = .seconds(5), transactionTimeout: Duration = .seconds(10)
    ) {
        self.address = address
        self.loops = loops
        self.migrates = migrates
        self.limits = limits
        self.statementTimeout = statementTimeout
        self.transactionTimeout = transactionTimeout
    }
}
