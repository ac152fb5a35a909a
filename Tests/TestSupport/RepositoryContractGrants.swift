public import Accounts
import Testing

extension Sample {
    public static func tokens(
        _ name: String = "1", refresh: String? = "refresh", expiresAt: Int64? = now + 3600
    ) -> ProviderTokens {
        ProviderTokens(
            accessToken: "access-\(name)", refreshToken: refresh.map { "\($0)-\(name)" }, expiresAt: expiresAt,
            scope: "openid")
    }

    public static func keeping(
        _ subject: Subject = subject("1"), _ tokens: ProviderTokens = tokens(), idToken: String? = nil,
        now: Int64 = now
    ) -> SignInRecord {
        var record = signIn(subject, now: now)
        record.draft.kept = KeptTokens(tokens: tokens, idToken: idToken)
        return record
    }

    static func lease(
        _ grant: ProviderGrant, by holder: UInt8 = 1, until expiresAt: Int64 = now + 30
    ) -> GrantLease {
        GrantLease(grant: grant, holder: [UInt8](repeating: holder, count: 16), expiresAt: expiresAt)
    }
}

extension AccountRepository {
    /// The grant of the user with a subject.
    func grant(_ subject: Subject = Sample.subject("1")) async throws -> ProviderGrant? {
        let user = try #require(try await user(with: subject))
        let identity = try #require(try await identities(of: user).first { $0.subject == subject })
        return try await providerGrant(identity.id, of: user)
    }

    /// What is to be checked a hundred seconds after it was asked, and again after twenty where nobody was answered.
    func dueGrants(at now: Int64) async throws -> [ProviderGrant] {
        try await takeGrantsToCheck(askedBefore: now - 100, again: now - 80, limit: 10, now: now)
    }

    /// What waits to be told, taken for a moment.
    func outbox(now: Int64 = Sample.now) async throws -> [OutboxMessage] {
        try await takeDueMessages(limit: 100, leaseSeconds: 1, now: now)
    }

    func outboxContents(now: Int64 = Sample.now) async throws -> [OutboxMessage.Content] {
        try await outbox(now: now).map(\.content)
    }
}

extension RepositoryContract {
    static let grantClauses = keepingGrantClauses + leaseClauses + checkClauses + profileRefreshClauses

    private static let refreshed = OutboxMessage.Content.revocation(token: "refresh-1", isRefreshToken: true)

