import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `What was acknowledged` {
    let folder = TemporaryFolder()

    /// The files as a process that was killed now would leave them: the log not copied back, nothing closed.
    private func crash() throws -> TemporaryFolder {
        let left = TemporaryFolder()
        for suffix in ["", "-wal"] {
            try write(try contents(of: folder.database + suffix), to: left.database + suffix)
        }
        return left
    }

    @Test func `what was acknowledged is there after a crash that left only the log`() async throws {
        let store = try await folder.open { $0.checkpointPages = 1_000_000 }
        let old = Sample.subject("old", at: Sample.oldIssuer)
        let new = Sample.subject("new")
        let code = Sample.code()
        let session = Sample.session()
        let revoked = Sample.session()
        let token = Sample.ported(old)
        let user = try await store.signedIn(Sample.signIn(old)).user
        _ = try await store.signedIn(Sample.signIn(new, code: code, ported: [token], session: session))
        _ = try await store.signedIn(Sample.signIn(new, session: revoked))
        _ = try await store.revokeSession(revoked.id, now: Sample.now)
        _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
        for value in 0..<200 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }

        let left = try crash()
        await store.close()
        let again = try await left.open()
        #expect(try await again.check().isEmpty)
        #expect(try await again.identities(of: user).map(\.subject) == [new])
        #expect(try await again.user(user)?.profile == Profile(Sample.said))
        #expect(try await again.isCodeUsed(code.hash, now: Sample.now))
        #expect(try await again.signIn(Sample.signIn(new, code: code)) == .refused(.codeAlreadyUsed))
        #expect(try await again.session(session.id, now: Sample.now)?.generation == 2)
        #expect(try await again.session(revoked.id, now: Sample.now) == nil)
        _ = try await again.signedIn(Sample.signIn(old))
        let thief = try await again.signedIn(Sample.signIn(Sample.subject("thief"), ported: [token]))
        #expect(!thief.migrated)
        for value in 0..<200 { #expect(try await again.isKnown(Sample.subject("\(value)"))) }
        await again.close()
    }

    @Test func `what was acknowledged of links, receipts, challenges, edits and erasures is there after a crash too`()
        async throws
    {
        let store = try await folder.open { $0.checkpointPages = 1_000_000 }
        let session = Sample.session()
        let subject = Sample.subject("1")
        let linked = Sample.subject("2")
        let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
        let erased = try await store.signedIn(Sample.signIn(Sample.subject("3"))).user
        let code = Sample.code()
        let challenge = Sample.code()
        var link = Sample.link(linked, session.id, code: code)
        link.challenge = challenge
        _ = try await store.linked(link)
        let transaction = Sample.transaction(subject, session.id)
        _ = try await store.receipted(transaction)
        _ = try await store.editProfile(of: user, [ProfileEdit("nickname", "J")], now: Sample.now)
        _ = try await store.erase(erased, now: Sample.now)
        _ = try await store.rotateDataKey(TransparentSealer.maker)
        #expect(try await store.reseal(limit: 100) > 0)

        let left = try crash()
        await store.close()
        let again = try await left.open()
        #expect(try await again.check().isEmpty)
        #expect(try await again.identities(of: user).map(\.subject) == [subject, linked])
        #expect(try await again.isCodeUsed(code.hash, now: Sample.now))
        #expect(try await again.isChallengeUsed(challenge.hash, now: Sample.now))
        #expect(try await again.receipts(of: user).map(\.id) == [transaction.receipt])
        #expect(try await again.user(user)?.profile.own["nickname"] == "J")
        #expect(try await again.user(erased) == nil)
        #expect(try await again.userCount() == 1)
        #expect(try await again.keyRing().count == 2)
        #expect(try await again.reseal(limit: 100) == 0)
        await again.close()
    }

    @Test func `what was acknowledged is there after closing, with no log left behind`() async throws {
        let store = try await folder.open()
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        await store.close()
        #expect(!TemporaryFolder.names(in: folder.path).contains("gatehouse.db-wal"))
        let again = try await folder.open()
        #expect(try await again.isKnown(Sample.subject("1")))
        await again.close()
    }

    @Test
    func
        `what was acknowledged is all there, and nothing by halves, when the files are taken in the middle of many sign-ins`()
        async throws
    {
        let store = try await folder.open { $0.checkpointPages = 1_000_000 }
        // The database itself does not change while nothing is copied back into it, so a copy of it and of the log's
        // beginning is what a crash at that instant leaves.
        let left = TemporaryFolder()
        let acknowledged = try await withThrowingTaskGroup(of: [Int].self) { group in
            for caller in 0..<16 {
                group.addTask {
                    var done: [Int] = []
                    for turn in 0..<20 {
                        let value = caller * 1000 + turn
                        _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)")))
                        done.append(value)
                    }
                    return done
                }
            }
            let first = try await group.next() ?? []
            for suffix in ["", "-wal"] {
                try write(try contents(of: folder.database + suffix), to: left.database + suffix)
            }
            return first
        }
        await store.close()
        let again = try await left.open()
        #expect(try await again.check().isEmpty)
        #expect(acknowledged.count == 20)
        for value in acknowledged { #expect(try await again.isKnown(Sample.subject("\(value)"))) }
        let users = try await again.auditEvents(after: 0, limit: .max).compactMap(\.user)
        for user in users {
            #expect(try await again.identities(of: user).count == 1)
            #expect(try await again.sessions(of: user, now: Sample.now).count == 1)
            #expect(try await again.user(user)?.profile == Profile(Sample.said))
        }
        await again.close()
    }

    @Test func `what was acknowledged is remembered of codes until they expire, across a restart`() async throws {
        let code = Sample.code(expiresAt: Sample.now + 60)
        let store = try await folder.open()
        try await store.recordUsedCode(code, now: Sample.now)
        await store.close()
        let soon = try await folder.open(now: Sample.now + 59)
        #expect(try await soon.isCodeUsed(code.hash, now: Sample.now + 59))
        #expect(try await soon.sweepExpired(now: Sample.now + 60, limit: 10) == 1)
        await soon.close()
        let later = try await folder.open(now: Sample.now + 60)
        #expect(try await !later.isCodeUsed(code.hash, now: Sample.now + 60))
        await later.close()
    }
}
