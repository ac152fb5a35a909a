import Accounts
import AccountsPostgres
import EventLoop
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@Suite struct `A repository in PostgreSQL` {
    @Test func `opens, and opens again with the same keys`() async throws {
        try await SharedServer.withDatabase { address in
            try await withStore(at: address) { store in
                try await withStore(at: address) { other in
                    let (one, two) = (
                        try await store.secretKeys(for: .refresh), try await other.secretKeys(for: .refresh)
                    )
                    #expect(one == two)
                    #expect(one.count == 1)
                }
            }
        }
    }
}
