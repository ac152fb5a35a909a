public import Accounts
public import AccountsSQL
import Glibc
import Synchronization
public import System

/// Users in one SQLite file, for one server.
///
/// One connection writes, in grouped durable commits (``Writer``), a few read (``ReaderPool``); none of it runs on a
/// thread of Swift concurrency. Each operation's SQL stands in the file of the operation.
public final class SQLiteAccounts: SQLStore {
    /// Of how many steps the tables are that this version makes.
    public static var schema: Int { Schema.steps.count }

    let settings: SQLiteSettings
    public let sealer: StoreSealer
    public var tables: StoreTables { settings.tables }
    let writer: Writer
    public var outcomes: StoreOutcomes { writer.outcomes }
    let readers: ReaderPool
    let operatorReader: ReaderPool
    let usedCodes: UsedCodes
    private let turns: Turns
    /// How long a tool, or the service by itself, waits for its turn.
    private static let turnPatience = Duration.seconds(60)
    /// The secret keys as they were last read.
    public let knownSecretKeys: SecretKeyCache
    let logWatch = Mutex(LogWatch())
    let sessionSweep = SessionSweep()
    /// How many groups there were when expired rows were last removed.
    let sweptAfter = Atomic(0)
    /// What opening it has done to a store of an earlier version; nil when there was nothing to do.
    public let update: SchemaUpdate?
    private let lock: Mutex<StoreLock?>
    private let use: Mutex<StoreLock?>

    /// Opens the store. A server makes or updates it as needed; a tool updates it while no server has it.
    ///
    /// - Parameters:
    ///   - settings: where it is, and its limits.
    ///   - now: seconds since 1970.
    ///   - unlockKeyRing: opens the stored data keys with the master key.
    /// - Throws: `.inUse`, `.noStore`, `.newerSchema`, `.olderThanLedger`, `.unfinishedCopy`, `.notEmpty`,
    ///   `.noEarlierCopy`, `.wrongMasterKey`, `.unavailable`.
    public static func open(
        _ settings: SQLiteSettings, now: Int64, unlockKeyRing: @escaping KeyRingUnlocker
    ) async throws(RepositoryError) -> SQLiteAccounts {
        let isServer = settings.access == .server
        let isBeside = settings.access == .besideServer
        let lock = try await lock(settings)
        // Where the store is to be replaced it is not looked at before, and it is not replaced while somebody has it
        // open.
        let use = try await StoreLock.take(.use, database: settings.path, within: settings.busyTimeout)
        // A crash of who replaced it came in between; the next one who opens it goes on from there.
        guard !Replacement.isUnfinished(settings.path) else { throw .notOpened(.inUse) }
        let sealer = StoreSealer(unlockKeyRing)
        let writer = Writer(settings) { connection throws(RepositoryError) in
            // A process that can't open the newest data key must not write: what it seals would be lost with the older
            // ones.
            _ = try sealer.reload(connection)
        }
        // Memory decides which codes were used, so where they are not loaded there is room for none.
        let secretKeys = SecretKeyCache()
        let usedCodes = UsedCodes(
            limit: isServer ? settings.usedCodeLimit : 0, unprovenLimit: settings.unprovenCodeLimit)
        do throws(RepositoryError) {
            if isBeside { try await bringAlong(settings, writer) }
            let copy = isServer ? try await copyBeforeUpdate(settings, writer) : nil
            let began = ContinuousClock.now
            let found = try await writer.write { connection throws(RepositoryError) in
                let found = try begin(connection, settings, writer, sealer, secretKeys, now: now)
                if isServer { try CodeRows(connection: connection, usedCodes: usedCodes, now: now).load() }
                return found
            }
            let update =
                (1..<Schema.steps.count).contains(found)
                ? SchemaUpdate(from: found, to: Schema.steps.count, took: ContinuousClock.now - began, copy: copy) : nil
            try await writer.between { connection throws(RepositoryError) in
                try connection.keepTemporaryTables(inMemory: true)
            }
            let store = SQLiteAccounts(settings, sealer, writer, usedCodes, secretKeys, update, lock, use)
            // Of somebody who was erased before a crash. Where it can't be done yet, it is done later.
            if !isBeside { _ = try? await store.scrub() }
            return store
        } catch {
            await writer.close()
            withExtendedLifetime((lock, use)) {}
            throw error
        }
    }

