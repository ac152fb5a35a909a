public import Accounts
public import AccountsSQL
internal import EventLoop
internal import Postgres
internal import Synchronization
public import Syntax
internal import System
internal import Telemetry

/// Users in a PostgreSQL database, for any number of instances, all alike.
///
/// No instance keeps anything that another one would need. What is done often goes to the connections of the loop that
/// it comes from, in a statement of its own or in few; all else is the work that all engines share, in transactions
/// that are as if nobody else did anything meanwhile.
public final class PostgresAccounts: SQLStore {
    /// Of how many steps the tables are that this version makes.
    public static var schema: Int { Schema.steps.count }

    let settings: PostgresSettings
    public let sealer: StoreSealer
    public var tables: StoreTables { settings.tables }
    public let knownSecretKeys = SecretKeyCache()
    public let outcomes = StoreOutcomes()
    /// Of each loop, for what is kept.
    private let pools: [PostgresPool]
    /// Of each loop, one connection for what others need to see at once and may be lost with the server's machine.
    private let relaxedPools: [PostgresPool]
    /// For who waits for a row that somebody has locked: each has a connection, and keeps nobody else from anything.
    let waitingPool: PostgresPool
    let turns: Turns
    private let turn = Atomic<Int>(0)
    private let threads: WaitingThreads
    /// Until when claims are made where instances of the version before look, in seconds since 1970.
    private let wasMade = Atomic(false)
    /// Whether its tables were made when it was opened.
    public var isNew: Bool { wasMade.load(ordering: .relaxed) }
    private let besideOlderUntil = Atomic<Int64>(0)
    var codesBesideOlderUntil: Int64 { besideOlderUntil.load(ordering: .relaxed) }
    let numbers = NumberBlock()
    /// Keeps everybody from a server that lacks something of what was acknowledged.
    let fence: Fence
    /// Of which epoch what was read is, counted from the opening, and which was told last to who reads more of it.
    let epoch = Atomic<Int>(0)
    let toldEpoch = Atomic<Int>(0)

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - settings: where it is, and its limits.
    ///   - now: seconds since 1970.
    ///   - unlockKeyRing: opens the stored data keys with the master key.
    /// - Throws: `.olderServer`, `.otherEncoding`, `.noStore`, `.newerSchema`, `.otherDialect`, `.unfinishedCopy`,
    ///   `.wrongMasterKey`, `.unavailable`.
    public static func open(
        _ settings: PostgresSettings, now: Int64, unlockKeyRing: @escaping KeyRingUnlocker
    ) async throws(RepositoryError) -> PostgresAccounts {
        let store = PostgresAccounts(settings, StoreSealer(unlockKeyRing))
        do throws(RepositoryError) {
            try await store.takeOverMark()
            try await Schema.checkServer(store)
            if try await Schema.stepsTaken(Work(store)) == nil {
                guard settings.mayCreate else { throw .notOpened(.noStore) }
                store.wasMade.store(true, ordering: .relaxed)
            }
            try await Schema.migrate(store)
            try await Schema.checkDialect(store)
            try await Schema.addTables(store)
            if settings.isFenced { try await store.fence.meet(store.pool(.durable)) }
            try await store.begin(now: now)
            return store
        } catch {
            await store.close()
            throw error
        }
    }

    /// Opens a store that another one is to be copied into, with its tables and without any key.
    ///
    /// - Throws: `.olderServer`, `.otherEncoding`, `.newerSchema`, `.otherDialect`, `.notEmpty`, `.unavailable`.
    public static func openToFill(_ settings: PostgresSettings) async throws(RepositoryError) -> PostgresAccounts {
        let store = PostgresAccounts(settings, StoreSealer { _ throws(SealingError) in throw .unknownKey })
        do throws(RepositoryError) {
            try await Schema.checkServer(store)
            // What is there of another version was begun by that, if it is no store in use.
            guard try await Schema.isFreshOrCurrent(Work(store)) else { throw .notOpened(.notEmpty) }
            try await Schema.migrate(store)
            try await Schema.checkDialect(store)
            try await Schema.addTables(store)
            return store
        } catch {
            await store.close()
            throw error
        }
    }

