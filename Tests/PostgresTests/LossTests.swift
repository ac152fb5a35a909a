import Patience
import PostgresTestSupport
import Testing

@testable import Postgres

@Suite struct `A connection that goes` {
    private static let backend = Statement("backend", "SELECT pg_backend_pid()::int8")
    private static let terminate = Statement("terminate", "SELECT pg_terminate_backend($1::int4)", .integer)
    private static let single = PoolLimits(connections: 1)

    /// With a database, a pool of one connection, and another pool to look and act from.
    private func withWitness(
        limits: PoolLimits = single, _ body: (PostgresPool, PostgresPool) async throws -> Void
    ) async throws {
        try await SharedServer.withDatabase { address in
            try await withPool(at: address, limits: limits) { pool in
                try await withPool(at: address, limits: Self.single) { witness in try await body(pool, witness) }
            }
        }
    }

    @Test func `with its deadline is told so, and what the server did for it ends`() async throws {
        try await withWitness(limits: PoolLimits(connections: 1, serverTimeout: .seconds(3))) { pool, witness in
            let before = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            let sleeping = Task { try await pool.query(sleep, timeout: .seconds(1)) }
            try await awaitSleepers(1, witness)
            await #expect(throws: PostgresError.timedOut(.unknown)) { try await sleeping.value }
            try await awaitSleepers(0, witness)
            let after = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            #expect(after != before)
        }
    }

    @Test func `stays with the others where the server ends one statement in time`() async throws {
        try await withWitness(limits: PoolLimits(connections: 1, serverTimeout: .seconds(1))) { pool, _ in
            let before = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            let slow = Task { try await pool.query(sleep, timeout: .patience) }
            let other = Task { try await pool.query(Self.backend, timeout: .patience)[0].integer(0) }
            await #expect(throws: PostgresError.refused(.canceled)) { try await slow.value }
            #expect(try await other.value == before)
        }
    }