    /// Opens a store that another one is to be copied into, with its tables and without any key.
    ///
    /// - Throws: `.inUse`, `.newerSchema`, `.notEmpty`, `.unavailable`.
    public static func openToFill(
        _ path: String, tables: StoreTables, now: Int64
    ) async throws(RepositoryError) -> SQLiteAccounts {
        try await open(SQLiteSettings(path: path, access: .filling, tables: tables), now: now) {
            _ throws(SealingError) in
            throw .unknownKey
        }
    }

    /// The first transaction: brings the tables up to date, opens the keys, makes those that are missing, and begins
    /// with the log and the ledger.
    ///
    /// - Returns: how many steps of the schema had been taken before.
    private static func begin(
        _ connection: SQLiteConnection, _ settings: SQLiteSettings, _ writer: Writer, _ sealer: StoreSealer,
        _ secretKeys: SecretKeyCache, now: Int64
    ) throws(RepositoryError) -> Int {
        let isBeside = settings.access == .besideServer
        if settings.access == .filling {
            // What is there of another version was begun by that, if it is no store in use.
            guard try Schema.isFreshOrCurrent(connection) else { throw .notOpened(.notEmpty) }
            let found = try Schema.migrate(connection)
            try Schema.add(settings.tables, connection)
            try writer.log.begin(connection)
            return found
        }
        // A file without tables is no store, and only a server makes one of it.
        if settings.access != .server { _ = try Schema.isCurrent(connection) }
        let found = isBeside ? Schema.steps.count : try Schema.migrate(connection)
        try CopyMark.refuse(connection)
        try Schema.add(settings.tables, connection)
        try KeyRingRows(connection: connection).unlock(sealer)
        let rows = SecretKeyRows(connection: connection)
        try rows.makeMissing(sealer, now: now)
        secretKeys.use(try rows.all(sealer))
        // Opens the keys, too, while the master key is the store's.
        try ContactRows(connection: connection, sealer: sealer).keys()
        try ContactWalk(connection: connection).finishWhereNobodyIs()
        // One server at a time has this file, so the holders of earlier leases are gone.
        if settings.access == .server { try GrantRows.releaseAll(connection) }
        try writer.log.begin(connection)
        try writer.ledger.begin(connection, sealer, isGuarded: !isBeside)
        return found
    }

    /// Takes the server's lock where it is to be taken, and finishes a replacement of the store that a crash has cut
    /// off, or removes what is there of it.
    private static func lock(_ settings: SQLiteSettings) async throws(RepositoryError) -> StoreLock? {
        let path = settings.path
        if !FileNames.exists(path), !Replacement.isUnfinished(path) {
            guard [.server, .filling].contains(settings.access) else { throw .notOpened(.noStore) }
            try makeFile(at: path)
        }
        guard settings.access != .besideServer || Replacement.isUnfinished(path) else { return nil }
        let lock = try await StoreLock.take(.server, database: path, within: settings.busyTimeout)
        StoreDraft.removeLeftovers(beside: path)
        if Replacement.isUnfinished(path) {
            let use = try await StoreLock.take(.replacement, database: path, within: settings.busyTimeout)
            try Replacement.finish(path)
            withExtendedLifetime(use) {}
        }
        return settings.access == .besideServer ? nil : lock
    }

    /// Makes the database file and its folders, for the owner alone: SQLite gives its log the mode of the database.
    ///
    /// An existing file is not even opened: closing it would drop the locks that SQLite may hold on it in this process.
    private static func makeFile(at path: String) throws(RepositoryError) {
        do throws(SystemError) {
            try FileNames.makeFolders(of: path)
            _ = try File(path, O_RDWR | O_CREAT | O_EXCL)
        } catch {
            guard error.code == EEXIST else { throw .unavailable(error.unavailability) }
        }
    }

