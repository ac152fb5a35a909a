internal import EventLoop
import Glibc
public import Postgres
import Synchronization
import Testing

/// The server of all tests that do nothing to it as a whole: one for the process, or the one that
/// `DEV_TEST_PG_URL` names.
public enum SharedServer {
    private static let own = Result { try PostgresServer() }
    private static let admin = Result { try admin(at: address("postgres")) }

    public static func address(_ database: String) throws -> String {
        guard let given = unsafe getenv("DEV_TEST_PG_URL").map({ unsafe String(cString: $0) }) else {
            return try ownAddress(database)
        }
        if !given.contains("://") { return given + " dbname=\(database)" }
        return given + (given.contains("?") ? "&" : "?") + "dbname=\(database)"
    }

    /// Of the process's own server, whichever else is named: it may be told who may come in, and where it is.
    public static func ownAddress(_ database: String) throws -> String {
        try own.get().address + " dbname=\(database)"
    }

    /// Makes a database that stays as long as the server does.
    public static func makeDatabase() async throws -> String {
        let name = "gatehouse_test_\(UInt64.random(in: 0 ... .max))"
        _ = try await admin.get().query(.once("CREATE DATABASE \(name) TEMPLATE template0"), timeout: .seconds(60))
        return try address(name)
    }

    /// Makes a database of the test's own, and drops it after the test.
    ///
    /// - Parameter options: what it is made with beside what is usual.
    public static func withDatabase(_ options: String = "", _ body: (String) async throws -> Void) async throws {
        let name = "gatehouse_test_\(UInt64.random(in: 0 ... .max))"
        // One connection, so that one is made after the other: a template can't be copied twice at a time.
        let admin = try admin.get()
        _ = try await admin.query(.once("CREATE DATABASE \(name) TEMPLATE template0 \(options)"), timeout: .seconds(60))
        do { try await body(address(name)) } catch {
            _ = try await admin.query(.once("DROP DATABASE \(name) WITH (FORCE)"), timeout: .seconds(60))
            throw error
        }
        _ = try await admin.query(.once("DROP DATABASE \(name) WITH (FORCE)"), timeout: .seconds(60))
    }

    /// A database that is lent to one test after the other, and the connection that empties it.
    private struct LentDatabase: Sendable {
        let address: String
        let pool: PostgresPool
    }

    /// Databases that tests are through with: their tables are there, and empty.
    private static let emptied = Mutex<[LentDatabase]>([])
    // As one statement, for it is prepared as one. To truncate a table would make new files for it and each of
    // its indexes, of which there are hundreds.
    private static let empty = Statement.once(
        """
        DO $$ DECLARE name text; BEGIN
            FOR name IN SELECT quote_ident(tablename) FROM pg_tables
                WHERE schemaname = 'public' AND tablename <> 'gatehouse_schema'
            LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
            PERFORM setval(quote_ident(sequencename)::regclass, start_value, false) FROM pg_sequences
                WHERE schemaname = 'public' AND last_value IS NOT NULL;
        END $$
        """)

    /// Lends a database whose tables are empty, if it has any: making one, and what is to be in it, takes longer than
    /// most tests.
    public static func withEmptyTables(_ body: (String) async throws -> Void) async throws {
        let database: LentDatabase
        if let left = emptied.withLock({ $0.popLast() }) {
            database = left
        } else {
            let address = try await makeDatabase()
            database = LentDatabase(address: address, pool: try admin(at: address))
        }
        try await body(database.address)
        // One whose test has failed is left as it is.
        _ = try await database.pool.query(empty, timeout: .patience)
        emptied.withLock { $0.append(database) }
    }

    /// A connection that stays as long as the process does.
    private static func admin(at address: String) throws -> PostgresPool {
        PostgresPool(
            loop: try adminLoop.get(), string: try ConnectionString(address),
            limits: PoolLimits(connections: 1, callersPerConnection: 1, connectTimeout: .seconds(60)))
    }

    private static let adminLoop = Result {
        let loop = try EventLoop(label: "databases")
        loop.start()
        return loop
    }
}

/// Runs a test with a pool on a loop of its own, and ends both.
public func withPool(
    at address: String, durability: Durability = .durable, limits: PoolLimits = PoolLimits(),
    _ body: (PostgresPool) async throws -> Void
) async throws {
    let loop = try EventLoop(label: "postgres")
    loop.start()
    defer { loop.stop() }
    let pool = PostgresPool(
        loop: loop, string: try ConnectionString(address), durability: durability, limits: limits)
    do { try await body(pool) } catch {
        await pool.close()
        throw error
    }
    await pool.close()
}

/// With a database of the test's own, too.
public func withPool(limits: PoolLimits = PoolLimits(), _ body: (PostgresPool) async throws -> Void) async throws {
    try await SharedServer.withDatabase { address in try await withPool(at: address, limits: limits, body) }
}

/// With the connections that PostgreSQL has by itself, for tests that change nothing.
public func withReadingPool(limits: PoolLimits = PoolLimits(), _ body: (PostgresPool) async throws -> Void) async throws
{
    try await withPool(at: SharedServer.address("postgres"), limits: limits, body)
}

extension Duration {
    /// For what is not to take long, on a machine that does much else.
    public static let patience = Duration.seconds(120)
}

/// Waits until so many sessions of this database sleep.
public func awaitSleepers(_ expected: Int64, _ pool: PostgresPool) async throws {
    let sleepers = Statement(
        "sleepers",
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
    let end = ContinuousClock.now + .patience
    while try await pool.query(sleepers, timeout: .patience)[0].integer(0) != expected {
        try #require(ContinuousClock.now < end, "there are never \(expected)")
    }
}

/// A statement that is not over before its test is.
public let sleep = Statement("sleep", "SELECT pg_sleep(600)")
