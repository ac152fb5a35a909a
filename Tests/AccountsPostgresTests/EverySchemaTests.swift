import Accounts
import AccountsSQL
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres

/// Tables as each version has left them, with somebody in them. How two versions work with the tables side by side is
/// the drill `upgrade`'s.
@Suite struct `A shared store of an earlier version` {
    private static let jane = UserID(rawValue: 1)

    /// Made as the first version had it, and brought along by each that came after.
    private func makeTables(_ pool: PostgresPool, at schema: Int) async throws {
        func run(_ statements: String) async throws {
            for statement in statements.split(separator: ";\n") {
                _ = try await pool.query(.once(String(statement)), timeout: .patience)
            }
        }
        func step(_ number: Int) -> String { Dialect.tested.step(Schema.steps[number]) }
        let sealer = TransparentSealer()
        let proof = try sealer.seal(Array("gatehouse".utf8), for: .proof)
        let profile = try sealer.seal(Profile(carrier: Sample.jane).encoded, for: .profile(of: Self.jane))
        try await run(step(0))
        try await run(
            """
            INSERT INTO key_ring (number, sealed_key, created) VALUES (1, '\\x010203', 1);
            INSERT INTO meta (name, content) VALUES ('seal_proof', '\\x\(hexadecimal(proof))');
            INSERT INTO users (id, reference, profile, created, updated)
            VALUES (1, 'abc', '\\x\(hexadecimal(profile))', 5, 5);
            INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
            VALUES (1, 'zenkey', '\(Sample.issuer)', '1', 'sign-in', 5, 5);
            CREATE TABLE gatehouse_schema (
                is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
                version int8 NOT NULL,
                min_compatible int8 NOT NULL
            )
            """)
        for number in 1..<schema { try await run(step(number)) }
        try await run("INSERT INTO gatehouse_schema (version, min_compatible) VALUES (\(schema), 1)")
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        .joined()
    }

    @Test(arguments: 1..<Schema.steps.count) func `is brought up to date, and served`(schema: Int) async throws {
        try await SharedServer.withDatabase { address in
            try await withPool(at: address) { pool in
                try await makeTables(pool, at: schema)
                try await withStore(at: address) { store in
                    let reference = try await store.user(Self.jane)?.reference
                    #expect(reference == "abc")
                    let signedIn = try await store.signedIn(
                        Sample.signIn(Sample.subject("1"), session: Sample.session()))
                    #expect(signedIn.user == Self.jane)
                    let findings = try await store.check()
                    #expect(findings.isEmpty)
                }
                let version = try await pool.query(
                    .once("SELECT version FROM gatehouse_schema"), timeout: .patience)
                #expect(try version[0].integer(0) == Int64(Schema.steps.count))
            }
        }
    }
}
