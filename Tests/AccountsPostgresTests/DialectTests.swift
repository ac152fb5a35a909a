import Accounts
import AccountsSQL
import Foundation
import Patience
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `A distributed engine` {
    /// Runs the test with a store whose tables are made for one.
    private func withDistributedStore(_ body: (PostgresAccounts, String) async throws -> Void) async throws {
        try await SharedServer.withDatabase { address in
            try await withStore(at: address, dialect: .distributed) { try await body($0, address) }
        }
    }

    @Test func `is asked for nothing that only PostgreSQL has, and else for the same tables`() {
        for step in Schema.steps {
            let asked = Dialect.distributed.step(step)
            for lacking in ["xid8", "pg_current", "COLLATE", "fillfactor", "PARTITION", "autovacuum"] {
                #expect(!asked.contains(lacking))
            }
            func tables(_ text: String) -> [Substring] {
                text.split(separator: ";").filter { $0.contains("CREATE TABLE") && !$0.contains("PARTITION OF") }
            }
            #expect(tables(asked).count == tables(step).count)
            #expect(Dialect.postgresql.step(step) == step)
        }
    }

    @Test func `keeps users, sessions and codes that count once`() async throws {
        try await withDistributedStore { store, _ in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("1"))).user == user)
            #expect(try await store.session(session.id, now: Sample.now)?.user == user)
            #expect(try await store.auditEvents(after: 0, limit: 10, user: user).map(\.kind) == [.userCreated])
        }
    }

    @Test func `shows no event before all earlier ones are there, and none twice`() async throws {
        try await withDistributedStore { store, address in
            let now = Int64(Date().timeIntervalSince1970)
            try await withPool(at: address) { pool in
                let add = Statement("INSERT INTO audit (id, at, event, user_id) VALUES ($1, $2, 'user_created', 7)")
                // Numbers come in blocks, so a later event may have a lower one.
                for (id, at) in [(205, now - 3000), (104, now - 2000), (206, now - 1000), (105, now)] {
                    _ = try await pool.query(add, .integer(Int64(id)), .integer(at), timeout: .patience)
                }
                var seen: [Int64] = []
                try await untilNothingIsLeft {
                    let next = try await store.auditEvents(after: seen.last ?? 0, limit: 1)
                    seen += next.map(\.id)
                    return next.count
                }
                // The newest may be followed by one that is older and whose transaction has not ended.
                #expect(seen == [205, 104, 206])
                #expect(
                    try await store.auditEvents(after: 104, limit: 10, user: UserID(rawValue: 7)).map(\.id) == [206])
            }
        }
    }

    @Test func `is waited for as long as a transaction and two clocks may take`() {
        #expect(AuditByTime.horizon(now: 1_000, transactionTimeout: .seconds(10), clockSkewSeconds: 2) == 985)
    }

    @Test func `has tables of its own, which are not taken for PostgreSQL's`() async throws {
        try await withDistributedStore { _, address in
            await #expect(throws: RepositoryError.notOpened(.otherDialect)) {
                try await withStore(at: address, dialect: .postgresql) { _ in }
            }
        }
    }
}
