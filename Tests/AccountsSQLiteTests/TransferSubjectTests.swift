import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// What is kept for an app's move, as it lies on disk.
@Suite struct `What is noted of users whose app moves` {
    private let folder = TemporaryFolder()
    private static let hash = Sample.hash()

    private func note(_ value: String, in store: SQLiteAccounts) async throws {
        let entry = SubjectTransfer(subject: Sample.subject(value), hash: Self.hash)
        #expect(try await store.noteTransfers([entry], of: Sample.transfer) == [.noted])
    }

    @Test func `a store of the thirteenth version takes what is noted, and its users are moved by it`() async throws {
        try folder.makeStore(ofVersion: 13, sessionBy: 1)
        let store = try await folder.open()
        #expect(store.update?.from == 13 && store.update?.to == Schema.steps.count)
        try await note("1", in: store)
        let moved = try await store.signedIn(Sample.signIn(Sample.subject("new"), transfer: Self.hash))
        #expect(moved.user == UserID(rawValue: 1) && moved.migrated)
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test func `survives a restart, and is gone once it has moved somebody`() async throws {
        let first = try await folder.open()
        let user = try await first.signedIn(Sample.signIn(Sample.subject("1"))).user
        try await note("1", in: first)
        await first.close()
        let rows = Query("SELECT count(*) FROM transfer_subjects")
        let second = try await folder.open()
        let before = try await second.readers.read { connection throws(RepositoryError) in
            try connection.first(rows) { $0.integer(0) }
        }
        #expect(before == 1)
        #expect(try await second.signedIn(Sample.signIn(Sample.subject("new"), transfer: Self.hash)).user == user)
        let after = try await second.readers.read { connection throws(RepositoryError) in
            try connection.first(rows) { $0.integer(0) }
        }
        #expect(after == 0)
        #expect(try await second.check().isEmpty)
        await second.close()
    }

    @Test func `a restored backup of before the move moves nobody a second time`() async throws {
        let stage = RestoreStage()
        let user = try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            try await note("1", in: store)
            try await store.backup(to: stage.backup)
            let moved = try await store.signedIn(Sample.signIn(Sample.subject("new"), transfer: Self.hash))
            #expect(moved.user == user)
            return user
        }
        let outcome = try await stage.restore()
        // The user can't sign in by the old identity, and the new one is not in the backup: somebody has to look.
        #expect(outcome.stranded == [user])
        try await stage.serving { store async throws in
            let thief = try await store.signedIn(Sample.signIn(Sample.subject("thief"), transfer: Self.hash))
            #expect(thief.isNewUser && thief.user != user)
            #expect(try await !store.isKnown(Sample.subject("1")))
        }
    }

    @Test func `a restored backup has what was noted of users who have not moved`() async throws {
        let stage = RestoreStage()
        let user = try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            try await note("1", in: store)
            try await store.backup(to: stage.backup)
            return user
        }
        try await stage.restore()
        try await stage.serving { store async throws in
            let moved = try await store.signedIn(Sample.signIn(Sample.subject("new"), transfer: Self.hash))
            #expect(moved.user == user && moved.migrated)
        }
    }
}