    private init(_ settings: PostgresSettings, _ sealer: StoreSealer) {
        (self.settings, self.sealer) = (settings, sealer)
        let fence = Fence(hasLog: settings.dialect == .postgresql)
        self.fence = fence
        let greeting = settings.isFenced ? fence : nil
        threads = WaitingThreads(
            threads: settings.waitingThreads, waitingLimit: settings.limits.waitingCallers,
            observers: settings.observers)
        var limits = settings.limits
        // Before the deadline of who waits for it, with which all who share the connection would lose it.
        limits.serverTimeout = settings.statementTimeout * 3 / 4
        limits.lockTimeout = settings.lockTimeout
        pools = settings.loops.map { [limits] in
            PostgresPool(
                loop: $0, string: settings.address, durability: .durable, limits: limits, greeting: greeting,
                observers: settings.observers)
        }
        var waiting = settings.limits
        waiting.connections = settings.waitingConnections
        waiting.callersPerConnection = 1
        // Work that nobody waits for may wait longer, and is ended by its own time.
        waiting.serverTimeout = settings.transactionTimeout
        waitingPool = PostgresPool(
            loop: settings.loops[0], string: settings.address, limits: waiting, greeting: greeting,
            observers: settings.observers)
        turns = Turns(atOnce: settings.operationsPerRow, waitingLimit: settings.limits.waitingCallers)
        var single = limits
        single.connections = 1
        relaxedPools = settings.loops.map {
            PostgresPool(
                loop: $0, string: settings.address, durability: .relaxed, limits: single, greeting: greeting,
                observers: settings.observers)
        }
    }

    /// Opens the keys, and makes those that are missing. Of instances that begin at once one makes them.
    private func begin(now: Int64) async throws(RepositoryError) {
        let keys = try await write(.serializable) { [sealer] connection throws(RepositoryError) in
            try CopyMark.refuse(connection)
            try KeyRingRows(connection: connection).unlock(sealer)
            let rows = SecretKeyRows(connection: connection)
            try rows.makeMissing(sealer, now: now)
            // Opens the keys, too, while the master key is the store's.
            try ContactRows(connection: connection, sealer: sealer).keys()
            try ContactWalk(connection: connection).finishWhereNobodyIs()
            try Sweep.begin(connection)
            return try rows.all(sealer)
        }
        knownSecretKeys.use(keys)
        let since = try await Work(self).first(UsedCodeRows.since)?.integer(0)
        besideOlderUntil.store(since.map { $0 + UsedCodeRows.besideOlderSeconds } ?? 0, ordering: .relaxed)
        // A recovery passes more of them.
        if settings.isFenced { try await goOnBehindRows() }
        try await bringWhatWaits()
    }

    private static let oneAtATime = Query("SELECT 1 FROM meta WHERE name = 'beat' FOR UPDATE")

    /// Has numbers and events go on behind those that are there: a store that was moved by replication of its rows
    /// brings no sequences along, and the transactions of another cluster have other numbers.
    func goOnBehindRows() async throws(RepositoryError) {
        try await write(.readCommitted) { [tables] connection throws(RepositoryError) in
            // Sequences know no transactions: of two at once the second would set them back.
            try connection.run(Self.oneAtATime)
            try StoreNumbers(connection: connection, tables: tables).goOnBehindRows()
        }
        guard settings.dialect == .postgresql else { return }
        _ = try await Work(self).first(AuditStatements.passForeignEvents)
    }

    /// The connections of the loop that this is called on, or of any.
    func pool(_ durability: Durability) -> PostgresPool {
        let pools = durability == .durable ? pools : relaxedPools
        if let own = pools.first(where: { $0.loop.isCurrent }) { return own }
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return pools[Int(turn.magnitude % pools.count.magnitude)]
    }

    public func write<Value: Sendable>(
        of key: TurnKey?, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void
    ) async throws(RepositoryError) -> Value {
        let value = try await inTurn(of: key) { () async throws(RepositoryError) in
            try await write(.serializable, body)
        }
        settled(value)
        return value
    }

