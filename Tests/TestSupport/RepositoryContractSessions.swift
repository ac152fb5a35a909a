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
        RepositoryContract("a refresh never takes a session beyond its absolute end") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            let (second, third) = (Sample.hash(), Sample.hash())
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let first = Sample.refresh(
                session.id, session.refreshHash, next: second, expiresAt: Sample.now + 110, absoluteSeconds: 100,
                now: Sample.now + 50)
            guard case .rotated(let rotated) = try await store.refresh(first) else {
                Issue.record("not rotated")
                return
            }
            #expect(rotated.expiresAt == Sample.now + 100)
            #expect(try await store.session(session.id, now: Sample.now + 99)?.expiresAt == Sample.now + 100)
            #expect(try await store.session(session.id, now: Sample.now + 100) == nil)
            // It counts from when the session was opened, also for one that was promised more.
            let promising = Sample.refresh(
                session.id, second, next: third, expiresAt: Sample.now + 900, absoluteSeconds: nil,
                now: Sample.now + 90)
            guard case .rotated = try await store.refresh(promising) else {
                Issue.record("not rotated without a limit")
                return
            }
            let late = Sample.refresh(
                session.id, third, expiresAt: Sample.now + 900, absoluteSeconds: 100, now: Sample.now + 100)
            #expect(try await store.refresh(late) == .refused)
        },
        RepositoryContract("an expired refresh token is refused") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let late = Sample.refresh(session.id, session.refreshHash, now: Sample.now + 60)
            #expect(try await store.refresh(late) == .refused)
        },
    ]

    static let sessionClauses = [
        RepositoryContract("one session more than a user may have ends the oldest") { store in
            let other = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: other, maximumSessions: 1))
            var sessions: [NewSession] = []
            // The maximum at each sign-in, and from which session on they are left.
            for (second, maximum, first) in [(0, 3, 0), (1, 3, 0), (2, 3, 0), (3, 3, 1), (4, nil, 1), (5, 1, 5)]
                as [(Int64, Int64?, Int)]
            {
                var session = Sample.session()
                session.id = Sample.sessionID(now: Sample.now + second)
                sessions.append(session)
                let record = Sample.signIn(Sample.subject("1"), session: session, maximumSessions: maximum)
                let user = try await store.signedIn(record).user
                let live = try await store.sessions(of: user, now: Sample.now).map(\.id)
                #expect(live == sessions[first...].map(\.id))
            }
            let ended = Sample.refresh(sessions[0].id, sessions[0].refreshHash)
            #expect(try await store.refresh(ended) == .refused)
            #expect(try await store.session(other.id, now: Sample.now) != nil)
        },
        RepositoryContract("no mix of identities, ends and ports opens more sessions than a user may have") { store in
            var names: [SessionID] = []
            func record(_ subject: String, ported: [PortedSubject] = []) -> SignInRecord {
                var session = Sample.session()
                session.id = Sample.sessionID(now: Sample.now + Int64(names.count))
                names.append(session.id)
                return Sample.signIn(Sample.subject(subject), ported: ported, session: session, maximumSessions: 3)
            }
            let user = try await store.signedIn(record("1")).user
            func live() async throws -> [SessionID] {
                try await store.sessions(of: user, now: Sample.now).map(\.id)
            }
            _ = try await store.link(Sample.link(Sample.subject("2"), names[0]))
            for subject in ["1", "2", "2", "1", "2", "1", "1", "2"] {
                _ = try await store.signedIn(record(subject))
                #expect(try await live() == names.suffix(3))
            }
            // Room that an ended session leaves is used, and no session ends for it.
            #expect(try await store.revokeSession(names[names.count - 2], now: Sample.now))
            let kept = try await live()
            _ = try await store.signedIn(record("1"))
            #expect(try await live() == kept + names.suffix(1))
            _ = try await store.revokeSessions(of: user, except: nil, now: Sample.now)
            _ = try await store.signedIn(record("2"))
            _ = try await store.signedIn(record("3", ported: [Sample.ported(Sample.subject("2"))]))
            for subject in ["1", "3", "1", "1", "3", "3"] { _ = try await store.signedIn(record(subject)) }
            #expect(try await live() == names.suffix(3))
        },
        RepositoryContract("a refresh token of a session ends it, the current one or one that was replaced") { store in
            for replacements in 0...2 {
                let session = Sample.session()
                let tokens = [session.refreshHash, Sample.hash(), Sample.hash()]
                let subject = Sample.subject("\(replacements)")
                let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
                for index in 0..<replacements {
                    _ = try await store.refresh(Sample.refresh(session.id, tokens[index], next: tokens[index + 1]))
                }
                #expect(try await !store.revokeSession(session.id, presenting: Sample.hash(), now: Sample.now))
                #expect(try await store.revokeSession(session.id, presenting: tokens[0], now: Sample.now))
                #expect(try await !store.revokeSession(session.id, presenting: tokens[0], now: Sample.now))
                #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
                #expect(try await store.auditTrail().last == .sessionRevoked)
            }
        },
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
