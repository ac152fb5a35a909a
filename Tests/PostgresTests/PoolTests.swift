import EventLoop
import Patience
import PostgresTestSupport
import System
import Testing

@testable import Postgres

@Suite struct `A pool` {
    private static let one = Statement("one", "SELECT 1")

    @Test func `that is full lets as many wait as may, until their deadlines, and refuses the rest`() async throws {
        let limits = PoolLimits(connections: 1, callersPerConnection: 1, waitingCallers: 2)
        try await SharedServer.withDatabase { address in
            try await withPool(at: address, limits: limits) { pool in
                let sleeping = Task { try await pool.query(sleep, timeout: .patience) }
                try await withPool(at: address) { try await awaitSleepers(1, $0) }
                let outcomes = await withTaskGroup(of: PostgresError?.self) { group in
                    for _ in 0..<5 {
                        group.addTask {
                            do throws(PostgresError) {
                                _ = try await pool.query(Self.one, timeout: .seconds(1))
                                return nil
                            } catch { return error }
                        }
                    }
                    return await group.reduce(into: [PostgresError?]()) { $0.append($1) }
                }
                #expect(outcomes.filter { $0 == .overloaded }.count == 3)
                #expect(outcomes.filter { $0 == .timedOut(.notSent) }.count == 2)
                await pool.close()
                await #expect(throws: PostgresError.lost(.unknown, nil)) { try await sleeping.value }
            }
        }
    }

    @Test func `keeps a connection that has much to do, and tells only those whose time is over`() async throws {
        let limits = PoolLimits(connections: 1)
        let session = Statement("session", "SELECT pg_backend_pid()::int8")
        let nap = Statement("nap", "SELECT pg_sleep(0.2)")
        try await withPool(limits: limits) { pool in
            let before = try await pool.query(session, timeout: .patience)[0].integer(0)
            let naps = (0..<8).map { _ in Task { try await pool.query(nap, timeout: .patience) } }
            let late = Task { try await pool.query(session, timeout: .seconds(1)) }
            let behind = Task { try await pool.query(session, timeout: .patience) }
            for task in naps { _ = try await task.value }
            await #expect(throws: PostgresError.timedOut(.unknown)) { try await late.value }
            #expect(try await behind.value[0].integer(0) == before)
        }
    }

    @Test func `that is closed ends its sessions, tells who waits, and takes nothing more`() async throws {
        let limits = PoolLimits(connections: 3, callersPerConnection: 1)
        try await SharedServer.withDatabase { address in
            try await withPool(at: address, limits: limits) { pool in
                let sleeping = (0..<3).map { _ in Task { try await pool.query(sleep, timeout: .patience) } }
                try await withPool(at: address) { try await awaitSleepers(3, $0) }
                let waiting = Task { try await pool.query(Self.one, timeout: .patience) }
                // One that comes after it, and is answered by the pool itself.
                await #expect(throws: PostgresError.timedOut(.notSent)) {
                    try await pool.query(Self.one, timeout: .milliseconds(1))
                }
                await pool.close()
                for task in sleeping {
                    await #expect(throws: PostgresError.lost(.unknown, nil)) { try await task.value }
                }
                await #expect(throws: PostgresError.closed) { try await waiting.value }
                await #expect(throws: PostgresError.closed) { try await pool.query(Self.one, timeout: .patience) }
            }
        }
    }

    @Test(arguments: [true, false]) func `that is gone leaves no session`(isClosed: Bool) async throws {
        let sessions = Statement(
            "sessions", "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        try await SharedServer.withDatabase { address in
            let loop = try EventLoop(label: "gone")
            loop.start()
            defer { loop.stop() }
            try await withPool(at: address, limits: PoolLimits(connections: 1)) { witness in
                do {
                    let pool = PostgresPool(
                        loop: loop, string: try ConnectionString(address), limits: PoolLimits(connections: 4))
                    _ = try await pool.query(Self.one, timeout: .patience)
                    try await eventually("four connections and the witness's") {
                        try await witness.query(sessions, timeout: .patience)[0].integer(0) == 5
                    }
                    if isClosed { await pool.close() }
                }
                try await eventually("the witness's connection alone") {
                    try await witness.query(sessions, timeout: .patience)[0].integer(0) == 1
                }
            }
        }
    }

    @Test func `that is closed leaves nothing on its loop`() async throws {
        let loop = try EventLoop(label: "left")
        loop.start()
        defer { loop.stop() }
        let pool = PostgresPool(loop: loop, string: try ConnectionString(SharedServer.address("postgres")))
        _ = try await pool.query(Self.one, timeout: .patience)
        let (timers, connections) = await pool.belongings
        #expect(timers.count == 3)
        await pool.close()
        // A loop keeps whom it tells of a socket.
        #expect(connections.allSatisfy { $0.connection == nil })
        let areOver = await pool.areOver(timers)
        #expect(areOver)
    }

    @Test func `spreads its callers over its connections`() async throws {
        try await withReadingPool(limits: PoolLimits(connections: 4)) { pool in
            let backend = Statement("backend", "SELECT pg_backend_pid(), pg_sleep(0.05)")
            var backends: Set<Int64> = []
            try await eventually("four connections") {
                backends.formUnion(
                    try await withThrowingTaskGroup(of: Int64.self) { group in
                        for _ in 0..<4 {
                            group.addTask { try await pool.query(backend, timeout: .patience)[0].integer(0) }
                        }
                        return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
                    })
                return backends.count >= 4
            }
        }
    }
}

private struct Remembered: Sendable {
    weak let connection: PostgresConnection?
}

extension PostgresPool {
    fileprivate var belongings: (timers: [LoopTimer], connections: [Remembered]) {
        (connections.map(\.timer) + [timer], connections.map { Remembered(connection: $0) })
    }

    /// A timer that was cancelled takes no other deadline.
    fileprivate func areOver(_ timers: [LoopTimer]) -> Bool {
        for timer in timers { timer.move(to: .now + .seconds(3600)) }
        return timers.allSatisfy { $0.deadline == nil }
    }
}