    private static let keepingGrantClauses = [
        RepositoryContract("what a provider grants with a sign-in is kept for its identity, and for no other user") {
            store in
            let first = try await store.signedIn(Sample.keeping())
            let grant = try #require(try await store.grant())
            #expect(grant.tokens == Sample.tokens())
            #expect((grant.user, grant.identity) == (first.user, first.identity))
            #expect(grant.subject == Sample.subject("1") && grant.obtainedAt == Sample.now)
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            #expect(try await store.providerGrant(first.identity, of: other.user) == nil)
            #expect(try await store.providerGrant(other.identity, of: other.user) == nil)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            #expect(try await store.grant() == grant, "a sign-in that keeps nothing leaves it as it was")
        },
        RepositoryContract(
            "a later sign-in's tokens take the place of the former, but for a refresh token that is missing"
        ) { store in
            _ = try await store.signedIn(Sample.keeping())
            _ = try await store.signedIn(Sample.keeping(Sample.subject("1"), Sample.tokens("2", refresh: nil)))
            let kept = try #require(try await store.grant())
            #expect(kept.tokens?.accessToken == "access-2" && kept.tokens?.refreshToken == "refresh-1")
            #expect(kept.version == 2)
            _ = try await store.signedIn(Sample.keeping(Sample.subject("1"), Sample.tokens("3")))
            #expect(try await store.grant()?.tokens == Sample.tokens("3"))
            #expect(try await store.outbox().isEmpty, "revoking the former could revoke the new one")
        },
        RepositoryContract("a sign-in without a refresh token does not disturb a refresh that is under way") { store in
            _ = try await store.signedIn(Sample.keeping())
            let lease = Sample.lease(try #require(try await store.grant()))
            #expect(try await store.leaseGrant(lease, now: Sample.now) == .leased)
            _ = try await store.signedIn(Sample.keeping(Sample.subject("1"), Sample.tokens("2", refresh: nil)))
            #expect(try await store.renewGrant(lease, with: Sample.tokens("3"), now: Sample.now) == .stored)
            #expect(try await store.grant()?.tokens == Sample.tokens("3"))
        },
        RepositoryContract("an identity that is linked, and a ticket that is redeemed, bring their tokens along") {
            store in
            let session = Sample.keeping()
            _ = try await store.signedIn(session)
            var link = Sample.link(Sample.subject("2"), session.session.id)
            link.kept = KeptTokens(tokens: Sample.tokens("2"), idToken: nil)
            try await store.linked(link)
            #expect(try await store.grant(Sample.subject("2"))?.tokens == Sample.tokens("2"))
            let ticket = Sample.code()
            var unlinked = Sample.keeping(Sample.subject("3"), Sample.tokens("3"), idToken: "id-3")
            unlinked.draft.registration = .ticket(ticket)
            #expect(try await store.signIn(unlinked) == .unlinked)
            let opened = Sample.session()
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: opened, reference: "reference-3", now: Sample.now)
            guard case .redeemed(let redeemed) = try await store.redeemTicket(redemption) else {
                Issue.record("the ticket is refused")
                return
            }
            #expect(try await store.grant(Sample.subject("3"))?.tokens == Sample.tokens("3"))
            let ended = try await store.endSession(opened.id, of: redeemed.signedIn.user, now: Sample.now)
            #expect(ended == EndedSession(provider: "zenkey", idToken: "id-3"))
        },
        RepositoryContract(
            "unlinking, erasing, signing out everywhere and a provider's word give a grant up, to be revoked"
        ) {
            store in
            for (number, giveUp) in Self.endsOfGrants.enumerated() {
                let subject = Sample.subject("\(number)")
                let record = Sample.keeping(subject)
                let signedIn = try await store.signedIn(record)
                try await store.linked(Sample.link(Sample.subject("other \(number)"), record.session.id))
                try await giveUp(store, signedIn, record.session.id, subject)
                #expect(try await store.providerGrant(signedIn.identity, of: signedIn.user) == nil, "\(number)")
                let waiting = try await store.outbox()
                #expect(waiting.map(\.content) == [Self.refreshed], "\(number)")
                #expect(waiting.first?.issuer == Sample.issuer && waiting.first?.provider == "zenkey")
                for message in waiting { try await store.settle(message, .done, now: Sample.now) }
            }
        },
        RepositoryContract("a user who moves to another carrier takes no grant along; the old carrier's is revoked") {
            store in
            let old = Sample.subject("1", at: Sample.oldIssuer)
            _ = try await store.signedIn(Sample.keeping(old))
            let moved = Sample.signIn(Sample.subject("2"), ported: [Sample.ported(old)])
            let signedIn = try await store.signedIn(moved)
            #expect(signedIn.migrated)
            #expect(try await store.grant(Sample.subject("2")) == nil)
            let waiting = try await store.outbox()
            #expect(waiting.map(\.content) == [Self.refreshed] && waiting.map(\.issuer) == [Sample.oldIssuer])
        },
        RepositoryContract("a provider's logout, and the end of one session, leave what was granted") { store in
            let record = Sample.keeping()
            let signedIn = try await store.signedIn(record)
            #expect(try await store.revokeSession(record.session.id, of: signedIn.user, now: Sample.now))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            #expect(try await store.endSessions(.subject(Sample.subject("1")), now: Sample.now) == 1)
            #expect(try await store.grant()?.tokens == Sample.tokens())
            #expect(try await store.outbox().isEmpty)
        },
    ]

