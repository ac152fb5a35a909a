import Accounts
import PostgresTestSupport
import TestSupport
import Testing

@Suite struct `An observer of the audit trail of a database` {
    @Test func `is told of every event when it is on disk, that of the single statement too`() async throws {
        try await SharedServer.withEmptyTables { address in
            let watch = AuditWatch()
            try await withStore(at: address, auditObserver: watch) { store in try await watch.watch(store) }
        }
    }
}
