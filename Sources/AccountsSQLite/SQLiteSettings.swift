public import Accounts
public import AccountsSQL
public import Telemetry

/// Where the store is and how far each of its resources goes.
public struct SQLiteSettings: Sendable {
    /// Who may have the file open besides.
    public enum Access: Sendable {
        /// As its one server: a second one is refused.
        case server
        /// As a tool, beside a running server or without one. It makes no store, and uses up no authorization code:
        /// only the server knows which were used.
        case besideServer
        /// As a tool while no server runs: one that does is a reason to be refused, and none can start meanwhile.
        case insteadOfServer
        /// As a tool that fills an empty store with what another one has, while no server runs. It makes the file, and
        /// no keys.
        case filling
    }

    /// The database file. A server makes it with mode 0600 when missing, its folders with 0700.
    public var path: String
    public var access: Access
    /// The tables that it has: those of every store, and what is added to them.
    public var tables: StoreTables
    /// Which issuers were called otherwise when some of the rows were written.
    public var formerIssuers: FormerIssuers
    /// How long a statement waits for another process's lock before it fails, in milliseconds.
    public var busyTimeoutMilliseconds: Int32
    /// For all that one request asks of the store together, waiting for another process's lock included; nil where
    /// each piece of work has its own time only.
    public var requestTimeout: Duration?
    /// How many operations may do something with the same row at a time.
    public var operationsPerRow: Int
    /// How many writes share one commit at most.
    public var writeGroupLimit: Int
    /// How many writes wait at most; beyond it they fail as overloaded.
    public var writeQueueLimit: Int
    /// How many connections read.
    public var readers: Int
    /// How many reads wait at most, all readers together; beyond it they fail as overloaded.
    public var readQueueLimit: Int
    /// How much of the file the writing connection, and each reading one, keeps in memory, in KiB.
    public var writerCacheKiB: Int
    public var readerCacheKiB: Int
    /// After how many pages the write-ahead log is copied back into the database.
    public var checkpointPages: Int
    /// How many used authorization codes that have not expired are kept; beyond it sign-ins fail as overloaded. Each
    /// takes about 32 bytes of memory.
    public var usedCodeLimit: Int
    /// How many of them may be codes that proved nobody. Beyond it these are not recorded: they can't take the place of
    /// codes that sign somebody in.
    public var unprovenCodeLimit: Int

    /// Whether a store of an earlier version is copied beside itself before it is brought up to date.
    public var copiesBeforeUpdate: Bool
    /// Who is told of what the audit trail gets.
    public var auditObserver: (any AuditObserver)?
    /// Hear of each write's wait for its turn, and of each group's commit.
    public var observers: Observers

    var busyTimeout: Duration { .milliseconds(Int(busyTimeoutMilliseconds)) }

    public init(
        path: String, access: Access, tables: StoreTables, formerIssuers: FormerIssuers = .none,
        busyTimeoutMilliseconds: Int32 = 2000, requestTimeout: Duration? = nil, operationsPerRow: Int = 2,
        writeGroupLimit: Int = 256,
        writeQueueLimit: Int = 8192, readers: Int = 2, readQueueLimit: Int = 8192, writerCacheKiB: Int = 8192,
        readerCacheKiB: Int = 2048, checkpointPages: Int = 2000, usedCodeLimit: Int = 8_000_000,
        unprovenCodeLimit: Int = 1_000_000, copiesBeforeUpdate: Bool = true, auditObserver: (any AuditObserver)? = nil,
        observers: Observers = .none
    ) {
        (self.path, self.access, self.tables, self.formerIssuers) = (path, access, tables, formerIssuers)
        (self.busyTimeoutMilliseconds, self.requestTimeout) = (busyTimeoutMilliseconds, requestTimeout)
        (self.operationsPerRow, self.writeGroupLimit) = (operationsPerRow, writeGroupLimit)
        (self.writeQueueLimit, self.readers, self.readQueueLimit) = (writeQueueLimit, readers, readQueueLimit)
        (self.writerCacheKiB, self.readerCacheKiB) = (writerCacheKiB, readerCacheKiB)
        (self.checkpointPages, self.usedCodeLimit) = (checkpointPages, usedCodeLimit)
        (self.unprovenCodeLimit, self.copiesBeforeUpdate) = (unprovenCodeLimit, copiesBeforeUpdate)
        (self.auditObserver, self.observers) = (auditObserver, observers)
    }
}
