import Accounts
import EventLoop
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres
@testable import AccountsSQL

@Suite struct `A look into the audit trail of PostgreSQL` {
    /// Every combination of what can be asked.
    private static let queries = AuditQuery.Order.allCases.flatMap { order in
        (0..<32).map { bits in
            AuditQuery(
                event: bits & 1 == 0 ? nil : .userErased, user: bits & 2 == 0 ? nil : UserID(rawValue: 7),
                actor: bits & 4 == 0 ? nil : .operator("anna"), since: bits & 8 == 0 ? nil : Sample.now,
                until: bits & 16 == 0 ? nil : Sample.now + 1, order: order, limit: 10)
        }
    }

    private func plan(_ text: String, _ values: [Value], _ pool: PostgresPool) async throws -> String {
        // Of a table with hardly a row it would rather walk through all.
        try await pool.transaction(timeout: .patience) { transaction throws(PostgresError) in
            for setting in ["seqscan", "sort", "bitmapscan"] {
                _ = try await transaction.query(Command(.once("SET LOCAL enable_\(setting) = off"), []))
            }
            let statement = Postgres.Statement("EXPLAIN " + text, types: values.map(\.type))
            var lines: [String] = []
            for row in try await transaction.query(Command(statement, values)) { lines.append(try row.text(0)) }
            return lines.joined(separator: "\n")
        }
    }

    @Test(.enabled(if: Dialect.tested == .postgresql, "others plan by rules of their own"))
    func `has an index for whatever is asked, and for what goes by its age`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { _ in }
            try await withPool(at: address) { pool in
                for query in Self.queries {
                    let select = try #require(AuditSelect(query, by: .transaction, horizon: 100))
                    let plan = try await plan(select.prepared.postgres, select.values.map(Value.init), pool)
                    if plan.contains("Seq Scan") || plan.contains("Sort") { Issue.record("\(plan)") }
                }
                for query in [AuditRetention.remove, AuditRepeats.due] {
                    let plan = try await plan(query.postgres, [.integer(1), .integer(1)], pool)
                    #expect(!plan.contains("Seq Scan"), "\(plan)")
                }
            }
        }
    }
}
