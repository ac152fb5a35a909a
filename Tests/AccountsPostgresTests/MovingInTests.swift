import Accounts
import AccountsSQL
import TestSupport
import Testing

/// What becomes of users whose store is copied, and served from there.
@Suite struct `A store that was moved` {
    /// What somebody has done in the store before.
    private struct Past {
        let subject: Subject
        let ada: SignedIn
        let adasSession: NewSession
        let movedSession: NewSession
        let code: OneTimeUse
        let challenge: OneTimeUse
        let ticket: OneTimeUse
        let records: [UserRecord]
        let events: [AuditEvent]
        let userCount: Int
    }

    /// - Parameter round: tells these people from those of another time.
    private func live(in store: any SQLStore, round: String) async throws -> Past {
        let (session, code) = (Sample.session(), Sample.code())
        let ada = try await store.signedIn(Sample.signIn(Sample.subject(round + "ada"), code: code, session: session))
        let refreshed = try await store.refresh(Sample.refresh(session.id, 1, of: ada.user))
        guard case .rotated = refreshed else { throw ContractViolation.notSignedIn }
        // What PostgreSQL does in one statement, which leaves unset what a file has empty.
        _ = try await store.signedIn(Sample.signIn(Sample.subject(round + "ada")))
        // Somebody who came from another carrier, and whose other sessions ended with that.
        let old = Sample.subject(round + "old", at: Sample.oldIssuer)
        _ = try await store.signedIn(Sample.signIn(old))
        let movedSession = Sample.session()
        let moved = try await store.signedIn(
            Sample.signIn(Sample.subject(round + "moved"), ported: [Sample.ported(old)], session: movedSession))
        try await store.linked(Sample.link(Sample.subject(round + "second"), session.id))
        _ = try await store.receipted(Sample.transaction(Sample.subject(round + "ada"), session.id))
        let (challenge, ticket) = (Sample.code(), Sample.code())
        var bound = Sample.signIn(Sample.subject(round + "ada"))
        bound.draft.challenge = challenge
        _ = try await store.signedIn(bound)
        _ = try await store.signIn(Sample.signIn(Sample.subject(round + "eve"), registration: .ticket(ticket)))
        // The last number of all, whose row is gone.
        let gone = try await store.signedIn(Sample.signIn(Sample.subject(round + "gone"))).user
        #expect(try await store.erase(gone, now: Sample.now))
        var records: [UserRecord] = []
        for user in [ada.user, moved.user] {
            records.append(try #require(try await store.record(of: user, now: Sample.now + 1)))
        }
        return Past(
            subject: Sample.subject(round + "ada"), ada: ada, adasSession: session, movedSession: movedSession,
            code: code,
            challenge: challenge, ticket: ticket, records: records,
            events: try await store.auditEvents(after: 0, limit: 1000), userCount: try await store.userCount())
    }

    /// - Parameter generation: of Ada's refresh token.
    private func expect(_ past: Past, toGoOnIn store: any SQLStore, generation: Int64) async throws {
        #expect(try await store.userCount() == past.userCount)
        for record in past.records {
            #expect(try await store.record(of: record.user.id, now: Sample.now + 1) == record)
        }
        #expect(try await store.auditEvents(after: 0, limit: 1000) == past.events)
        let moved = try #require(try await store.session(past.movedSession.id, now: Sample.now + 1))
        #expect(moved.user == past.records[1].user.id)
        #expect(try await store.isCodeUsed(past.code.hash, now: Sample.now + 1))
        await #expect(throws: Refusal.codeAlreadyUsed) {
            try await store.signedIn(Sample.signIn(past.subject, code: past.code))
        }
        var replayed = Sample.signIn(past.subject)
        replayed.draft.challenge = past.challenge
        await #expect(throws: Refusal.challengeAlreadyUsed) { try await store.signedIn(replayed) }
        let found = try await store.users(with: .email, "JANE@example.com", limit: 10)
        #expect(found.matches.contains { $0.user.id == past.ada.user } && found.isComplete)
        let token = Sample.refresh(past.adasSession.id, generation, of: past.ada.user, now: Sample.now + 60)
        guard case .rotated(let session) = try await store.refresh(token) else {
            Issue.record("the refresh token is not taken")
            return
        }
        #expect(session.user == past.ada.user)
        #expect(try await store.check { _, _ in } == [])
    }

    @Test func `takes no code twice, and takes those that were nobody's`() async throws {
        try await withCopyPlaces { database, file in
            let (used, claimed, refused) = (Sample.code(), Sample.code(), Sample.code())
            let expired = Sample.code(expiresAt: Sample.now + 60)
            try await database.use { store in
                _ = try await store.signedIn(Sample.signIn(Sample.subject("ada"), code: used))
                for code in [claimed, refused] {
                    #expect(try await store.claimCode(code, for: Sample.issuer, now: Sample.now) == .claimed)
                }
                try await store.releaseCode(refused, .refused, now: Sample.now)
                try await store.recordUsedCode(expired, now: Sample.now)
            }
            try await database.copy(to: file("users.db"), now: Sample.now + 60)
            try await file("users.db").use { store in
                for (code, expected) in [(used, true), (claimed, true), (refused, false), (expired, false)] {
                    let isUsed = try await store.isCodeUsed(code.hash, now: Sample.now)
                    #expect(isUsed == expected)
                }
            }
        }
    }

    @Test func `goes on as it was in PostgreSQL, and in a file again`() async throws {
        try await withCopyPlaces { database, file in
            let past = try await file("users.db").use { try await live(in: $0, round: "a") }
            try await file("users.db").copy(to: database)
            let back: Past = try await database.use { store in
                try await expect(past, toGoOnIn: store, generation: 2)
                let redeemed = try await store.redeemed(
                    Sample.redemption(
                        ticket: past.ticket.hash, session: Sample.session(), reference: "eve", now: Sample.now + 1))
                // Behind the number of who was erased.
                #expect(redeemed.signedIn.user.rawValue == 4)
                return try await live(in: store, round: "b")
            }
            #expect(back.events.count > past.events.count)
            try await database.copy(to: file("back.db"))
            try await file("back.db").use { store in
                try await expect(back, toGoOnIn: store, generation: 2)
                let new = try await store.signedIn(Sample.signIn(Sample.subject("new")))
                // Behind those as well that the servers of PostgreSQL had taken, and gave to nobody.
                #expect(new.user.rawValue > back.events.compactMap(\.user?.rawValue).max() ?? .max)
            }
        }
    }
}
