internal import Accounts
import Testing

extension Sample {
    /// A sign-in whose ID token names a session of the provider's.
    static func signIn(_ subject: Subject, under upstream: TokenHash?, ported: [PortedSubject] = []) -> SignInRecord {
        var record = signIn(subject, ported: ported)
        record.draft.session.upstreamSession = upstream
        return record
    }
}

extension RepositoryContract {
    static let logoutClauses = sessionLogoutClauses + subjectLogoutClauses

    private static let sessionLogoutClauses = [
        RepositoryContract("a provider ends what came of one of its sessions, and nothing else of that user") { store in
            let upstream = Sample.hash()
            let ended = [upstream, upstream].map { Sample.signIn(Sample.subject("1"), under: $0) }
            let others = [Sample.hash(), nil].map { Sample.signIn(Sample.subject("1"), under: $0) }
            for record in ended + others { _ = try await store.signedIn(record) }
            let user = try #require(try await store.user(with: Sample.subject("1")))
            #expect(try await store.endSessions(.session(upstream, of: nil), now: Sample.now) == 2)
            let left = try await store.sessions(of: user, now: Sample.now).map(\.id)
            #expect(Set(left) == Set(others.map(\.session.id)))
            let token = Sample.refresh(ended[0].session.id, 1, of: user)
            #expect(try await store.refresh(token) == .refused)
            #expect(try await store.auditTrail() == [.userCreated, .providerLogout])
            let event = try #require(try await store.auditEvents(after: 0, limit: .max, user: user).last)
            #expect(event.oldIdentity == (try await store.identities(of: user).first?.id))
        },
        RepositoryContract("a session of a provider still names what came of it after a refresh") { store in
            let upstream = Sample.hash()
            let record = Sample.signIn(Sample.subject("1"), under: upstream)
            let user = try await store.signedIn(record).user
            _ = try await store.refresh(Sample.refresh(record.session.id, 1, of: user))
            #expect(try await store.endSessions(.session(upstream, of: nil), now: Sample.now) == 1)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
        },
        RepositoryContract("a logout that names a session and another user than its own ends nothing") { store in
            let upstream = Sample.hash()
            let record = Sample.signIn(Sample.subject("1"), under: upstream)
            _ = try await store.signedIn(record)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            for subject in [
                Sample.subject("2"), Sample.subject("3"), Sample.subject("1", at: "https://other.example"),
            ] {
                #expect(try await store.endSessions(.session(upstream, of: subject), now: Sample.now) == 0)
            }
            #expect(try await store.session(record.session.id, now: Sample.now) != nil)
            #expect(try await store.endSessions(.session(upstream, of: Sample.subject("1")), now: Sample.now) == 1)
        },
        RepositoryContract("a logout that names nobody known changes nothing, and neither does a second one") { store in
            let upstream = Sample.hash()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), under: upstream))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            for logout in [
                .session(Sample.hash(), of: nil), .session(Sample.hash(), of: Sample.subject("1")),
                .subject(Sample.subject("3")), .subject(Sample.subject("1", at: "https://other.example")),
            ] as [ProviderLogout] { #expect(try await store.endSessions(logout, now: Sample.now) == 0) }
            #expect(try await store.auditTrail() == [.userCreated, .userCreated])
            for count in [1, 0] {
                #expect(try await store.endSessions(.session(upstream, of: nil), now: Sample.now) == count)
            }
            #expect(try await store.auditTrail() == [.userCreated, .userCreated, .providerLogout])
        },
        RepositoryContract("a logout token counts once, at whatever instance, and ends nothing that is newer") {
            store, other in
            let upstream = Sample.hash()
            let first = Sample.signIn(Sample.subject("1"), under: upstream)
            let user = try await store.signedIn(first).user
            var record = LogoutRecord(
                logout: .session(upstream, of: nil),
                token: OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600), openedBy: Sample.now + 60,
                line: NotBefore(drawnAt: Sample.now * 1000), now: Sample.now)
            #expect(try await store.endSessions(record) == 1)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), under: upstream))
            for instance in [store, other] { #expect(try await instance.endSessions(record) == nil) }
            #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
            // Another token that is as old ends what was opened by then.
            record.token = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600)
            record.openedBy = Sample.now - 1
            #expect(try await store.endSessions(record) == 0)
            record.token = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600)
            record.openedBy = Sample.now
            #expect(try await other.endSessions(record) == 1)
        },
        RepositoryContract("what expires or ends is named by no session of a provider any more") { store in
            let upstream = Sample.hash()
            let record = Sample.signIn(Sample.subject("1"), under: upstream)
            let user = try await store.signedIn(record).user
            let late = record.session.expiresAt
            #expect(try await store.endSessions(.session(upstream, of: nil), now: late) == 0)
            #expect(try await store.auditTrail() == [.userCreated])
            var again = Sample.signIn(Sample.subject("1"), under: upstream)
            again.draft.now = late + 1
            again.draft.beginning = .seen((late + 1) * 1000)
            again.draft.session.expiresAt = late + 86_400
            _ = try await store.signedIn(again)
            #expect(try await store.erase(user, now: late + 2))
            #expect(try await store.endSessions(.session(upstream, of: nil), now: late + 2) == 0)
        },
    ]

    private static let subjectLogoutClauses = [
        RepositoryContract("a provider ends all that one of its users has opened by it, and nothing opened otherwise") {
            store in
            let first = Sample.signIn(Sample.subject("1"), under: Sample.hash())
            let user = try await store.signedIn(first).user
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            try await store.linked(Sample.link(Sample.subject("2"), first.session.id))
            let other = Sample.signIn(Sample.subject("2"))
            #expect(try await store.signedIn(other).user == user)
            let stranger = Sample.signIn(Sample.subject("3"))
            _ = try await store.signedIn(stranger)
            #expect(try await store.endSessions(.subject(Sample.subject("1")), now: Sample.now) == 2)
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [other.session.id])
            #expect(try await store.session(stranger.session.id, now: Sample.now) != nil)
            #expect(try await store.auditTrail().last == .providerLogout)
        },
        RepositoryContract("an app's code is worth nothing after the logout of what it stands for") { store in
            let upstream = Sample.hash()
            for logout in [.session(upstream, of: nil), .subject(Sample.subject("1"))] as [ProviderLogout] {
                var (record, code) = Sample.appSignIn()
                record.draft.subject = Sample.subject("1")
                record.draft.session.upstreamSession = upstream
                _ = try await store.signedIn(record)
                #expect(try await store.endSessions(logout, now: Sample.now) == 1)
                #expect(try await store.redeem(Sample.redemption(of: code)) == .refused)
            }
        },
        RepositoryContract("a link ticket ends with the session it came of, and with its subject") { store in
            for number in 0..<6 {
                // Each of its own, since what was ended once stays so for who began before.
                let (upstream, subject) = (Sample.hash(), Sample.subject("1-\(number)"))
                let cases: [(ProviderLogout, Bool)] = [
                    (.session(upstream, of: nil), false), (.session(upstream, of: subject), false),
                    (.subject(subject), false), (.session(upstream, of: Sample.subject("2")), true),
                    (.session(Sample.hash(), of: nil), true), (.subject(Sample.subject("2")), true),
                ]
                let (logout, isLeft) = cases[number]
                let ticket = Sample.code()
                var record = Sample.signIn(subject, under: upstream)
                record.draft.registration = .ticket(ticket)
                #expect(try await store.signIn(record) == .unlinked)
                #expect(try await store.endSessions(logout, now: Sample.now) == 0)
                let redemption = Sample.redemption(
                    ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now)
                guard isLeft else {
                    #expect(try await store.redeemTicket(redemption) == .refused(.invalidTicket))
                    continue
                }
                let user = try await store.redeemed(redemption).signedIn.user
                #expect(try await store.endSessions(.session(upstream, of: subject), now: Sample.now) == 1)
                #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
                #expect(try await store.erase(user, now: Sample.now))
            }
        },
    ]
}
