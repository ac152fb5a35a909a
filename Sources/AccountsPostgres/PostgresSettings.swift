public import Accounts
public import AccountsSQL
public import EventLoop
public import Postgres
public import Telemetry

/// Where the store is and how far each of its resources goes.
public struct PostgresSettings: Sendable {
    public var address: ConnectionString
    /// Each has connections of its own, and a caller uses those of the loop that it runs on.
    public var loops: [EventLoop]
    public var dialect: Dialect
    /// Whether tables are made where there are none.
    public var mayCreate: Bool
    /// The tables that it has: those of every store, and what is added to them.
    public var tables: StoreTables
    /// Which issuers were called otherwise when some of the rows were written.
    public var formerIssuers: FormerIssuers
    /// The bounds of each loop's durable connections.
    public var limits: PoolLimits
    /// How long a statement may keep those behind it waiting for a row that somebody has locked; it waits on one of
    /// `waitingConnections` then, of all loops together, and by itself.
    public var lockTimeout: Duration
    public var waitingConnections: Int
    /// How many operations may do something with the same row at a time.
    public var operationsPerRow: Int
    /// How many pieces of work wait for the answers to their statements at a time, each on a thread.
    public var waitingThreads: Int
    /// For a statement by itself, all waiting included.
    public var statementTimeout: Duration
    /// For several that depend on each other, and all tries of theirs.
    public var transactionTimeout: Duration
    /// How long of these it is tried again while there is no connection; nil for all of it.
    public var outageTimeout: Duration?
    /// How far this machine's clock may be from the server's, in seconds.
    public var clockSkewSeconds: Int64
    /// For all that one request asks of the store together; nil where each piece of work has its own time only.
    public var requestTimeout: Duration?

    /// Whether a server that lacks something of what was acknowledged serves nobody; false for who mends that.
    public var isFenced: Bool
    /// What outlives the database; nil where nothing does.
    public var ledger: (any StoreLedger)?

    /// Who is told of what the audit trail gets.
    public var auditObserver: (any AuditObserver)?
    /// Hear of each wait for a connection or a thread, and of each commit.
    public var observers: Observers

    public init(
        address: ConnectionString, loops: [EventLoop], dialect: Dialect = .postgresql, mayCreate: Bool,
        tables: StoreTables, formerIssuers: FormerIssuers = .none,
        limits: PoolLimits = PoolLimits(connections: 4), lockTimeout: Duration = .milliseconds(100),
        waitingConnections: Int = 4, operationsPerRow: Int = 2,
        waitingThreads: Int = 16, statementTimeout: Duration = .seconds(5), transactionTimeout: Duration = .seconds(10),
        outageTimeout: Duration? = nil, clockSkewSeconds: Int64 = 60, requestTimeout: Duration? = nil,
        isFenced: Bool = true, ledger: (any StoreLedger)? = nil, auditObserver: (any AuditObserver)? = nil,
        observers: Observers = .none
    ) {
        (self.address, self.loops, self.dialect, self.mayCreate) = (address, loops, dialect, mayCreate)
        (self.tables, self.formerIssuers, self.limits) = (tables, formerIssuers, limits)
        (self.lockTimeout, self.waitingConnections) = (lockTimeout, waitingConnections)
        (self.operationsPerRow, self.waitingThreads) = (operationsPerRow, waitingThreads)
        (self.statementTimeout, self.transactionTimeout) = (statementTimeout, transactionTimeout)
        (self.outageTimeout, self.clockSkewSeconds) = (outageTimeout, clockSkewSeconds)
        (self.requestTimeout, self.isFenced, self.ledger) = (requestTimeout, isFenced, ledger)
        (self.auditObserver, self.observers) = (auditObserver, observers)
    }
}
