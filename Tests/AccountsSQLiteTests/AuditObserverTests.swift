import Accounts
import AccountsSQL
import AccountsSQLite
import TestSupport
import Testing

@Suite struct `An observer of the audit trail of a file` {
    @Test func `is told of every event when it is on disk, and of nothing else`() async throws {
        let folder = TemporaryFolder()
        let watch = AuditWatch()
        let store = try await folder.open { $0.auditObserver = watch }
        try await watch.watch(store)
        await store.close()
    }

    @Test func `is told once of what is tried again for the sake of another`() async throws {
        let folder = TemporaryFolder()
        let watch = AuditWatch()
        let store = try await folder.open { $0.auditObserver = watch }
        await withTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    if number % 10 == 5 {
                        _ = try? await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                            try rows.note(Sample.noted, of: nil)
                            throw .unavailable(.overloaded)
                        }
                    } else {
                        _ = try? await store.signedIn(Sample.signIn(Sample.subject("\(number)")))
                    }
                }
            }
        }
        #expect(watch.events.count == 54)
        #expect(watch.events.allSatisfy { $0.kind == .userCreated })
        #expect(try await store.auditEvents(after: 0, limit: 100).map(\.user) == watch.events.map(\.user))
        await store.close()
    }
}
