import EventLoop
import Foundation
import Postgres
import System
import Testing

/// A loop, a schema that no other test has, and connections to it.
struct Server {
    let loop: EventLoop
    let address: PostgresAddress
    let schema: String

    static func with(_ body: (Server) async throws -> Void) async throws {
        let text = try #require(
            ProcessInfo.processInfo.environment["GATEHOUSE_TEST_PG_URL"],
            "GATEHOUSE_TEST_PG_URL names a server: use scripts/test, or scripts/with-postgres")
        let loop = try EventLoop(label: "postgres-test")
        loop.start()
        defer { loop.stop() }
        let schema = "test_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
        let address = try PostgresAddress(text)
        let server = Server(loop: loop, address: address.with("options", "-c search_path=\(schema)"), schema: schema)
        let connection = try await server.connect()
        try await connection.execute("CREATE SCHEMA \(schema)")
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(server)) } catch { outcome = .failure(error) }
        try await connection.execute("DROP SCHEMA \(schema) CASCADE")
        await connection.close()
        try outcome.get()
    }

    func connect() async throws -> PostgresConnection {
        try await PostgresConnection.open(address, on: loop, timeout: .seconds(10))
    }
}

extension PostgresConnection {
    @discardableResult
    func execute(_ text: String, _ values: PostgresValue...) async throws(PostgresError) -> PostgresRows {
        let call = PostgresCall(PostgresStatement(text), values)
        let results = try await run([call], timeout: .seconds(10))
        guard let rows = results.first else { throw .unreadable }
        return rows
    }
}