    /// Updates an older store for a tool. A running server may be an older one, which the update would pull the tables
    /// from under.
    private static func bringAlong(_ settings: SQLiteSettings, _ writer: Writer) async throws(RepositoryError) {
        let isCurrent = try await writer.write { connection throws(RepositoryError) in
            try Schema.isCurrent(connection)
        }
        if isCurrent { return }
        let lock = try StoreLock(.server, database: settings.path)
        _ = try await copyBeforeUpdate(settings, writer)
        try await writer.write { connection throws(RepositoryError) in _ = try Schema.migrate(connection) }
        withExtendedLifetime(lock) {}
    }

    /// Under the server's lock.
    ///
    /// - Returns: where the store is as it was; nil where it stays as it is.
    private static func copyBeforeUpdate(
        _ settings: SQLiteSettings, _ writer: Writer
    ) async throws(RepositoryError) -> String? {
        guard settings.copiesBeforeUpdate else { return nil }
        return try await writer.between { connection throws(RepositoryError) in
            try EarlierCopy.make(connection, of: settings.path)
        }
    }

    private init(
        _ settings: SQLiteSettings, _ sealer: StoreSealer, _ writer: Writer, _ usedCodes: UsedCodes,
        _ secretKeys: SecretKeyCache, _ update: SchemaUpdate?, _ lock: consuming sending StoreLock?,
        _ use: consuming sending StoreLock?
    ) {
        (self.settings, self.sealer, self.writer) = (settings, sealer, writer)
        readers = ReaderPool(settings)
        var single = settings
        single.readers = 1
        operatorReader = ReaderPool(single)
        self.usedCodes = usedCodes
        turns = Turns(atOnce: settings.operationsPerRow, waitingLimit: settings.writeQueueLimit)
        knownSecretKeys = secretKeys
        self.update = update
        self.lock = Mutex(lock)
        self.use = Mutex(use)
    }

    public func write<Value: Sendable>(
        of key: TurnKey?, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void
    ) async throws(RepositoryError) -> Value {
        try await beginTurn(key)
        defer { endTurn(key) }
        return try await writer.write(body, settled: settled)
    }

    /// Waits until few enough do something with the same row; ``endTurn(_:)`` must follow, unless it throws.
    func beginTurn(_ key: TurnKey?) async throws(RepositoryError) {
        guard let key, turns.beginAtOnce(key) == nil else { return }
        let time = StoreTime(request: settings.requestTimeout, otherwise: Self.turnPatience)
        defer { time.note() }
        _ = try await turns.begin(key, until: time.deadline)
    }

    func endTurn(_ key: TurnKey?) {
        if let key { turns.end(key) }
    }

    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await readers.read(body)
    }

    public func readAside<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await operatorReader.read(body)
    }

    /// It is this machine's own.
    public func look(at clock: CommonClock) async throws(RepositoryError) {}

    /// Nobody else has the file, and its ledger is beside it.
    public func beat() async throws(RepositoryError) -> Bool { false }

    public func enterEpoch() {}

    /// How many writes wait for the commit under way: what tells that the disk is what limits.
    public var waitingWrites: Int { writer.waiting }

    /// Does something long on a connection of its own, so that nobody waits behind it.
    static func aside<Value: Sendable>(
        _ label: String, open: @escaping @Sendable () throws(RepositoryError) -> SQLiteConnection,
        body: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let queue = ConnectionQueue(label: label, open: open)
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>) in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(RepositoryError) in try body(try queue.connect()) })
            }
        }
        await queue.close()
        return try result.get()
    }

    public func close() async {
        await readers.close()
        await operatorReader.close()
        // The last connection of all to close copies the log into the database and removes it.
        await writer.close()
        lock.withLock { $0 = nil }
        use.withLock { $0 = nil }
    }
}
