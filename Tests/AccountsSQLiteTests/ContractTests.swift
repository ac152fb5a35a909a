import AccountsSQL
import AccountsSQLite
import TestSupport
import Testing

@Suite struct `A repository in SQLite` {
    @Test(arguments: RepositoryContract.clauses)
    func `keeps the contract`(_ clause: RepositoryContract) async throws {
        let folder = TemporaryFolder()
        let store = try await folder.open {
            $0.tables = .tested
            $0.formerIssuers = .tested
        }
        try await clause.run(on: store)
        await store.close()
    }
}