@Suite struct `A connection to PostgreSQL` {
    @Test func `gives every value back that it was given`() async throws {
        try await Server.with { server in
            let connection = try await server.connect()
            let statement = PostgresStatement(
                "SELECT $1::int8, $2::bytea, $3::text, $4::bool, $5::text, $6::int4, $7::bytea")
            let bytes: [UInt8] = (0...255).map { UInt8($0) }
            for number in [0, 1, -1, 255, 256, Int64.max, Int64.min] {
                let row = try #require(
                    try await connection.run(
                        [
                            PostgresCall(
                                statement,
                                [
                                    .integer(number), .bytes(bytes), .text("naïve\n✓"), .boolean(number > 0), .null,
                                    .null,
                                    .bytes([]),
                                ])
                        ], timeout: .seconds(5)
                    ).first?.first)
                #expect(try row.integer(0) == number)
                #expect(try row.bytes(1) == bytes)
                #expect(try row.text(2) == "naïve\n✓")
                #expect(try row.boolean(3) == (number > 0))
                #expect(try row.isNull(4) && row.optionalInteger(5) == nil)
                #expect(try row.bytes(6) == [])
                #expect(throws: PostgresError.unreadable) { try row.text(4) }
                #expect(throws: PostgresError.unreadable) { try row.integer(1) }
                #expect(throws: PostgresError.unreadable) { try row.integer(7) }
            }
            await connection.close()
        }
    }

    @Test func `sends a thousand batches before the first is answered, and gives each its own`() async throws {
        try await Server.with { server in
            let connection = try await server.connect()
            let statement = PostgresStatement("SELECT $1::int8, repeat('x', 3000)")
            let numbers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
                for number in 0..<Int64(1_000) {
                    group.addTask {
                        let rows = try await connection.run(
                            [PostgresCall(statement, [.integer(number)])], timeout: .seconds(20))
                        return (number, try #require(rows.first?.first).integer(0))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.count == 1_000 && numbers.allSatisfy { $0 == $1 })
            #expect(await connection.load == 0)
            await connection.close()
        }
    }

    @Test func `commits a batch whole or not at all, and goes on after a refusal`() async throws {
        try await Server.with { server in
            let connection = try await server.connect()
            try await connection.execute("CREATE TABLE users (name text CONSTRAINT users_name PRIMARY KEY)")
            let insert = PostgresStatement("INSERT INTO users VALUES ($1)")
            let count = PostgresStatement("SELECT count(*) FROM users")
            let done = try await connection.run(
                [PostgresCall(insert, [.text("ada")]), PostgresCall(insert, [.text("grace")])], timeout: .seconds(5))
            #expect(done.map(\.affected) == [1, 1])
            let refused = [
                PostgresCall(insert, [.text("joan")]), PostgresCall(insert, [.text("ada")]),
                // Not prepared before: what fails must not keep it from being.
                PostgresCall(count),
            ]
            for _ in 0..<2 {
                await #expect(throws: PostgresError.refused(.uniqueViolation, constraint: "users_name")) {
                    try await connection.run(refused, timeout: .seconds(5))
                }
            }
            let rows = try await connection.run([PostgresCall(count)], timeout: .seconds(5))
            #expect(try rows.first?.first?.integer(0) == 2)
            await #expect(throws: PostgresError.refused("42601", constraint: nil)) {
                try await connection.execute("SELEC")
            }
            #expect(try await connection.execute("SELECT 1::int8").count == 1)
            await connection.close()
        }
    }

    @Test func `tells who waits that it is not known, when the server ends it`() async throws {
        try await Server.with { server in
            let (connection, other) = (try await server.connect(), try await server.connect())
            let process = try #require(try await connection.execute("SELECT pg_backend_pid()").first?.integer(0))
            let waiting = Task { try await connection.execute("SELECT pg_sleep(30)") }
            while await connection.load == 0 { await Task.yield() }
            try await other.execute("SELECT pg_terminate_backend($1::int8::int4)", .integer(process))
            let error = await #expect(throws: PostgresError.self) { try await waiting.value }
            #expect(error == .unknown(.connectionLost))
            #expect(await !connection.isOpen)
            await #expect(throws: PostgresError.notSent(.connectionLost)) { try await connection.execute("SELECT 1") }
            await other.close()
        }
    }

    @Test(arguments: [true, false])
    func `waits for an answer no longer than its time, also behind one that has more`(isFirst: Bool) async throws {
        try await Server.with { server in
            let connection = try await server.connect()
            let sleep = PostgresCall(PostgresStatement("SELECT pg_sleep(30)"))
            let times: [Duration] = isFirst ? [.milliseconds(100), .seconds(60)] : [.seconds(60), .milliseconds(100)]
            let first = Task { try await connection.run([sleep], timeout: times[0]) }
            while await connection.load == 0 { await Task.yield() }
            let start = ContinuousClock.now
            await #expect(throws: PostgresError.unknown(.deadline)) {
                try await connection.run([sleep], timeout: times[1])
            }
            await #expect(throws: PostgresError.unknown(.deadline)) { try await first.value }
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(await !connection.isOpen)
        }
    }

    @Test func `tells the loser of two serializable transactions that he may try again`() async throws {
        try await Server.with { server in
            let (one, two) = (try await server.connect(), try await server.connect())
            try await one.execute("CREATE TABLE counters (value int8)")
            try await one.execute("INSERT INTO counters VALUES (0)")
            let read = PostgresStatement("SELECT value FROM counters")
            for connection in [one, two] {
                try await connection.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
                _ = try await connection.run([PostgresCall(read)], timeout: .seconds(5))
            }
            try await one.execute("UPDATE counters SET value = value + 1")
            try await one.execute("COMMIT")
            let error = await #expect(throws: PostgresError.self) {
                try await two.execute("UPDATE counters SET value = value + 1")
            }
            #expect(error == .refused(.serializationFailure, constraint: nil) && error?.isWorthRepeating == true)
            #expect(!PostgresError.unknown(.connectionLost).isWorthRepeating, "it may have happened")
            try await two.execute("ROLLBACK")
            await one.close()
            await two.close()
        }
    }

    @Test func `leaves a server that has become read-only, of which it says that nothing has happened`() async throws {
        try await Server.with { server in
            let connection = try await server.connect()
            try await connection.execute("CREATE TABLE users (name text)")
            try await connection.execute("SET default_transaction_read_only = on")
            await #expect(throws: PostgresError.refused(.readOnlyTransaction, constraint: nil)) {
                try await connection.execute("INSERT INTO users VALUES ('ada')")
            }
            #expect(await !connection.isOpen)
        }
    }

    @Test func `tells who waits that it is closed`() async throws {
        try await Server.with { server in
            let connection = try await server.connect()
            let waiting = Task { try await connection.execute("SELECT pg_sleep(30)") }
            while await connection.load == 0 { await Task.yield() }
            await connection.close()
            await #expect(throws: PostgresError.unknown(.closed)) { try await waiting.value }
        }
    }

    @Test func `says why it could not be opened, and never the password`() async throws {
        let loop = try EventLoop(label: "postgres-test")
        loop.start()
        defer { loop.stop() }
        for text in [
            "postgres://ada:open-sesame@127.0.0.1:1/users", "postgres://ada:open-sesame@name.invalid/users",
            "host=/nowhere user=ada password=open-sesame",
        ] {
            let address = try PostgresAddress(text)
            var shown = "\(address)"
            dump(address, to: &shown)
            let error = await #expect(throws: PostgresError.self) {
                try await PostgresConnection.open(address, on: loop, timeout: .seconds(10))
            }
            guard case .notSent(.cannotConnect(let reason)) = error else {
                Issue.record("\(text.count): \(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
            shown += reason
            #expect(!shown.contains("open-sesame"))
        }
        #expect(throws: PostgresAddress.Fault.self) { try PostgresAddress("postgres://ada:open-sesame@[") }
    }

    @Test func `gives up a server that accepts and says nothing`() async throws {
        let loop = try EventLoop(label: "postgres-test")
        loop.start()
        defer { loop.stop() }
        let silent = try SilentServer()
        let address = try PostgresAddress("host=localhost port=\(silent.port) user=ada sslmode=disable")
        let start = ContinuousClock.now
        await #expect(throws: PostgresError.self) {
            try await PostgresConnection.open(address, on: loop, timeout: .milliseconds(200))
        }
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
