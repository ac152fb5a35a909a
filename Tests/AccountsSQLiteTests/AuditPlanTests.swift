import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A look into the audit trail` {
    /// Every combination of what can be asked.
    private static let queries = AuditQuery.Order.allCases.flatMap { order in
        (0..<32).map { bits in
            AuditQuery(
                event: bits & 1 == 0 ? nil : .userErased, user: bits & 2 == 0 ? nil : UserID(rawValue: 7),
                actor: bits & 4 == 0 ? nil : .operator("anna"), since: bits & 8 == 0 ? nil : Sample.now,
                until: bits & 16 == 0 ? nil : Sample.now + 1, order: order, limit: 10)
        }
    }

    @Test func `walks through no table and sorts nothing, whatever is asked for`() async throws {
        let folder = TemporaryFolder()
        try await folder.open().close()
        for query in Self.queries {
            let plan = try QueryPlan(of: #require(AuditSelect(query, by: .number)).prepared, in: folder.database)
            #expect(plan.usesIndexes && !plan.description.contains("TEMP B-TREE"), "\(query): \(plan)")
        }
    }

    @Test func `finds what is rare, what is old and what is due by an index of its own`() async throws {
        let folder = TemporaryFolder()
        try await folder.open().close()
        for (query, index) in [
            (try #require(AuditSelect(Self.queries[1], by: .number)).prepared, "audit_event"),
            (try #require(AuditSelect(Self.queries[2], by: .number)).prepared, "audit_user"),
            (try #require(AuditSelect(Self.queries[4], by: .number)).prepared, "audit_actor"),
            (AuditRetention.remove, "audit_at"), (AuditRepeats.due, "audit_repeats_since"),
        ] {
            let plan = try QueryPlan(of: query, in: folder.database)
            #expect(plan.uses(index), "\(plan)")
        }
    }
}
