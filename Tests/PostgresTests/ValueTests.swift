import Postgres
import PostgresTestSupport
import Testing

@Suite struct `A value` {
    private static let echo = Statement(
        "echo", "SELECT $1::int8, $2::bytea, $3::text, $4::boolean", .integer, .bytes, .text, .bool)

    private func echo(_ values: Value...) async throws -> Row {
        var row: Row?
        try await withReadingPool { pool in
            row = try await pool.run([Command(Self.echo, values)], timeout: .patience).first?.first
        }
        return try #require(row)
    }

    @Test(arguments: [0, 1, -1, 255, -256, .max, .min] as [Int64]) func `that is a number comes back as it went`(
        number: Int64
    ) async throws {
        let row = try await echo(.integer(number), nil, nil, nil)
        #expect(try row.integer(0) == number)
    }

    @Test(arguments: [[], [0], Array(0...255), [UInt8](repeating: 0xFF, count: 100_000)] as [[UInt8]])
    func `that is bytes comes back as it went`(bytes: [UInt8]) async throws {
        // Last and before others: one without bytes has an address all the same.
        let row = try await echo(1, .bytes(bytes), "x", true)
        #expect(try row.bytes(1) == bytes)
        try await withReadingPool { pool in
            let rows = try await pool.query(
                Statement("bytes", "SELECT $1::bytea", .bytes), .bytes(bytes), timeout: .patience)
            #expect(try rows[0].optionalBytes(0) == bytes)
        }
    }

    @Test(arguments: ["", "a", "' OR 1=1 --", "\\x00", "żółć 🗝", String(repeating: "é", count: 50_000)])
    func `that is text comes back as it went`(text: String) async throws {
        let row = try await echo(1, nil, .text(text), nil)
        #expect(try row.text(2) == text)
    }

    @Test(arguments: [true, false]) func `that is true or false comes back as it went`(flag: Bool) async throws {
        let row = try await echo(1, nil, nil, .bool(flag))
        #expect(try row.bool(3) == flag)
    }

    @Test func `that is null comes back as none, and is no value where one must be`() async throws {
        let row = try await echo(nil, nil, nil, nil)
        #expect(try row.optionalInteger(0) == nil)
        #expect(try row.optionalBytes(1) == nil)
        #expect(try row.optionalText(2) == nil)
        #expect(try row.optionalBool(3) == nil)
        #expect(throws: PostgresError.unexpectedResult) { try row.integer(0) }
        #expect(throws: PostgresError.unexpectedResult) { try row.bytes(1) }
        #expect(throws: PostgresError.unexpectedResult) { try row.text(2) }
        #expect(throws: PostgresError.unexpectedResult) { try row.bool(3) }
    }

    @Test func `of a shorter number keeps its sign`() async throws {
        try await withReadingPool { pool in
            let row = try await pool.query(.once("SELECT (-2)::int2, (-70000)::int4, 7::int2"), timeout: .patience)[0]
            #expect(try row.integer(0) == -2)
            #expect(try row.integer(1) == -70_000)
            #expect(try row.integer(2) == 7)
        }
    }

    @Test func `is not read as another type, nor from a column that is not there`() async throws {
        let row = try await echo(1, .bytes([1]), "x", true)
        #expect(throws: PostgresError.unexpectedResult) { try row.text(0) }
        #expect(throws: PostgresError.unexpectedResult) { try row.integer(1) }
        #expect(throws: PostgresError.unexpectedResult) { try row.bytes(2) }
        #expect(throws: PostgresError.unexpectedResult) { try row.integer(3) }
        #expect(throws: PostgresError.unexpectedResult) { try row.bool(4) }
        #expect(throws: PostgresError.unexpectedResult) { try row.bool(-1) }
        #expect(throws: PostgresError.unexpectedResult) { try row.bool(.max) }
        try await withReadingPool { pool in
            let row = try await pool.query(.once("SELECT 1.5::float8"), timeout: .patience)[0]
            #expect(throws: PostgresError.unexpectedResult) { try row.integer(0) }
        }
    }

    @Test(arguments: [[], [1], [1, "x", "x", true], [1, nil, nil, nil, nil]] as [[Value]])
    func `of a type or at a place that the statement does not declare is not sent`(values: [Value]) async throws {
        try await withReadingPool { pool in
            await #expect(throws: PostgresError.wrongParameters) {
                try await pool.run([Command(Self.echo, values)], timeout: .patience)
            }
        }
    }
}
