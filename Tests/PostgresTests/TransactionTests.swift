import Postgres
import PostgresTestSupport
import Testing

@Suite struct `A transaction` {
    private static let read = Statement("read", "SELECT value FROM numbers WHERE id = $1", .integer)
    private static let write = Statement(
        "write", "UPDATE numbers SET value = $2 WHERE id = $1", .integer, .integer)
    private static let sum = Statement("sum", "SELECT sum(value)::int8 FROM numbers")

    private func withNumbers(
        limits: PoolLimits = PoolLimits(), _ body: (PostgresPool) async throws -> Void
    ) async throws {
        try await withPool(limits: limits) { pool in
            _ = try await pool.run(
                [
                    Command(.once("CREATE TABLE numbers (id int8 PRIMARY KEY, value int8 CHECK (value >= 0))")),
                    Command(.once("INSERT INTO numbers VALUES (1, 10), (2, 20)")),
                ], timeout: .patience)
            try await body(pool)
        }
    }

    private func expect(
        _ expected: Int64, at id: Int64, in pool: PostgresPool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let value = try await pool.query(Self.read, .integer(id), timeout: .patience)[0].integer(0)
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    @Test func `is committed when its body returns`() async throws {
        try await withNumbers { pool in
            let before = try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                let value = try await transaction.query(Self.read, 1)[0].integer(0)
                _ = try await transaction.query(Self.write, 1, .integer(value + 1))
                return value
            }
            #expect(before == 10)
            try await expect(11, at: 1, in: pool)
        }
    }

    @Test func `is rolled back when its body throws, and its connection goes on`() async throws {
        try await withNumbers(limits: PoolLimits(connections: 1)) { pool in
            await #expect(throws: PostgresError.unexpectedResult) {
                try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                    _ = try await transaction.query(Self.write, 1, 99)
                    throw .unexpectedResult
                }
            }
            try await expect(10, at: 1, in: pool)
        }
    }

    @Test func `is not taken for committed when one of its statements was refused`() async throws {
        try await withNumbers(limits: PoolLimits(connections: 1)) { pool in
            await #expect(throws: PostgresError.transactionOver) {
                try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                    _ = try await transaction.query(Self.write, 2, 99)
                    _ = try? await transaction.query(Self.write, 1, -1)
                    _ = try? await transaction.query(Self.write, 1, 99)
                }
            }
            try await expect(20, at: 2, in: pool)
        }
    }

    @Test func `has its connection for itself`() async throws {
        try await withNumbers(limits: PoolLimits(connections: 1)) { pool in
            let reading = try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                _ = try await transaction.query(Self.write, 1, 5)
                // It would see the 5 if it ran before the end, and all would be rolled back if it failed in here.
                let reading = Task { try await pool.query(.once("SELECT 1/0"), timeout: .patience) }
                for _ in 0..<100 { await Task.yield() }
                _ = try await transaction.query(Self.write, 2, 6)
                return reading
            }
            await #expect(throws: PostgresError.refused(.other("22012"))) { try await reading.value }
            try await expect(5, at: 1, in: pool)
            try await expect(6, at: 2, in: pool)
        }
    }

    @Test func `that is serializable is refused when both could not have been first`() async throws {
        try await withNumbers { pool in
            // Each reads what the other writes.
            await #expect(throws: PostgresError.refused(.serializationFailure)) {
                try await pool.transaction(isolation: .serializable, timeout: .patience) {
                    transaction throws(PostgresError) in
                    _ = try await transaction.query(Self.sum)
                    _ = try await pool.run(
                        [Command(Self.sum), Command(Self.write, 2, 1)], isolation: .serializable, timeout: .patience)
                    _ = try await transaction.query(Self.write, 1, 1)
                }
            }
            try await expect(10, at: 1, in: pool)
            try await expect(1, at: 2, in: pool)
        }
    }

    @Test func `that went out in one piece and was refused leaves others outside of it`() async throws {
        try await withNumbers(limits: PoolLimits(connections: 1)) { pool in
            let refused = Task {
                try await pool.run(
                    [Command(Self.write, 1, 77), Command(Self.write, 2, -1)], isolation: .serializable,
                    timeout: .patience)
            }
            let other = Task { try await pool.query(Self.write, 2, 21, timeout: .patience) }
            await #expect(throws: PostgresError.refused(.other("23514"))) { try await refused.value }
            let affected = try await other.value.affected
            #expect(affected == 1)
            try await expect(10, at: 1, in: pool)
            try await expect(21, at: 2, in: pool)
            let rows = try await pool.run(
                [Command(.once("SHOW transaction_isolation"))], isolation: .serializable, timeout: .patience)
            #expect(try rows[0][0].text(0) == "serializable")
        }
    }

    @Test func `that never ends loses its connection at its deadline`() async throws {
        try await withNumbers(limits: PoolLimits(connections: 1)) { pool in
            await #expect(throws: PostgresError.timedOut(.notSent)) {
                try await pool.transaction(timeout: .milliseconds(200)) { transaction throws(PostgresError) in
                    _ = try await transaction.query(Self.write, 1, 5)
                    // Comes back only once the one connection is free again.
                    guard (try? await pool.query(Self.sum, timeout: .patience)) != nil else { throw .unexpectedResult }
                    _ = try await transaction.query(Self.write, 1, 6)
                }
            }
            try await expect(10, at: 1, in: pool)
        }
    }

    @Test func `takes nothing more after one of its statements was refused`() async throws {
        try await withNumbers { pool in
            await #expect(throws: PostgresError.transactionOver) {
                try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                    _ = try? await transaction.query(Self.write, 1, -1)
                    _ = try await transaction.query(Self.write, 1, 99)
                }
            }
        }
    }

    @Test func `takes nothing more once it is over`() async throws {
        try await withNumbers { pool in
            let kept = try await pool.transaction(timeout: .patience) { $0 }
            await #expect(throws: PostgresError.transactionOver) { try await kept.query(Self.sum) }
        }
    }
}
