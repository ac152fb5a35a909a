import Accounts
import Testing

extension RepositoryContract {
    static let refreshClauses = [
        RepositoryContract("a refresh token is replaced by the next generation") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let opened = try #require(try await store.session(session.id, now: Sample.now))
            #expect(opened.generation == Session.firstGeneration && opened.rotatedAt == nil)
            for generation in 1...3 as ClosedRange<Int64> {
                let now = Sample.now + generation * 100
                let record = Sample.refresh(
                    session.id, generation, of: user, expiresAt: Sample.now + 100_000 + generation, now: now)
                guard case .rotated(let rotated) = try await store.refresh(record) else {
                    Issue.record("not rotated")
                    return
                }
                #expect(rotated.user == user)
                #expect(rotated.generation == generation + 1)
                #expect(rotated.rotatedAt == now)
                #expect(rotated.expiresAt == Sample.now + 100_000 + generation)
                #expect(try await store.session(session.id, now: now) == rotated)
            }
            #expect(try await store.auditTrail() == [.userCreated])
        },
        RepositoryContract("a client that lost the answer gets the same generation again, and that one works") {
            store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let first = Sample.refresh(session.id, 1, of: user, expiresAt: Sample.now + 5000)
            guard case .rotated(let rotated) = try await store.refresh(first) else {
                Issue.record("not rotated")
                return
            }
            for seconds in [0, 10] as [Int64] {
                let again = Sample.refresh(
                    session.id, 1, of: user, expiresAt: Sample.now + 9000, now: Sample.now + seconds)
                #expect(try await store.refresh(again) == .repeated(rotated))
            }
            // The second is counted until its minute is over.
            #expect(try await store.auditTrail() == [.userCreated, .refreshAnswerRepeated])
            let outcome = try await store.refresh(Sample.refresh(session.id, 2, of: user, now: Sample.now + 900))
            guard case .rotated = outcome else {
                Issue.record("the successor does not work")
                return
            }
        },
        RepositoryContract("a replaced refresh token after the grace revokes the family") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            let reuse = Sample.refresh(session.id, 1, of: user, now: Sample.now + 11)
            #expect(try await store.refresh(reuse) == .reused(user))
            #expect(try await store.session(session.id, now: Sample.now + 11) == nil)
            let after = Sample.refresh(session.id, 2, of: user, now: Sample.now + 11)
            #expect(try await store.refresh(after) == .refused)
            #expect(try await store.auditTrail().last == .refreshTokenReused)
        },
        RepositoryContract("a refresh token whose successor was presented revokes the family, even within the grace") {
            store in
            for reused in 1...2 as ClosedRange<Int64> {
                let session = Sample.session()
                let subject = Sample.subject("\(reused)")
                let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
                for generation in 1...(reused + 1) {
                    _ = try await store.refresh(Sample.refresh(session.id, generation, of: user))
                }
                let reuse = Sample.refresh(session.id, reused, of: user, now: Sample.now + 1)
                #expect(try await store.refresh(reuse) == .reused(user))
                #expect(try await store.session(session.id, now: Sample.now + 1) == nil)
            }
        },
        RepositoryContract("where there is no grace, a refresh token works once") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user, repeats: .never))
            let again = Sample.refresh(session.id, 1, of: user, repeats: .never)
            #expect(try await store.refresh(again) == .reused(user))
        },
        RepositoryContract("while the clock is put back a replaced refresh token gets nothing and revokes nothing") {
            store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            let early = Sample.refresh(session.id, 1, of: user, now: Sample.now - 6)
            #expect(try await store.refresh(early) == .refused)
            #expect(try await store.auditTrail() == [.userCreated])
            guard case .rotated = try await store.refresh(Sample.refresh(session.id, 2, of: user, now: Sample.now - 6))
            else {
                Issue.record("the successor does not work")
                return
            }
        },
        RepositoryContract("where tokens stay good, a refresh lengthens the session, is audited, and changes no token")
        {
            store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            // Whatever generation there was in a time of rotation.
            for (index, generation) in [1, 2, 1].enumerated() {
                let now = Sample.now + 100 * Int64(index + 1)
                let record = Sample.refresh(
                    session.id, Int64(generation), of: user, expiresAt: now + 500, absoluteSeconds: 700,
                    isReusable: true, now: now)
                guard case .extended(let extended) = try await store.refresh(record) else {
                    Issue.record("not extended")
                    return
                }
                #expect(extended.generation == 2 && extended.rotatedAt == Sample.now)
                #expect(extended.expiresAt == Sample.now + min(500 + 100 * Int64(index + 1), 700))
                #expect(try await store.session(session.id, now: now) == extended)
            }
            #expect(
                try await store.auditTrail()
                    == [.userCreated] + Array(repeating: .reusableRefreshTokenUsed, count: 3))
        },
        RepositoryContract("where tokens stay good, a session that nobody refreshes or that is at its end is over") {
            store in
            for (seconds, absolute) in [(50, nil), (40, 40)] as [(Int64, Int64?)] {
                let session = Sample.session()
                let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
                let first = Sample.refresh(
                    session.id, 1, of: user, expiresAt: Sample.now + 50, absoluteSeconds: absolute, isReusable: true)
                guard case .extended = try await store.refresh(first) else {
                    Issue.record("not extended")
                    return
                }
                let late = Sample.refresh(
                    session.id, 1, of: user, absoluteSeconds: absolute, isReusable: true, now: Sample.now + seconds)
                #expect(try await store.refresh(late) == .refused)
            }
        },
        RepositoryContract("where tokens are replaced again, one that had stayed good is used once") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            for _ in 1...3 { _ = try await store.refresh(Sample.refresh(session.id, 1, of: user, isReusable: true)) }
            guard case .rotated = try await store.refresh(Sample.refresh(session.id, 1, of: user)) else {
                Issue.record("not rotated")
                return
            }
            let stolen = Sample.refresh(session.id, 1, of: user, now: Sample.now + 60)
            #expect(try await store.refresh(stolen) == .reused(user))
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
            let user = try #require(try await store.session(first.id, now: Sample.now)).user
            _ = try await store.refresh(Sample.refresh(first.id, 1, of: user))
            _ = try await store.refresh(Sample.refresh(first.id, 1, of: user, now: Sample.now + 60))
            #expect(try await store.session(first.id, now: Sample.now) == nil)
            #expect(try await store.session(sibling.id, now: Sample.now) == nil)
            #expect(try await store.session(other.id, now: Sample.now) != nil)
        },
        RepositoryContract(
            "another user's, a newer and an unknown session's refresh token is refused and revokes nothing"
        ) {
            store in
            let session = Sample.session()
            let other = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let stranger = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: other)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            _ = try await store.refresh(Sample.refresh(session.id, 2, of: user))
            let refused = [
                Sample.refresh(session.id, 1, of: stranger), Sample.refresh(session.id, 2, of: stranger),
                Sample.refresh(session.id, 3, of: stranger), Sample.refresh(session.id, 4, of: user),
                Sample.refresh(session.id, .max, of: user), Sample.refresh(session.id, 0, of: user),
                Sample.refresh(session.id, .min, of: user), Sample.refresh(other.id, 1, of: user),
                Sample.refresh(Sample.sessionID(), 1, of: user),
                Sample.refresh(session.id, presenting: .earlier(Sample.hash())),
            ]
            for record in refused { #expect(try await store.refresh(record) == .refused) }
            #expect(try await store.session(session.id, now: Sample.now)?.generation == 3)
            #expect(try await store.session(other.id, now: Sample.now)?.generation == 1)
            #expect(try await store.auditTrail() == [.userCreated, .userCreated])
        },
        RepositoryContract("a refresh token opens nothing once its user is erased") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            _ = try await store.erase(user, now: Sample.now)
            for generation in 1...2 as ClosedRange<Int64> {
                #expect(try await store.refresh(Sample.refresh(session.id, generation, of: user)) == .refused)
            }
            #expect(try await store.auditTrail().last == .userErased)
        },
        RepositoryContract("a refresh never takes a session beyond its absolute end") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let first = Sample.refresh(
                session.id, 1, of: user, expiresAt: Sample.now + 110, absoluteSeconds: 100, now: Sample.now + 50)
            guard case .rotated(let rotated) = try await store.refresh(first) else {
                Issue.record("not rotated")
                return
            }
            #expect(rotated.expiresAt == Sample.now + 100)
            #expect(try await store.session(session.id, now: Sample.now + 99)?.expiresAt == Sample.now + 100)
            #expect(try await store.session(session.id, now: Sample.now + 100) == nil)
            // It counts from when the session was opened, also for one that was promised more.
            let promising = Sample.refresh(
                session.id, 2, of: user, expiresAt: Sample.now + 900, absoluteSeconds: nil, now: Sample.now + 90)
            guard case .rotated = try await store.refresh(promising) else {
                Issue.record("not rotated without a limit")
                return
            }
            let late = Sample.refresh(
                session.id, 3, of: user, expiresAt: Sample.now + 900, absoluteSeconds: 100, now: Sample.now + 100)
            #expect(try await store.refresh(late) == .refused)
        },
        RepositoryContract("an expired refresh token is refused") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            #expect(try await store.refresh(Sample.refresh(session.id, 1, of: user, now: Sample.now + 60)) == .refused)
        },
    ]
}
