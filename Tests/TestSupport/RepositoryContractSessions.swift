import Accounts
import Testing

extension RepositoryContract {
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
            let user = try #require(try await store.session(sessions[5].id, now: Sample.now)).user
            #expect(try await store.refresh(Sample.refresh(sessions[0].id, 1, of: user)) == .refused)
            #expect(try await store.session(other.id, now: Sample.now) != nil)
        },
        RepositoryContract("a session is found with its user, in one look, while both are there") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            let holder = try #require(try await store.authenticatedUser(of: session.id, now: Sample.now))
            #expect(try await store.session(session.id, now: Sample.now) == holder.session)
            #expect(try await store.user(user) == holder.user)
            #expect(try await store.authenticatedUser(of: session.id, now: session.expiresAt) == nil)
            #expect(try await store.revokeSession(session.id, now: Sample.now))
            #expect(try await store.authenticatedUser(of: session.id, now: Sample.now) == nil)
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
            _ = try await store.linked(Sample.link(Sample.subject("2"), names[0]))
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
        RepositoryContract(
            "an app that opens many sessions ends its own, and at the limit of all those of who has most"
        ) {
            store in
            var names: [String: [SessionID]] = [:]
            var second: Int64 = 0
            func open(_ app: String?, perApp: Int64?) async throws -> UserID {
                var session = Sample.session()
                session.id = Sample.sessionID(now: Sample.now + second)
                if let app { (session.client, session.scope) = (app, "openid") }
                second += 1
                names[app ?? "", default: []].append(session.id)
                let record = Sample.signIn(
                    Sample.subject("1"), session: session, maximumSessions: 6, maximumPerApp: perApp)
                return try await store.signedIn(record).user
            }
            func live(_ user: UserID) async throws -> [String: [SessionID]] {
                Dictionary(grouping: try await store.sessions(of: user, now: Sample.now)) {
                    $0.scope == nil ? "" : $0.client
                }.mapValues { $0.map(\.id) }
            }
            func newest(_ counts: [String: Int]) -> [String: [SessionID]] {
                counts.reduce(into: [:]) { $0[$1.key] = names[$1.key, default: []].suffix($1.value) }
            }
            let user = try await open(nil, perApp: 3)
            for _ in 0..<9 { _ = try await open("noisy", perApp: 3) }
            #expect(try await live(user) == newest(["": 1, "noisy": 3]))
            for _ in 0..<4 { _ = try await open(nil, perApp: 3) }
            #expect(try await live(user) == newest(["": 3, "noisy": 3]))
            _ = try await open("rare", perApp: 3)
            #expect(try await live(user).values.map(\.count).sorted() == [1, 2, 3])
            _ = try await open("noisy", perApp: 3)
            #expect(try await live(user) == newest(["": 3, "noisy": 2, "rare": 1]))
            for _ in 0..<20 { _ = try await open("noisy", perApp: nil) }
            let left = try await live(user)
            #expect(left == newest(["": 3, "noisy": 2, "rare": 1]))
        },
        RepositoryContract("sessions by exchange push out each other, and nobody else's") { store in
            var names: [SessionSource: [SessionID]] = [:]
            var second: Int64 = 0
            func open(_ source: SessionSource, _ subject: String, _ ported: [PortedSubject] = []) async throws -> UserID
            {
                var session = Sample.session()
                session.id = Sample.sessionID(now: Sample.now + second)
                session.source = source
                second += 1
                names[source, default: []].append(session.id)
                let record = Sample.signIn(
                    Sample.subject(subject), evidence: source == .tokenExchange ? .accessToken(nil) : nil,
                    ported: ported,
                    session: session, maximumSessions: source == .tokenExchange ? 2 : 3)
                return try await store.signedIn(record).user
            }
            func live(_ user: UserID) async throws -> [SessionSource: [SessionID]] {
                Dictionary(grouping: try await store.sessions(of: user, now: Sample.now)) { $0.source }
                    .mapValues { $0.map(\.id) }
            }
            let user = try await open(.signIn, "1")
            let first = try #require(names[.signIn]?.first)
            _ = try await store.linked(Sample.link(Sample.subject("2"), first))
            for subject in ["1", "2"] { _ = try await open(.signIn, subject) }
            let owners = names[.signIn]
            for number in 0..<51 {
                _ = try await open(.tokenExchange, number % 3 == 0 ? "2" : "1")
                let live = try await live(user)
                #expect(live[.signIn] == owners)
                #expect(live[.tokenExchange] == names[.tokenExchange]?.suffix(2))
            }
            for subject in ["1", "2", "2", "1"] {
                _ = try await open(.signIn, subject)
                let live = try await live(user)
                #expect(live[.signIn] == names[.signIn]?.suffix(3))
                #expect(live[.tokenExchange] == names[.tokenExchange]?.suffix(2))
            }
            // A user whose first sign-in is an exchange is bounded as well.
            let stranger = try await open(.tokenExchange, "3")
            for _ in 0..<3 { _ = try await open(.tokenExchange, "3") }
            #expect(try await live(stranger) == [.tokenExchange: names[.tokenExchange]?.suffix(2).map(\.self) ?? []])
            _ = try await open(.signIn, "3")
            #expect(try await store.sessions(of: stranger, now: Sample.now).count == 3)
        },
        RepositoryContract("a refresh token of a session ends it, of whatever generation, and no other's does") {
            store in
            for generation in 1...4 as ClosedRange<Int64> {
                let session = Sample.session()
                let subject = Sample.subject("\(generation)")
                let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
                for current in 1..<3 as Range<Int64> {
                    _ = try await store.refresh(Sample.refresh(session.id, current, of: user))
                }
                func ends(_ token: PresentedRefreshToken) async throws -> Bool {
                    try await store.revokeSession(session.id, presenting: token, now: Sample.now)
                }
                #expect(try await !ends(.signed(generation: 3, user: UserID(rawValue: user.rawValue + 1))))
                #expect(try await !ends(.earlier(Sample.hash())))
                #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
                // The fourth is known to a store only that was put back since; its signature proves that it is ours.
                #expect(try await ends(.signed(generation: generation, user: user)))
                #expect(try await !ends(.signed(generation: generation, user: user)))
                #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
                #expect(try await store.auditTrail().last == .sessionRevoked)
            }
        },
        RepositoryContract("a revoked session is gone at once, and so is its refresh token") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            #expect(try await store.revokeSession(session.id, now: Sample.now))
            #expect(try await store.session(session.id, now: Sample.now) == nil)
            #expect(try await store.refresh(Sample.refresh(session.id, 1, of: user)) == .refused)
            #expect(try await !store.revokeSession(session.id, now: Sample.now))
            #expect(try await store.auditTrail() == [.userCreated, .sessionRevoked])
        },
        RepositoryContract("a user ends their own sessions and no other's") { store in
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
        RepositoryContract("a session ends as any user's opens in its place, and not by a refused one") { store in
            func record(_ subject: String, replacing replaced: SessionID?) -> SignInRecord {
                var session = Sample.session()
                session.replaces = replaced
                return Sample.signIn(Sample.subject(subject), session: session)
            }
            func isLive(_ id: SessionID) async throws -> Bool {
                try await store.session(id, now: Sample.now) != nil
            }
            let first = record("1", replacing: nil)
            let user = try await store.signedIn(first).user
            let second = record("1", replacing: first.session.id)
            _ = try await store.signedIn(second)
            #expect(try await !isLive(first.session.id))
            #expect(try await store.auditTrail().contains(.sessionRevoked))
            let newcomer = record("2", replacing: second.session.id)
            _ = try await store.signedIn(newcomer)
            #expect(try await !isLive(second.session.id))
            // What is not there is no reason to keep anybody out.
            let last = record("1", replacing: first.session.id)
            _ = try await store.signedIn(last)
            #expect(try await isLive(last.session.id))
            let lock = Lock(cause: .operator, reason: nil, since: Sample.now, until: nil)
            _ = try await store.lock(user, lock, line: .none, now: Sample.now)
            #expect(try await store.signIn(record("1", replacing: newcomer.session.id)) == .refused(.locked))
            #expect(try await isLive(newcomer.session.id))
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
            session.authentication = Authentication(acr: nil, amr: [], time: nil)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let stored = try await store.session(session.id, now: Sample.now)
            #expect(stored?.authentication.amr == [])
            #expect(stored?.authentication.acr == nil)
            #expect(stored?.authentication.time == nil)
            #expect(stored?.userAgent == nil)
        },
    ]
}
