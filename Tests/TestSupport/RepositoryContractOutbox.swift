internal import Accounts
import Testing

extension RepositoryContract {
    static let outboxClauses = [
        RepositoryContract("what is due is taken by one, and is due again after a while unless it is settled") {
            store in
            let signedIn = try await store.signedIn(Sample.keeping())
            #expect(try await store.erase(signedIn.user, now: Sample.now))
            func take(_ now: Int64) async throws -> [OutboxMessage] {
                try await store.takeDueMessages(limit: 10, leaseSeconds: 60, now: now)
            }
            let first = try #require(try await take(Sample.now).first)
            #expect((first.attempts, first.createdAt) == (1, Sample.now))
            #expect(try await take(Sample.now + 59).isEmpty)
            let again = try #require(try await take(Sample.now + 60).first)
            #expect((again.number, again.attempts, again.content) == (first.number, 2, first.content))
            try await store.settle(again, .again(at: Sample.now + 500), now: Sample.now + 61)
            #expect(try await take(Sample.now + 499).isEmpty)
            #expect(try await store.outboxStatus() == OutboxStatus(pending: 1, oldestAt: Sample.now))
            let last = try #require(try await take(Sample.now + 500).first)
            #expect(last.attempts == 3)
            try await store.settle(last, .done, now: Sample.now + 501)
            try await store.settle(last, .givenUp, now: Sample.now + 502)
            #expect(try await take(Sample.now + 5000).isEmpty)
            #expect(try await store.outboxStatus() == OutboxStatus(pending: 0, oldestAt: nil))
            let trail = try await store.auditEvents(after: 0, limit: .max)
            #expect(trail.map(\.kind) == [.userCreated, .userErased, .providerRevocationDone])
            #expect(trail.last?.user == signedIn.user && trail.last?.oldIdentity == signedIn.identity)
        },
        RepositoryContract("the oldest are taken first, and no more than were asked for") { store in
            for number in 0..<5 {
                let record = Sample.keeping(Sample.subject("\(number)"), now: Sample.now + Int64(number))
                let user = try await store.signedIn(record).user
                #expect(try await store.erase(user, now: Sample.now + Int64(number)))
            }
            let first = try await store.takeDueMessages(limit: 2, leaseSeconds: 60, now: Sample.now + 10)
            #expect(Set(first.map(\.createdAt)) == [Sample.now, Sample.now + 1])
            #expect(try await store.takeDueMessages(limit: 9, leaseSeconds: 60, now: Sample.now + 10).count == 3)
        },
        RepositoryContract("what is given up is told as that") { store in
            let signedIn = try await store.signedIn(Sample.keeping())
            #expect(try await store.erase(signedIn.user, now: Sample.now))
            let message = try #require(try await store.outbox().first)
            try await store.settle(message, .givenUp, now: Sample.now)
            #expect(try await store.auditTrail() == [.userCreated, .userErased, .providerRevocationGivenUp])
        },
        RepositoryContract("an access token alone is revoked while it is good for anything") { store in
            for (subject, expiry, count) in [("1", Sample.now + 1, 1), ("2", Sample.now, 0)] {
                let tokens = Sample.tokens(refresh: nil, expiresAt: expiry)
                let user = try await store.signedIn(Sample.keeping(Sample.subject(subject), tokens)).user
                #expect(try await store.erase(user, now: Sample.now))
                let waiting = try await store.outbox()
                #expect(waiting.count == count)
                #expect(
                    waiting.allSatisfy { $0.content == .revocation(token: "access-1", isRefreshToken: false) })
                for message in waiting { try await store.settle(message, .done, now: Sample.now) }
            }
        },
        RepositoryContract("a provider is told of a user who signs out, where the ID token was kept, once") { store in
            let record = Sample.keeping(idToken: "id-1")
            let user = try await store.signedIn(record).user
            let ended = try await store.endSession(record.session.id, of: user, now: Sample.now)
            #expect(ended == EndedSession(provider: "zenkey", idToken: "id-1"))
            #expect(try await store.outboxContents() == [.logout(idToken: "id-1")])
            #expect(try await store.endSession(record.session.id, of: user, now: Sample.now) == nil)
            #expect(try await store.outboxStatus().pending == 1)
            let plain = Sample.signIn(Sample.subject("1"))
            _ = try await store.signedIn(plain)
            let without = try await store.endSession(plain.session.id, of: user, now: Sample.now)
            #expect(without == EndedSession(provider: "zenkey", idToken: nil))
            #expect(try await store.outboxStatus().pending == 1)
        },
        RepositoryContract(
            "every way by which users sign out tells their providers, and no other end of a session does"
        ) {
            store in
            let ways: [@Sendable (UserID, SignInRecord) async throws -> Void] = [
                { _, record in _ = try await store.revokeSession(record.session.id, now: Sample.now) },
                { user, record in _ = try await store.revokeSession(record.session.id, of: user, now: Sample.now) },
                { user, record in
                    _ = try await store.revokeSession(
                        record.session.id, presenting: .signed(generation: 1, user: user), now: Sample.now)
                },
                { user, _ in _ = try await store.revokeSessions(of: user, except: nil, now: Sample.now) },
                { user, _ in _ = try await store.erase(user, now: Sample.now) },
            ]
            for (number, way) in ways.enumerated() {
                let record = Sample.keeping(Sample.subject("\(number)"), idToken: "id-\(number)")
                let user = try await store.signedIn(record).user
                try await way(user, record)
                let waiting = try await store.outbox()
                #expect(waiting.contains { $0.content == .logout(idToken: "id-\(number)") }, "\(number)")
                for message in waiting { try await store.settle(message, .done, now: Sample.now) }
            }
            let record = Sample.keeping(Sample.subject("last"), idToken: "id-last")
            _ = try await store.signedIn(record)
            #expect(try await store.endSessions(.subject(Sample.subject("last")), now: Sample.now) == 1)
            #expect(try await store.outbox().isEmpty)
        },
        RepositoryContract("signing out of all sessions but one tells of the others, and leaves what was granted") {
            store in
            let (kept, other) = (Sample.keeping(idToken: "id-1"), Sample.keeping(idToken: "id-2"))
            let user = try await store.signedIn(kept).user
            _ = try await store.signedIn(other)
            #expect(try await store.revokeSessions(of: user, except: kept.session.id, now: Sample.now) == 1)
            #expect(try await store.outboxContents() == [.logout(idToken: "id-2")])
            #expect(try await store.grant()?.tokens != nil)
        },
    ]
}
