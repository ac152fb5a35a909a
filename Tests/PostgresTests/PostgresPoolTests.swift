import EventLoop
import Foundation
import Postgres
import System
import Testing

@Suite struct `A pool of connections to PostgreSQL` {
    private static let backend = PostgresStatement("SELECT pg_backend_pid()")

    private func backends(_ pool: PostgresPool, _ count: Int) async throws -> Set<Int64> {
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let rows = try await pool.run([PostgresCall(Self.backend)], timeout: .seconds(10))
                    return try #require(rows.first?.first).integer(0)
                }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    @Test func `spreads a thousand batches over its connections`() async throws {
        try await Server.with { server in
            let pool = PostgresPool(server.address, on: server.loop)
            #expect(try await backends(pool, 1_000).count <= 3)
            // By now all of them are open.
            var seen: Set<Int64> = []
            while seen.count < 3 { seen.formUnion(try await backends(pool, 50)) }
            await pool.close()
            await #expect(throws: PostgresError.notSent(.closed)) { try await backends(pool, 1) }
        }
    }

    @Test func `opens a connection anew that the server has ended`() async throws {
        try await Server.with { server in
            let pool = PostgresPool(server.address, on: server.loop)
            let other = try await server.connect()
            for _ in 0..<5 {
                for process in try await backends(pool, 20) {
                    try await other.execute("SELECT pg_terminate_backend($1::int8::int4)", .integer(process))
                }
                // Whoever came upon one that had just ended was told so, and the next is served.
                var served = 0
                while served < 20 {
                    if (try? await backends(pool, 1)) != nil { served += 1 }
                }
            }
            await other.close()
            await pool.close()
        }
    }

    @Test func `lets only so many wait`() async throws {
        try await Server.with { server in
            var settings = PostgresPool.Settings()
            settings.maximumWaiting = 4
            let pool = PostgresPool(server.address, on: server.loop, settings: settings)
            let sleep = PostgresCall(PostgresStatement("SELECT pg_sleep(30)"))
            let waiting = (0..<4).map { _ in Task { try await pool.run([sleep], timeout: .seconds(60)) } }
            while await pool.load < 4 { await Task.yield() }
            await #expect(throws: PostgresError.notSent(.overloaded)) { try await backends(pool, 1) }
            await pool.close()
            for task in waiting { await #expect(throws: PostgresError.self) { try await task.value } }
        }
    }

    @Test func `tells who has waited for a server that is not there why`() async throws {
        let loop = try EventLoop(label: "postgres-test")
        loop.start()
        defer { loop.stop() }
        let pool = PostgresPool(try PostgresAddress("host=/nowhere user=ada"), on: loop)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.run([PostgresCall(Self.backend)], timeout: .milliseconds(300))
        }
        guard case .notSent(.cannotConnect(let reason)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("/nowhere"))
        await pool.close()
    }
}
