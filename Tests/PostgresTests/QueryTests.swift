import PostgresTestSupport
import Testing

@testable import Postgres

@Suite struct `A query` {
    private static let one = Statement("one", "SELECT $1::int8", .integer)
    private static let backend = Statement("backend", "SELECT pg_backend_pid()")
    private static let insert = Statement("insert", "INSERT INTO things VALUES ($1, $2)", .integer, .text)
    private static let count = Statement("count", "SELECT count(*) FROM things")
    private static let single = PoolLimits(connections: 1, callersPerConnection: 8)

    private static let things = Statement.once(
        """
        CREATE TABLE things (
            id int8 PRIMARY KEY, name text, CONSTRAINT one_name UNIQUE (name) DEFERRABLE INITIALLY DEFERRED)
        """)

    /// With one connection and a table.
    private func withThings(_ body: (PostgresPool) async throws -> Void) async throws {
        try await withPool(limits: Self.single) { pool in
            _ = try await pool.query(Self.things, timeout: .patience)
            try await body(pool)
        }
    }

    private func expectThings(
        _ expected: Int64, in pool: PostgresPool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let count = try await pool.query(Self.count, timeout: .patience)[0].integer(0)
        #expect(count == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 4]) func `gets its own answer among a thousand at once`(connections: Int) async throws {
        try await withReadingPool(limits: PoolLimits(connections: connections)) { pool in
            let right = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<1000 as Range<Int64> {
                    group.addTask {
                        try await pool.query(Self.one, .integer(number), timeout: .patience)[0].integer(0) == number
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(right == 1000)
        }
    }

    @Test func `shares its connection with others that are under way`() async throws {
        try await withThings { pool in
            // The first of them holds up all of them until they are on their way.
            async let slow = pool.query(.once("SELECT pg_sleep(0.2), pg_backend_pid()"), timeout: .patience)
            let backends = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<7 {
                    group.addTask { try await pool.query(Self.backend, timeout: .patience)[0].integer(0) }
                }
                return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
            }
            let first = try await slow[0].integer(1)
            #expect(backends == [first])
        }
    }

    @Test func `that is large goes out and comes back while others do, too`() async throws {
        try await withReadingPool(limits: Self.single) { pool in
            let echo = Statement("bytes", "SELECT $1::bytea", .bytes)
            let bytes = [UInt8](repeating: 7, count: 4 << 20)
            let right = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await pool.query(echo, .bytes(bytes), timeout: .patience)[0].bytes(0) == bytes
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(right == 8)
        }
    }

    @Test func `that is refused leaves the connection to others`() async throws {
        try await withThings { pool in
            let before = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            await #expect(throws: PostgresError.refused(.other("22012"))) {
                try await pool.query(.once("SELECT 1/0"), timeout: .patience)
            }
            await #expect(throws: PostgresError.refused(.other("42601"))) {
                try await pool.query(Statement("nonsense", "SELEKT"), timeout: .patience)
            }
            let after = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            #expect(after == before)
        }
    }

    @Test func `that is refused spoils none of those sent behind it`() async throws {
        try await withThings { pool in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<8 as Range<Int64> {
                    group.addTask {
                        let id = number % 2 == 0 ? 0 : number
                        do {
                            return try await pool.query(Self.insert, .integer(id), nil, timeout: .patience).affected
                                == 1
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(outcomes == 5)
            try await expectThings(5, in: pool)
        }
    }

    @Test func `that breaks a constraint is told which`() async throws {
        try await withThings { pool in
            _ = try await pool.query(Self.insert, 1, "a", timeout: .patience)
            await #expect(throws: PostgresError.refused(.uniqueViolation(constraint: "things_pkey"))) {
                try await pool.query(Self.insert, 1, "b", timeout: .patience)
            }
        }
    }

    @Test func `has not succeeded before its commit has`() async throws {
        try await withThings { pool in
            _ = try await pool.query(Self.insert, 1, "a", timeout: .patience)
            // The statement itself passes: the constraint is looked at with the Sync.
            await #expect(throws: PostgresError.refused(.uniqueViolation(constraint: "one_name"))) {
                try await pool.query(Self.insert, 2, "a", timeout: .patience)
            }
            try await expectThings(1, in: pool)
        }
    }

    @Test func `may rely on what one before it was to prepare, which was refused`() async throws {
        try await withThings { pool in
            let refused = Task {
                let nonsense = Command(Statement("nonsense", "SELEKT"))
                return try await pool.run([nonsense, Command(Self.count)], timeout: .patience)
            }
            let other = Task { try await pool.query(Self.count, timeout: .patience) }
            let count = try await other.value[0].integer(0)
            #expect(count == 0)
            await #expect(throws: PostgresError.refused(.other("42601"))) { try await refused.value }
        }
    }

    @Test func `that can't be prepared can be once its table is there`() async throws {
        try await withPool(limits: Self.single) { pool in
            await #expect(throws: PostgresError.refused(.other("42P01"))) {
                try await pool.query(Self.count, timeout: .patience)
            }
            // Here the server never comes to say that it has not prepared it.
            await #expect(throws: PostgresError.refused(.other("42P01"))) {
                try await pool.run([Command(.once("SELECT 1/0")), Command(Self.count)], timeout: .patience)
            }
            _ = try await pool.query(Self.things, timeout: .patience)
            try await expectThings(0, in: pool)
        }
    }

    /// What a pooler makes of a session: its holder before has prepared the same text.
    @Test func `takes a statement that somebody else has prepared in its session`() async throws {
        try await withThings { pool in
            for statement in [Self.count, Self.insert] {
                let types = statement.name == Self.insert.name ? " (int8, text)" : ""
                let prepare = "PREPARE \(statement.name)\(types) AS \(statement.text)"
                _ = try await pool.query(.once(prepare), timeout: .patience)
            }
            // To a transaction it is an error, as every one is, and the next try does without.
            await #expect(throws: PostgresError.refused(.duplicateStatement)) {
                try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                    try await transaction.query(Self.insert, 1, "a")
                }
            }
            #expect(PostgresError.refused(.duplicateStatement).isRetryable)
            _ = try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                try await transaction.query(Self.insert, 1, "a")
            }
            try await expectThings(1, in: pool)
        }
        try await withThings { pool in
            _ = try await pool.query(
                .once("PREPARE \(Self.count.name) AS SELECT count(*) FROM things"), timeout: .patience)
            try await expectThings(0, in: pool)
        }
    }

    /// And that it is another one with each transaction.
    @Test func `does without prepared statements once its session has lost them`() async throws {
        try await withThings { pool in
            try await expectThings(0, in: pool)
            _ = try await pool.query(.once("DEALLOCATE ALL"), timeout: .patience)
            await #expect(throws: PostgresError.refused(.unknownStatement)) {
                try await pool.query(Self.count, timeout: .patience)
            }
            #expect(PostgresError.refused(.unknownStatement).isRetryable)
            try await expectThings(0, in: pool)
            _ = try await pool.run(
                [Command(Self.insert, 1, "a"), Command(Self.count)], isolation: .serializable, timeout: .patience)
            let kept = try await pool.query(
                .once("SELECT count(*) FROM pg_prepared_statements"), timeout: .patience)
            #expect(try kept[0].integer(0) == 0)
        }
    }

    @Test func `is called the same for the same text, and otherwise for another or for other types`() {
        let same = [Statement("SELECT $1"), Statement("SELECT $1")].map(\.name)
        let others = [
            Statement("SELECT  $1"), Statement("SELECT $1", types: [.integer]), Statement("SELECT $1", types: [.text]),
            Statement("SELECT $1", types: [nil, .text]), Statement("label", "SELECT $1"),
        ].map(\.name)
        #expect(same[0] == same[1] && Set(same + others).count == 1 + others.count)
        #expect((same + others).allSatisfy { $0.utf8.count < 64 && $0.utf8.allSatisfy { $0 != 0 } })
        #expect(Statement.once("SELECT 1").name.isEmpty)
    }

    @Test func `has its server ask whether this side is still there`() async throws {
        let limits = PoolLimits(connections: 1, serverTimeout: .seconds(4), serverKeepalive: .seconds(7))
        try await withPool(limits: limits) { pool in
            let asked = try await pool.query(
                .once("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'"), timeout: .patience)
            #expect(try asked[0].text(0) == "4000")
        }
        #expect(limits.sessionSettings.contains("tcp_keepalives_idle=7"))
    }

    @Test func `of several commands is done as a whole or not at all`() async throws {
        try await withThings { pool in
            let rows = try await pool.run(
                [Command(Self.insert, 1, "a"), Command(Self.insert, 2, "b"), Command(Self.count)], timeout: .patience)
            #expect(rows.count == 3)
            #expect(rows[0].affected == 1)
            #expect(try rows[2][0].integer(0) == 2)
            await #expect(throws: PostgresError.refused(.uniqueViolation(constraint: "things_pkey"))) {
                try await pool.run(
                    [Command(Self.insert, 3, "c"), Command(Self.insert, 1, "d"), Command(Self.insert, 4, "e")],
                    timeout: .patience)
            }
            try await expectThings(2, in: pool)
        }
    }

    @Test(arguments: [(Durability.durable, "on"), (.relaxed, "off")])
    func `is as durable as its pool`(durability: Durability, setting: String) async throws {
        try await withPool(at: SharedServer.address("postgres"), durability: durability) { pool in
            let rows = try await pool.query(.once("SHOW synchronous_commit"), timeout: .patience)
            #expect(try rows[0].text(0) == setting)
        }
    }
}
