import Accounts
import Glibc
import Patience
import Synchronization
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A store in trouble` {
    let folder = TemporaryFolder()

    private func limitPages(_ store: SQLiteAccounts, to pages: Int64?) async throws {
        try await store.writer.write { connection throws(RepositoryError) in
            let used = try connection.first(Query("PRAGMA page_count")) { $0.integer(0) } ?? 0
            _ = try connection.first(Query("PRAGMA max_page_count = \(pages.map { used + $0 } ?? 1_000_000)")) {
                $0.integer(0)
            }
        }
    }

    @Test func `says the disk is full, keeps what it acknowledged, and works again when there is room`() async throws {
        let store = try await folder.open()
        try await limitPages(store, to: 8)
        var stored: [Subject] = []
        var failed: [Subject] = []
        for number in 0..<1000 where failed.count < 5 {
            let subject = Sample.subject("\(number)")
            do throws(RepositoryError) {
                _ = try await store.signIn(Sample.signIn(subject))
                stored.append(subject)
            } catch {
                #expect(error == .unavailable(.diskFull))
                failed.append(subject)
            }
        }
        #expect(failed.count == 5 && !stored.isEmpty)
        for subject in stored { #expect(try await store.isKnown(subject)) }
        for subject in failed { #expect(try await !store.isKnown(subject)) }
        try await limitPages(store, to: nil)
        for subject in stored + failed { _ = try await store.signedIn(Sample.signIn(subject)) }
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test func `lets a code that failed for a full disk be presented again`() async throws {
        let store = try await folder.open()
        try await limitPages(store, to: 0)
        let code = Sample.code()
        let record = Sample.signIn(
            Sample.subject("1"), code: code, attributes: ["picture": String(repeating: "x", count: 50_000)])
        await #expect(throws: RepositoryError.unavailable(.diskFull)) { try await store.signIn(record) }
        #expect(try await !store.isCodeUsed(code.hash, now: Sample.now))
        try await limitPages(store, to: nil)
        _ = try await store.signedIn(record)
        await store.close()
    }

    @Test func `says that another process has it locked, and works again when it lets go`() async throws {
        let store = try await folder.open()
        let other = try SQLiteConnection(path: folder.database, isWritable: true)
        try other.execute("BEGIN EXCLUSIVE")
        await #expect(throws: RepositoryError.unavailable(.locked)) {
            try await store.signIn(Sample.signIn(Sample.subject("1")))
        }
        await #expect(throws: RepositoryError.unavailable(.locked)) { try await store.probe(now: Sample.now) }
        #expect(try await !store.isKnown(Sample.subject("1")))
        try other.execute("ROLLBACK")
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        await store.close()
    }

    @Test func `says that it may only read, and works again by itself`() async throws {
        let store = try await folder.open()
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.execute("PRAGMA query_only = ON")
        }
        await #expect(throws: RepositoryError.unavailable(.readOnly)) {
            try await store.signIn(Sample.signIn(Sample.subject("2")))
        }
        _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
        #expect(try await store.isKnown(Sample.subject("1")))
        await store.close()
    }

    @Test func `says that a page is corrupt, and works again when the file is mended`() async throws {
        let first = try await folder.open()
        for value in 0..<300 { _ = try await first.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
        await first.close()
        let sound = try contents(of: folder.database)
        let store = try await folder.open()
        // Every page but the first, so that whatever is looked up is hit.
        try write([UInt8](repeating: 0xEE, count: sound.count - 4096), to: folder.database, at: 4096)
        await #expect(throws: RepositoryError.unavailable(.corrupt)) {
            try await store.isKnown(Sample.subject("299"))
        }
        await #expect(throws: RepositoryError.unavailable(.corrupt)) {
            try await store.signIn(Sample.signIn(Sample.subject("299")))
        }
        #expect(try await !(store.check().isEmpty))
        try write(sound, to: folder.database)
        for value in 0..<300 { #expect(try await store.isKnown(Sample.subject("\(value)"))) }
        _ = try await store.signedIn(Sample.signIn(Sample.subject("299")))
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test func `opens no value that was moved to another row`() async throws {
        let store = try await folder.open()
        let one = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
        let other = try await store.signedIn(Sample.signIn(Sample.subject("2"), attributes: ["name": "John"])).user
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.run(
                Query("UPDATE users SET profile = (SELECT profile FROM users WHERE id = ?) WHERE id = ?"), one, other)
        }
        #expect(try await store.user(one) != nil)
        await #expect(throws: RepositoryError.unavailable(.brokenSeal)) { try await store.user(other) }
        await #expect(throws: RepositoryError.unavailable(.brokenSeal)) {
            try await store.signIn(Sample.signIn(Sample.subject("2")))
        }
        await store.close()
    }

    @Test func `counts the seals that do not open, and tells how far it is`() async throws {
        let store = try await folder.open()
        var users: [UserID] = []
        for value in 0..<3 { users.append(try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))).user) }
        _ = try await store.signIn(Sample.signIn(Sample.subject("new"), registration: .ticket(Sample.code())))
        try await store.addSigningKey(SigningKey(kid: "a", purpose: .session, privateKey: [1], createdAt: 1))
        let steps = Mutex<[[Int]]>([])
        #expect(try await store.check { done, total in steps.withLock { $0.append([done, total]) } }.isEmpty)
        #expect(steps.withLock { $0 } == [[3, 11], [4, 11], [5, 11], [6, 11], [11, 11]])
        let broken = users[1]
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.run(Query("UPDATE users SET profile = x'5A01' WHERE id = ?"), broken)
            try connection.execute("UPDATE signing_keys SET private_key = x'00'")
        }
        let found = [
            "Sealed values in users that do not open: 1.", "Sealed values in signing_keys that do not open: 1.",
        ]
        #expect(try await store.check() == found)
        // And what does not open keeps nothing else from being sealed anew.
        _ = try await store.rotateDataKey(TransparentSealer.maker)
        try await untilNothingIsLeft { try await store.reseal(limit: 2) }
        #expect(try await store.check() == found)
        #expect(try await store.user(users[2])?.profile.carrier == Sample.jane)
        await store.close()
    }

    @Test func `writes no personal value in clear but the subject it has to find`() async throws {
        let store = try await folder.open()
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        _ = try await store.signIn(Sample.signIn(Sample.subject("2"), registration: .ticket(Sample.code())))
        await store.close()
        let file = String(decoding: try contents(of: folder.database), as: UTF8.self)
        for member in Sample.jane.members { #expect(!file.contains(member.value)) }
    }
}
