import Accounts
import Testing

extension RepositoryContract {
    private static func demand(
        _ rule: ConsentDemand.Rule = .once, isSilent: Bool = false
    ) -> ConsentDemand {
        ConsentDemand(rule: rule, isSilent: isSilent, waitsUntil: Sample.now + 600)
    }

    /// A sign-in for an app, which is granted a scope if its user agrees.
    private static func signIn(
        _ demand: ConsentDemand, scope: String = "openid email", client: String = "acme-ios", now: Int64 = Sample.now
    ) -> (record: SignInRecord, code: NewAppCode) {
        var (record, code) = Sample.appSignIn()
        code.consent = demand
        record.draft.appCode = code
        record.draft.session.scope = scope
        record.draft.session.client = client
        record.draft.beginning = .seen(now * 1000 + 1)
        record.draft.now = now
        return (record, code)
    }

    private static func agree(
        _ store: any AccountRepository, _ record: SignInRecord, _ code: NewAppCode, now: Int64 = Sample.now
    ) async throws -> Bool {
        try await store.agree(to: record.session.id, code: code.hash, expiresAt: now + 60, now: now)
    }

    static let consentClauses = [
        RepositoryContract("an app's code and session wait for their user's consent, and a minute from then on") {
            store in
            let (record, code) = signIn(demand())
            let user = try await store.signedIn(record)
            #expect(user.isNewUser && user.lacksConsent)
            #expect(try await store.consents(of: user.user).isEmpty)
            #expect(try await store.session(record.session.id, now: Sample.now + 599) != nil)
            #expect(try await store.session(record.session.id, now: Sample.now + 600) == nil)
            #expect(try await agree(store, record, code, now: Sample.now + 300))
            #expect(
                try await store.consents(of: user.user)
                    == [Consent(client: "acme-ios", scope: "openid email", agreedAt: Sample.now + 300)])
            var late = Sample.redemption(of: code)
            late.now = Sample.now + 360
            #expect(try await store.redeem(late) == .refused)
            guard case .redeemed = try await store.redeem(Sample.redemption(of: code)) else {
                Issue.record("the code is not redeemed")
                return
            }
            #expect(try await store.auditTrail().last == .consentGiven)
        },
        RepositoryContract("what a user has agreed to is not asked again, and what is more is, app by app") { store in
            let (first, code) = signIn(demand())
            let user = try await store.signedIn(first).user
            #expect(try await agree(store, first, code))
            #expect(try await !store.signedIn(signIn(demand()).record).lacksConsent)
            #expect(try await !store.signedIn(signIn(demand(), scope: "email").record).lacksConsent)
            #expect(try await store.signedIn(signIn(demand(), client: "other").record).lacksConsent)
            #expect(try await store.signedIn(signIn(demand(.eachTime)).record).lacksConsent)
            let (more, secondCode) = signIn(demand(), scope: "email phone")
            #expect(try await store.signedIn(more).lacksConsent)
            #expect(try await agree(store, more, secondCode, now: Sample.now + 1))
            #expect(
                try await store.consents(of: user)
                    == [Consent(client: "acme-ios", scope: "openid email phone", agreedAt: Sample.now + 1)])
            #expect(try await !store.signedIn(signIn(demand(), scope: "openid phone").record).lacksConsent)
        },
        RepositoryContract("who said yes on the way is not asked, and is asked no more") { store in
            let user = try await store.signedIn(signIn(demand(.given)).record)
            #expect(!user.lacksConsent)
            #expect(try await store.consents(of: user.user).map(\.scope) == ["openid email"])
            #expect(try await !store.signedIn(signIn(demand()).record).lacksConsent)
            #expect(try await !store.signedIn(signIn(demand(.given), scope: "phone").record).lacksConsent)
            #expect(try await store.consents(of: user.user).map(\.scope) == ["openid email phone"])
            // The trail has what is new.
            _ = try await store.signedIn(signIn(demand(.given), scope: "phone").record)
            #expect(try await store.auditTrail().count { $0 == .consentGiven } == 2)
        },
        RepositoryContract("without consent a sign-in that may ask nobody opens nothing, and makes no user") { store in
            let (record, _) = signIn(demand(isSilent: true))
            #expect(try await store.signIn(record) == .refused(.consentRequired))
            #expect(try await !store.isKnown(Sample.subject("1")))
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
            let (asked, code) = signIn(demand())
            _ = try await store.signedIn(asked)
            #expect(try await store.signIn(signIn(demand(isSilent: true)).record) == .refused(.consentRequired))
            #expect(try await agree(store, asked, code))
            #expect(try await !store.signedIn(signIn(demand(isSilent: true)).record).lacksConsent)
            #expect(
                try await store.signIn(signIn(demand(.eachTime, isSilent: true)).record)
                    == .refused(.consentRequired))
        },
        RepositoryContract("nobody agrees to what is over, or with another's code") { store in
            let (record, code) = signIn(demand())
            let user = try await store.signedIn(record).user
            let other = signIn(demand())
            _ = try await store.signedIn(other.record)
            #expect(try await !agree(store, record, other.code))
            #expect(try await !agree(store, record, code, now: Sample.now + 600))
            _ = try await store.revokeSession(record.session.id, now: Sample.now)
            #expect(try await !agree(store, record, code))
            #expect(try await store.consents(of: user).isEmpty)
        },
        RepositoryContract("consent that is taken back ends the app's sessions, and what is under way, and no other's")
        {
            store in
            let (record, code) = signIn(demand())
            let user = try await store.signedIn(record).user
            #expect(try await agree(store, record, code))
            guard case .redeemed = try await store.redeem(Sample.redemption(of: code)) else {
                Issue.record("the code is not redeemed")
                return
            }
            let own = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: own))
            let waiting = signIn(demand(.eachTime))
            _ = try await store.signedIn(waiting.record)
            let line = NotBefore(drawnAt: Sample.now * 1000 + 500)
            let outcome = try await store.endSessions(
                ofApp: "acme-ios", isWithdrawn: true, under: own.id, demands: Sample.demands, line: line,
                now: Sample.now)
            #expect(outcome == .ended(2))
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [own.id])
            #expect(try await store.consents(of: user).isEmpty)
            #expect(try await !agree(store, waiting.record, waiting.code))
            #expect(try await store.auditTrail().contains(.consentWithdrawn))
            var underWay = signIn(demand()).record
            underWay.draft.beginning = .seen(line.at)
            guard case .refused(.authenticationTooOld) = try await store.signIn(underWay) else {
                Issue.record("what began before is let in")
                return
            }
            underWay.draft.beginning = .seen(line.at + 1)
            underWay.draft.evidence = .authorizationCode(Sample.code())
            #expect(try await store.signedIn(underWay).lacksConsent)
        },
        RepositoryContract("an app's sessions end without what was agreed to, and only by who has just proved it") {
            store in
            let (record, code) = signIn(demand())
            let user = try await store.signedIn(record).user
            #expect(try await agree(store, record, code))
            let own = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: own))
            let stranger = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: stranger))
            func end(_ session: SessionID, now: Int64 = Sample.now) async throws -> SignOutOutcome {
                try await store.endSessions(
                    ofApp: "acme-ios", isWithdrawn: false, under: session, demands: Sample.usualDemands,
                    line: NotBefore(drawnAt: now * 1000), now: now)
            }
            #expect(
                try await end(own.id, now: Sample.now + 400)
                    == .refused(.authenticationTooOld(maximumAgeSeconds: 300)))
            #expect(try await end(Sample.sessionID()) == .refused(.sessionGone))
            #expect(try await end(stranger.id) == .ended(0))
            #expect(try await store.session(record.session.id, now: Sample.now) != nil)
            #expect(try await end(own.id) == .ended(1))
            #expect(try await store.consents(of: user).map(\.client) == ["acme-ios"])
        },
        RepositoryContract("what a user has agreed to is told of them, and goes with them") { store in
            let user = try await store.signedIn(signIn(demand(.given)).record).user
            #expect(try await store.record(of: user, now: Sample.now)?.consents.map(\.client) == ["acme-ios"])
            #expect(try await store.erase(user, line: .none, now: Sample.now))
            #expect(try await store.consents(of: user).isEmpty)
            #expect(try await store.signedIn(signIn(demand()).record).lacksConsent)
        },
    ]
}