    /// The same for work that may need less than being alone.
    func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let isTold = settings.auditObserver != nil
        let isRecorded = settings.ledger != nil
        let origin = AuditContext.current
        let (value, events, records) = try await transact(isolation) { work throws(RepositoryError) in
            try await wait(for: work) {
                [sealer] connection throws(RepositoryError) -> (Value, [NewAuditEvent], [(number: Int64, line: String)])
                in
                if isTold { connection.notedEvents = [] }
                connection.auditContext = origin
                try Self.adoptNewerKey(sealer, connection)
                let value = try body(connection)
                let records = isRecorded && connection.ledger.hasNews ? try LedgerRows.waiting(connection) : []
                return (value, connection.notedEvents ?? [], records)
            }
        }
        tell(events)
        try await bring(records)
        return value
    }

    /// Tells of what is on disk now.
    func tell(_ events: [NewAuditEvent]) {
        if !events.isEmpty { settings.auditObserver?.noted(events) }
    }

    private static let newestKey = Query("SELECT max(number) FROM key_ring")

    /// What is sealed in this transaction is sealed under the newest key, also where another instance has just made it:
    /// else sealing anew would miss it.
    private static func adoptNewerKey(_ sealer: StoreSealer, _ connection: any StoreConnection) throws(RepositoryError)
    {
        // Before the store is open there is none.
        guard let known = try? sealer.current.newestKey,
            let newest = try connection.first(newestKey, read: { $0.integer(0) }), newest > known
        else { return }
        _ = try sealer.reload(connection)
    }

    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await wait(for: Work(self), body)
    }

    /// As of one moment.
    public func readAside<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await transact { work throws(RepositoryError) in try await wait(for: work, body) }
    }

    private func wait<Value: Sendable>(
        for work: Work, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let loop = pool(.durable).loop
        let scope = StepScope.current
        return try await threads.run { () throws(RepositoryError) in
            try body(WaitingConnection(work, loop, scope))
        }
    }

    public func noteErasure() {}

    /// How many connections serve, of those for all that it does, and how many are not as far yet.
    public func connectionCounts() async -> (serving: Int, connecting: Int) {
        var (serving, connecting) = (0, 0)
        for pool in allPools {
            let counts = await pool.connectionCounts
            serving += counts.serving
            connecting += counts.connecting
        }
        return (serving, connecting)
    }

    var allPools: [PostgresPool] { pools + relaxedPools + [waitingPool] }

    /// Refuses what comes after with `.unavailable(.closed)`, and lets the store go.
    public func close() async {
        for pool in allPools { await pool.close() }
        await settings.ledger?.close()
        sealer.forget()
    }
}

/// Sign-ins through the browser, of which anybody may begin as many as they like: what they do to a row each does by
/// itself, so that none waits for another.
extension PostgresAccounts {
    private static let find = Postgres.Statement(
        "SELECT browser, content, expires, narrow, wide FROM pending_sign_ins WHERE handle = $1 AND expires > $2")
    private static let end = Postgres.Statement("DELETE FROM pending_sign_ins WHERE handle = $1 AND expires > $2")

    public func beginSignIn(
        _ pending: PendingSignIn, instead former: TokenHash?, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(.readCommitted) { connection throws(RepositoryError) in
            let rows = PendingSignInRows(connection: connection)
            if let former, try !rows.delete(former, now: now) { return false }
            try rows.insert(pending)
            return true
        }
    }

    public func pendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingSignIn? {
        guard let row = try await Work(self).first(Self.find, .hash(handle), .integer(now)) else { return nil }
        return PendingSignIn(
            handle: handle, browser: try row.hash(0), content: try row.bytes(1), expiresAt: try row.integer(2),
            network: NetworkHash(narrow: try row.integer(3), wide: try row.integer(4)))
    }

    public func endPendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await Work(self).run(Self.end, .hash(handle), .integer(now)) == 1
    }
}

/// Budgets, of which many instances take at once: the row's own lock decides, so that none is begun again.
extension PostgresAccounts {
    public func take(_ budget: Budget, for key: [UInt8], now: Int64) async throws(RepositoryError) -> Int64? {
        try await inTurn(of: .budget(key)) { () async throws(RepositoryError) in
            try await write(.readCommitted) { [sealer, knownSecretKeys] connection throws(RepositoryError) in
                try BudgetRows(connection: connection, sealer: sealer, keys: knownSecretKeys, now: now)
                    .take(budget, for: key)
            }
        }
    }

    public func take(_ budget: Budget, for address: IPAddress, now: Int64) async throws(RepositoryError) -> Int64? {
        try await inTurn(of: .budget(Array(address.description.utf8))) { () async throws(RepositoryError) in
            try await write(.readCommitted) { [sealer, knownSecretKeys] connection throws(RepositoryError) in
                try BudgetRows(connection: connection, sealer: sealer, keys: knownSecretKeys, now: now)
                    .take(budget, for: address)
            }
        }
    }
}
