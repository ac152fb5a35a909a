import Accounts
import AccountsPostgres
import AccountsSQL
import Patience
import PostgresTestSupport
import TestSupport
import Testing

@Suite struct `A repository in PostgreSQL` {
    @Test(arguments: RepositoryContract.clauses)
    func `keeps the contract, also beside another one with the same store`(_ clause: RepositoryContract) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address, tables: .tested) { store in
                try await withStore(at: address, tables: .tested) { other in try await clause.run(on: store, and: other)
                }
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

    @Test func `seals under a key that another one has just made, and helps to seal the rest anew`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                try await withStore(at: address) { other in
                    _ = try await other.signedIn(Sample.signIn(Sample.subject("before")))
                    let key = try await store.rotateDataKey(TransparentSealer.maker)
                    _ = try await other.signedIn(Sample.signIn(Sample.subject("after")))
                    let ring = try await other.keyRing()
                    #expect(ring.last?.number == key)
                    let steps = try await untilNothingIsLeft { try await other.reseal(limit: 100) }
                    #expect(steps.count > 1)
                    let findings = try await store.check()
                    #expect(findings.isEmpty)
                }
            }
        }
    }
}
