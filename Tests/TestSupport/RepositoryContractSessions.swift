import Accounts
import Testing

extension RepositoryContract {
    static let refreshClauses = [
        RepositoryContract("a refresh token is replaced by its successor") { store in
            let session = Sample.session()
            let next = Sample.hash()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let record = Sample.refresh(
                session.id, session.refreshHash, next: next, expiresAt: Sample.now + 100_000, now: Sample.now + 5)
            guard case .rotated(let rotated) = try await store.refresh(record) else {
                Issue.record("not rotated")
                return
            }
            #expect(rotated.user == user)
            #expect(rotated.refreshHash == next)
            #expect(rotated.previousRefreshHash == session.refreshHash)
            #expect(rotated.rotatedAt == Sample.now + 5)
            #expect(rotated.expiresAt == Sample.now + 100_000)
            #expect(try await store.session(session.id, now: Sample.now + 5) == rotated)
        },
        RepositoryContract("a client that lost the answer gets the same successor, and that one works") { store in
            let session = Sample.session()
            let next = Sample.hash()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            _ = try await store.refresh(
                Sample.refresh(session.id, session.refreshHash, next: next, wrapped: [7, 8, 9]))
            let retry = Sample.refresh(session.id, session.refreshHash, wrapped: [0], now: Sample.now + 10)
            guard case .repeated(let repeated, let wrapped) = try await store.refresh(retry) else {
                Issue.record("not repeated")
                return
            }
            #expect(wrapped == [7, 8, 9])
            #expect(repeated.refreshHash == next)
            let outcome = try await store.refresh(Sample.refresh(session.id, next, now: Sample.now + 900))
            guard case .rotated = outcome else {
                Issue.record("the successor does not work")
                return
            }
        },
        RepositoryContract("a replaced refresh token after the grace revokes the family") { store in
            let session = Sample.session()
            let next = Sample.hash()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, session.refreshHash, next: next))
            let reuse = Sample.refresh(session.id, session.refreshHash, now: Sample.now + 11)
            #expect(try await store.refresh(reuse) == .reused(user))
            #expect(try await store.session(session.id, now: Sample.now + 11) == nil)
            let after = Sample.refresh(session.id, next, now: Sample.now + 11)
            #expect(try await store.refresh(after) == .refused)
            #expect(try await store.auditTrail().last == .refreshTokenReused)
        },
        RepositoryContract("a refresh token replaced long ago revokes the family, even within the grace of another") {
            store in
            let session = Sample.session()
            let second = Sample.hash()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, session.refreshHash, next: second))
            _ = try await store.refresh(Sample.refresh(session.id, second, now: Sample.now + 1))
            let reuse = Sample.refresh(session.id, session.refreshHash, now: Sample.now + 2)
            #expect(try await store.refresh(reuse) == .reused(user))
            #expect(try await store.session(session.id, now: Sample.now + 2) == nil)
        },
        RepositoryContract("reuse takes the whole family and leaves the user's other sessions") { store in
            let subject = Sample.subject("1")
            let first = Sample.session()
            var sibling = Sample.session()
            sibling.family = first.family
            let other = Sample.session()
            for session in [first, sibling, other] {
                _ = try await store.signedIn(Sample.signIn(subject, session: session))
            }
            _ = try await store.refresh(Sample.refresh(first.id, first.refreshHash))
            _ = try await store.refresh(Sample.refresh(first.id, first.refreshHash, now: Sample.now + 60))
            #expect(try await store.session(first.id, now: Sample.now) == nil)
            #expect(try await store.session(sibling.id, now: Sample.now) == nil)
            #expect(try await store.session(other.id, now: Sample.now) != nil)
        },
        RepositoryContract("an unknown or another session's refresh token is refused and revokes nothing") { store in
            let subject = Sample.subject("1")
            let session = Sample.session()
            let other = Sample.session()
            _ = try await store.signedIn(Sample.signIn(subject, session: session))
            _ = try await store.signedIn(Sample.signIn(subject, session: other))
            #expect(try await store.refresh(Sample.refresh(session.id, Sample.hash())) == .refused)
            #expect(try await store.refresh(Sample.refresh(session.id, other.refreshHash)) == .refused)
            #expect(try await store.refresh(Sample.refresh(Sample.sessionID(), session.refreshHash)) == .refused)
            #expect(try await store.session(session.id, now: Sample.now) != nil)
        },
        RepositoryContract("an expired refresh token is refused") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let late = Sample.refresh(session.id, session.refreshHash, now: Sample.now + 60)
            #expect(try await store.refresh(late) == .refused)
        },
    ]

    static let sessionClauses = [
        RepositoryContract("a revoked session is gone at once, and so is its refresh token") { store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            #expect(try await store.revokeSession(session.id, now: Sample.now))
            #expect(try await store.session(session.id, now: Sample.now) == nil)
            #expect(try await store.refresh(Sample.refresh(session.id, session.refreshHash)) == .refused)
            #expect(try await !store.revokeSession(session.id, now: Sample.now))
            #expect(try await store.auditTrail() == [.userCreated, .sessionRevoked])
        },
        RepositoryContract("a user ends sessions of his own and no other's") { store in
            let jane = Sample.session()
            let john = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: jane)).user
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: john))
            #expect(try await !store.revokeSession(john.id, of: user, now: Sample.now))
            #expect(try await store.session(john.id, now: Sample.now) != nil)
            #expect(try await store.revokeSession(jane.id, of: user, now: Sample.now))
            #expect(try await store.session(jane.id, now: Sample.now) == nil)
            #expect(try await !store.revokeSession(jane.id, of: user, now: Sample.now))
            #expect(try await store.auditTrail() == [.userCreated, .userCreated, .sessionRevoked])
        },
        RepositoryContract("a user ends all sessions, or all but one") { store in
            let subject = Sample.subject("1")
            let sessions = [Sample.session(), Sample.session(), Sample.session(expiresAt: Sample.now + 60)]
            for session in sessions { _ = try await store.signedIn(Sample.signIn(subject, session: session)) }
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            let user = try #require(try await store.session(sessions[0].id, now: Sample.now)).user
            let later = Sample.now + 60
            #expect(try await store.revokeSessions(of: user, except: sessions[0].id, now: later) == 1)
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [sessions[0].id])
            #expect(try await store.revokeSessions(of: user, except: nil, now: later) == 1)
            #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
            #expect(try await store.revokeSessions(of: user, except: nil, now: later) == 0)
            #expect(try await store.sessions(of: other, now: Sample.now).count == 1)
            #expect(try await store.auditTrail().suffix(2) == [.sessionsRevoked, .sessionsRevoked])
            #expect(try await store.auditTrail().count == 4)
        },
        RepositoryContract("a session is live until it expires") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            #expect(try await store.session(session.id, now: Sample.now + 59) != nil)
            #expect(try await store.session(session.id, now: Sample.now + 60) == nil)
            #expect(try await store.sessions(of: user, now: Sample.now + 60).isEmpty)
        },
        RepositoryContract("a session may know nothing of how the user was authenticated") { store in
            var session = Sample.session()
            session.userAgent = nil
            session.acr = nil
            session.amr = []
            session.authTime = nil
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let stored = try await store.session(session.id, now: Sample.now)
            #expect(stored?.amr == [])
            #expect(stored?.acr == nil)
            #expect(stored?.authTime == nil)
            #expect(stored?.userAgent == nil)
        },
    ]
}
