import Accounts
import AccountsPostgres
import AccountsSQL
import PostgresTestSupport
import TestSupport
import Testing

@Suite struct `A repository in PostgreSQL` {
    @Test(arguments: RepositoryContract.clauses)
    func `keeps the contract, also beside another one with the same store`(_ clause: RepositoryContract) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                try await withStore(at: address) { other in try await clause.run(on: store, and: other) }
            }
        }
    }

    @Test func `opens again with the same keys`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                try await withStore(at: address) { other in
                    let one = try await store.secretKeys(for: .refresh)
                    let two = try await other.secretKeys(for: .refresh)
                    #expect(one == two)
                    #expect(one.count == 1)
                }
            }
        }
    }
}
