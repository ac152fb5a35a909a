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

    /// Databases that tests are through with: their tables are there, and empty.
    private static let emptied = Mutex<[String]>([])
    // As one statement, for it is prepared as one.
    private static let empty = Statement.once(
        """
        DO $$ BEGIN
            EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY'
                FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'gatehouse_schema');
            EXECUTE (SELECT string_agg('ALTER SEQUENCE ' || quote_ident(sequencename) || ' RESTART', '; ')
                FROM pg_sequences WHERE schemaname = 'public');
        END $$
        """)

    /// Lends a database whose tables are empty, if it has any: making one, and what is to be in it, takes longer than
    /// most tests.
    public static func withEmptyTables(_ body: (String) async throws -> Void) async throws {
        let address: String
        if let left = emptied.withLock({ $0.popLast() }) { address = left } else { address = try await makeDatabase() }
        try await body(address)
        // One whose test has failed is left as it is.
        try await withPool(at: address, limits: PoolLimits(connections: 1)) { pool in
            _ = try await pool.query(empty, timeout: .patience)
        }
        emptied.withLock { $0.append(address) }
    }

    private static func admin(at address: String) throws -> PostgresPool {
        let loop = try EventLoop(label: "databases")
        loop.start()
        return PostgresPool(
            loop: loop, string: try ConnectionString(address),
            limits: PoolLimits(connections: 1, callersPerConnection: 1))
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