    private typealias End = @Sendable (any AccountRepository, SignedIn, SessionID, Subject) async throws -> Void

    private static let endsOfGrants: [End] = [
        { store, signedIn, session, _ in
            try await store.unlinked(signedIn.identity, under: session, demands: Sample.demands, now: Sample.now)
        },
        { store, signedIn, _, _ in _ = try await store.erase(signedIn.user, now: Sample.now) },
        { store, _, session, _ in
            _ = try await store.erase(under: session, demands: Sample.demands, now: Sample.now)
        },
        { store, signedIn, _, _ in
            _ = try await store.revokeSessions(of: signedIn.user, except: nil, now: Sample.now)
        },
        { store, _, _, subject in
            let event = IdentityEvent(
                subject: subject, kind: .providerTokensRevoked,
                effect: .endsSessions(openedBy: Sample.now, reauthenticate: false),
                time: Sample.now)
            _ = try await store.take([event], now: Sample.now)
        },
        { store, _, _, subject in
            let other = try await store.signedIn(Sample.signIn(Sample.subject("receiver")))
            _ = try await store.repoint(subject, provider: "zenkey", to: other.user, now: Sample.now)
        },
    ]

    private static let leaseClauses = [
        RepositoryContract("one holder at a time may refresh a grant, and the next when its time is over") { store in
            _ = try await store.signedIn(Sample.keeping())
            let grant = try #require(try await store.grant())
            let (first, second) = (Sample.lease(grant, by: 1), Sample.lease(grant, by: 2, until: Sample.now + 90))
            #expect(try await store.leaseGrant(first, now: Sample.now) == .leased)
            #expect(try await store.leaseGrant(second, now: Sample.now) == .held(until: Sample.now + 30))
            #expect(try await store.leaseGrant(first, now: Sample.now) == .leased)
            #expect(try await store.leaseGrant(second, now: Sample.now + 30) == .leased)
            #expect(try await store.leaseGrant(first, now: Sample.now + 30) == .held(until: Sample.now + 90))
            try await store.releaseGrant(first, isDoubted: false)
            #expect(
                try await store.leaseGrant(first, now: Sample.now + 30) == .held(until: Sample.now + 90),
                "only who has it gives it back")
            try await store.releaseGrant(second, isDoubted: false)
            #expect(try await store.leaseGrant(first, now: Sample.now + 30) == .leased)
        },
        RepositoryContract("what a refresh brings is kept once, and counts for the grant that it was made of") {
            store in
            _ = try await store.signedIn(Sample.keeping())
            let lease = Sample.lease(try #require(try await store.grant()))
            _ = try await store.leaseGrant(lease, now: Sample.now)
            #expect(try await store.renewGrant(lease, with: Sample.tokens("2"), now: Sample.now + 1) == .stored)
            let renewed = try #require(try await store.grant())
            #expect(renewed.tokens == Sample.tokens("2") && renewed.version == 2)
            #expect(renewed.obtainedAt == Sample.now + 1)
            #expect(try await store.renewGrant(lease, with: Sample.tokens("3"), now: Sample.now) == .superseded)
            #expect(try await store.endGrant(lease, now: Sample.now) == false, "a late refusal is of the former token")
            #expect(try await store.leaseGrant(lease, now: Sample.now) == .changed)
            #expect(try await store.grant() == renewed)
            #expect(try await store.leaseGrant(Sample.lease(renewed, by: 2), now: Sample.now) == .leased)
        },
        RepositoryContract("a grant that its provider has ended has no tokens, until a sign-in brings others") {
            store in
            let signedIn = try await store.signedIn(Sample.keeping())
            let lease = Sample.lease(try #require(try await store.grant()))
            _ = try await store.leaseGrant(lease, now: Sample.now)
            #expect(try await store.endGrant(lease, now: Sample.now))
            let ended = try #require(try await store.grant())
            #expect(ended.tokens == nil && ended.identity == signedIn.identity)
            #expect(try await store.leaseGrant(Sample.lease(ended), now: Sample.now) == .changed)
            #expect(try await store.auditTrail() == [.userCreated, .providerGrantEnded])
            #expect(try await store.erase(signedIn.user, now: Sample.now))
            #expect(try await store.outbox().isEmpty, "what is over needs no revocation")
            _ = try await store.signedIn(Sample.keeping())
            #expect(try await store.grant()?.tokens == Sample.tokens())
        },
        RepositoryContract(
            "a grant that is given up during a refresh stays so: what the refresh brings is revoked as well"
        ) {
            store in
            for (number, giveUp) in Self.endsOfGrants.enumerated() {
                let subject = Sample.subject("\(number)")
                let record = Sample.keeping(subject)
                let signedIn = try await store.signedIn(record)
                try await store.linked(Sample.link(Sample.subject("other \(number)"), record.session.id))
                let lease = Sample.lease(try #require(try await store.grant(subject)))
                #expect(try await store.leaseGrant(lease, now: Sample.now) == .leased)
                try await giveUp(store, signedIn, record.session.id, subject)
                #expect(try await store.renewGrant(lease, with: Sample.tokens("2"), now: Sample.now) == .over)
                let waiting = try await store.outbox()
                #expect(
                    waiting.map(\.content) == [
                        Self.refreshed, .revocation(token: "refresh-2", isRefreshToken: true),
                    ])
                #expect(try await store.providerGrant(signedIn.identity, of: signedIn.user) == nil)
                for message in waiting { try await store.settle(message, .done, now: Sample.now) }
            }
        },
        RepositoryContract(
            "refreshes are counted: those that brought tokens, those that failed, and the grants that ended"
        ) {
            store in
            #expect(try await store.grantCounts() == GrantCounts(refreshes: 0, failures: 0, ended: 0))
            _ = try await store.signedIn(Sample.keeping())
            let lease = Sample.lease(try #require(try await store.grant()))
            _ = try await store.renewGrant(lease, with: Sample.tokens("2"), now: Sample.now)
            let renewed = Sample.lease(try #require(try await store.grant()))
            for _ in 0..<2 { try await store.releaseGrant(renewed, isDoubted: false) }
            #expect(try await store.endGrant(renewed, now: Sample.now))
            #expect(try await store.grantCounts() == GrantCounts(refreshes: 1, failures: 2, ended: 1))
        },
    ]

    private static let checkClauses = [
        RepositoryContract("a grant is taken to be checked once, when its provider was asked long ago") { store in
            _ = try await store.signedIn(Sample.keeping())
            _ = try await store.signedIn(Sample.keeping(Sample.subject("2"), now: Sample.now + 10))
            _ = try await store.signedIn(Sample.keeping(Sample.subject("3"), Sample.tokens(refresh: nil)))
            let early = try #require(try await store.grant())
            let late = try #require(try await store.grant(Sample.subject("2")))
            #expect(try await store.dueGrants(at: Sample.now + 99).isEmpty)
            #expect(try await store.dueGrants(at: Sample.now + 100) == [early])
            #expect(try await store.dueGrants(at: Sample.now + 110) == [late], "who takes it has it for a while")
            #expect(try await store.dueGrants(at: Sample.now + 109 + 20) == [early])
            // A refresh is an answer, whatever for.
            let lease = Sample.lease(early)
            _ = try await store.renewGrant(lease, with: Sample.tokens("9"), now: Sample.now + 150)
            #expect(try await store.dueGrants(at: Sample.now + 249) == [late])
            let again = Sample.lease(try #require(try await store.grant()))
            _ = try await store.leaseGrant(again, now: Sample.now + 160)
            try await store.releaseGrant(again, isDoubted: true)
            #expect(try await store.dueGrants(at: Sample.now + 160) == [again.grant], "what is in doubt is due at once")
        },
        RepositoryContract("a grant is not checked where no session is open that it could end") { store in
            let signedIn = try await store.signedIn(Sample.keeping())
            _ = try await store.revokeSessions(of: signedIn.user, except: nil, now: Sample.now)
            #expect(try await store.dueGrants(at: Sample.now + 1000).isEmpty)
        },
        RepositoryContract("a grant that a check has found refused ends with what its identity has opened, and no more")
        {
            store in
            let first = Sample.keeping()
            let signedIn = try await store.signedIn(first)
            let link = Sample.link(Sample.subject("other"), first.session.id)
            try await store.linked(link)
            let other = Sample.signIn(Sample.subject("other"))
            _ = try await store.signedIn(other)
            let grant = try #require(try await store.grant())
            let line = NotBefore(at: Sample.now * 1000 + 500, authenticatedAfter: nil)
            #expect(try await store.endSessions(withRefused: grant, line: line, now: Sample.now) == 1)
            #expect(try await store.session(first.session.id, now: Sample.now) == nil)
            #expect(try await store.session(other.session.id, now: Sample.now) != nil)
            #expect(try await store.grant()?.tokens == nil)
            #expect(
                try await store.auditTrail().suffix(2) == [.providerGrantEnded, .providerCheckRefused])
            #expect(
                try await store.endSessions(withRefused: grant, line: line, now: Sample.now) == nil,
                "what was decided on another grant ends nothing")
            // What was under way then opens nothing, and what begins afterwards does.
            var late = Sample.signIn(Sample.subject("1"))
            late.draft.beginning = .seen(Sample.now * 1000 + 499)
            guard case .refused(.authenticationTooOld) = try await store.signIn(late) else {
                Issue.record("a sign-in that had begun before it opened a session")
                return
            }
            late = Sample.signIn(Sample.subject("1"))
            late.draft.beginning = .seen(Sample.now * 1000 + 501)
            #expect(try await store.signedIn(late).user == signedIn.user)
        },
    ]

    private static let profileRefreshClauses = [
        RepositoryContract("what a provider says later is merged into the profile, beside what only its ID token said")
        {
            store in
            var record = Sample.keeping()
            record.draft.claims = ["from_token": "1", "plan": "\"old\""]
            let signedIn = try await store.signedIn(record)
            let refresh = ProfileRefresh(
                session: record.session.id, identity: signedIn.identity,
                attributes: ["given_name": "Joan", "family_name": "Doe", "name": "Joan Doe"],
                claims: ["plan": "\"new\""], now: Sample.now + 5)
            let user = try #require(try await store.refreshProfile(refresh))
            #expect(user.profile.carrier["given_name"] == "Joan")
            #expect(user.profile.carrier["email"] == "jane@example.com")
            let claims = user.profile.claims(of: "zenkey")
            #expect(claims["from_token"] == "1" && claims["plan"] == "\"new\"")
            #expect(try await store.user(signedIn.user) == user)
        },
        RepositoryContract("nothing is merged for a session that has ended, nor from somebody else's identity") {
            store in
            let record = Sample.keeping()
            let signedIn = try await store.signedIn(record)
            let other = Sample.signIn(Sample.subject("2"))
            _ = try await store.signedIn(other)
            func refresh(_ session: SessionID) async throws -> User? {
                try await store.refreshProfile(
                    ProfileRefresh(
                        session: session, identity: signedIn.identity, attributes: ["name": "Mallory"],
                        claims: TypedClaims(), now: Sample.now))
            }
            #expect(try await refresh(other.session.id) == nil)
            #expect(try await store.revokeSession(record.session.id, now: Sample.now))
            #expect(try await refresh(record.session.id) == nil)
            #expect(try await store.user(signedIn.user)?.profile.carrier["name"] == "Jane Doe")
        },
    ]
}