    /// Whom a commit's own wait were ended for would find it done, though the standby does not have it.
    @Test func `in the middle of a commit that waits for a standby leaves it waiting`() async throws {
        let server = try PostgresServer()
        let address = server.address + " dbname=postgres"
        let limits = PoolLimits(connections: 1, serverTimeout: .milliseconds(200))
        try await withPool(at: address, limits: limits) { pool in
            try await withPool(at: address, limits: Self.single) { witness in
                _ = try await witness.query(.once("CREATE TABLE things (id int8)"), timeout: .patience)
                _ = try await witness.query(
                    .once("ALTER SYSTEM SET synchronous_standby_names = 'nobody'"), timeout: .patience)
                _ = try await witness.query(.once("SELECT pg_reload_conf()"), timeout: .patience)
                let waiting = Statement(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> pg_backend_pid()")
                let rows = Statement("SELECT count(*) FROM things")
                for _ in 0..<20 {
                    if try await witness.query(waiting, timeout: .patience)[0].integer(0) > 0 { break }
                    _ = try? await pool.query(.once("INSERT INTO things VALUES (1)"), timeout: .seconds(1))
                }
                let seen = try await witness.query(rows, timeout: .patience)[0].integer(0)
                // Both the deadline and the server's own time are over by now, several times.
                _ = try await witness.query(.once("SELECT pg_sleep(1)"), timeout: .patience)
                #expect(try await witness.query(waiting, timeout: .patience)[0].integer(0) == 1)
                #expect(try await witness.query(rows, timeout: .patience)[0].integer(0) == seen)
            }
        }
    }

    @Test func `because of one caller's deadline is told to the others`() async throws {
        try await withWitness { pool, _ in
            _ = try await pool.query(Self.backend, timeout: .patience)
            let slow = Task { try await pool.query(sleep, timeout: .seconds(1)) }
            let other = Task { try await pool.query(sleep, timeout: .patience) }
            await #expect(throws: PostgresError.timedOut(.unknown)) { try await slow.value }
            await #expect(throws: PostgresError.lost(.unknown, nil)) { try await other.value }
        }
    }

    @Test func `in the middle of a statement says what the server's last word was, and comes back`() async throws {
        try await withWitness { pool, witness in
            let before = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            let sleeping = Task { try await pool.query(sleep, timeout: .patience) }
            try await awaitSleepers(1, witness)
            // The server has not looked at it when it ends.
            let behind = Task { try await pool.query(Self.backend, timeout: .patience) }
            try await eventually("two callers") { await pool.callersUnderWay == 2 }
            _ = try await witness.query(Self.terminate, .integer(before), timeout: .patience)
            await #expect(throws: PostgresError.lost(.unknown, .adminShutdown)) { try await sleeping.value }
            await #expect(throws: PostgresError.lost(.notSent, .adminShutdown)) { try await behind.value }
            let after = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            #expect(after != before)
        }
    }

    @Test func `while nobody uses it is replaced without anybody's asking`() async throws {
        try await withWitness { pool, witness in
            let before = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            _ = try await witness.query(Self.terminate, .integer(before), timeout: .patience)
            let others = Statement(
                "others",
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), $1)
                """, .integer)
            try await eventually("another connection") {
                try await witness.query(others, .integer(before), timeout: .patience)[0].integer(0) == 1
            }
            let after = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            #expect(after != before)
        }
    }

    @Test func `to a server that takes no changes any more is made anew`() async throws {
        try await withWitness { pool, witness in
            let before = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            _ = try await pool.query(.once("SET default_transaction_read_only = on"), timeout: .patience)
            await #expect(throws: PostgresError.refused(.readOnly)) {
                try await pool.query(.once("CREATE TABLE things ()"), timeout: .patience)
            }
            _ = try await pool.query(.once("CREATE TABLE things ()"), timeout: .patience)
            let after = try await pool.query(Self.backend, timeout: .patience)[0].integer(0)
            #expect(after != before)
        }
    }

    @Test func `is made anew when a statement's schema has changed`() async throws {
        try await withWitness { pool, witness in
            let all = Statement("all", "SELECT * FROM things")
            _ = try await pool.query(.once("CREATE TABLE things ()"), timeout: .patience)
            _ = try await pool.query(all, timeout: .patience)
            _ = try await witness.query(.once("ALTER TABLE things ADD id int8"), timeout: .patience)
            await #expect(throws: PostgresError.refused(.other("0A000"))) {
                try await pool.query(all, timeout: .patience)
            }
            _ = try await pool.query(all, timeout: .patience)
        }
    }

    @Test func `takes its transaction with it`() async throws {
        try await withWitness { pool, witness in
            await #expect(throws: PostgresError.transactionOver) {
                try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
                    let backend = try await transaction.query(Self.backend)[0].integer(0)
                    _ = try await witness.query(Self.terminate, .integer(backend), timeout: .patience)
                    // On a connection that came after it.
                    _ = try await pool.query(Self.backend, timeout: .patience)
                    _ = try await transaction.query(Self.backend)
                }
            }
        }
    }

    @Test func `is waited for a while, and then refused at once until there is one again`() async throws {
        let server = try PostgresServer()
        let limits = PoolLimits(connections: 1, outagePatience: .milliseconds(200))
        try await withPool(at: server.address + " dbname=postgres", limits: limits) { pool in
            _ = try await pool.query(Self.backend, timeout: .patience)
            try server.stop()
            let away = PostgresError.away(.nobodyThere)
            try await eventually("the outage to be known") {
                do throws(PostgresError) {
                    _ = try await pool.query(Self.backend, timeout: .patience)
                    return false
                } catch { return error == away }
            }
            #expect(!away.isRetryable)
            // While it is tried again, too.
            for _ in 0..<20 {
                await #expect(throws: away) { try await pool.query(Self.backend, timeout: .seconds(3600)) }
                try await Task.sleep(for: .milliseconds(5))
            }
            try server.start()
            try await eventually("the server to be back") {
                (try? await pool.query(Self.backend, timeout: .patience)) != nil
            }
        }
    }

    @Test func `with its server comes back with it`() async throws {
        let server = try PostgresServer()
        let address = server.address + " dbname=postgres"
        try await withPool(at: address, limits: Self.single) { pool in
            let sleeping = Task { try await pool.query(sleep, timeout: .patience) }
            try await withPool(at: address) { witness in try await awaitSleepers(1, witness) }
            try server.stop()
            await #expect(throws: PostgresError.lost(.unknown, .adminShutdown)) { try await sleeping.value }
            // The socket is gone with the server.
            await #expect(throws: PostgresError.notConnected(.nobodyThere)) {
                for _ in 0..<100 { _ = try await pool.query(Self.backend, timeout: .patience) }
            }
            try server.start()
            var isBack = false
            for _ in 0..<100 where !isBack {
                isBack = (try? await pool.query(Self.backend, timeout: .patience)) != nil
            }
            #expect(isBack)
        }
    }
}

extension PostgresPool {
    fileprivate var callersUnderWay: Int { connections.compactMap(\.load).reduce(0, +) }
}
