import Accounts
import Testing

@Suite struct `What could take an account over` {
    private static let now: Int64 = 1_790_000_000
    private static let demands = SensitiveDemands(
        maximumAgeSeconds: 300, minimumIdentityAgeSeconds: 86_400, challenge: .endings)

    private static func history(
        _ origin: Identity.Origin, linked: Int64 = now, userCreated: Int64 = now - 90_000
    ) -> IdentityHistory {
        IdentityHistory(origin: origin, linkedAt: linked, userCreatedAt: userCreated)
    }

    private static func decide(
        _ act: SensitiveAct, authenticatedAt: Int64 = now, _ identities: [IdentityHistory] = [],
        _ demands: SensitiveDemands = demands
    ) -> SensitiveDecision {
        .decide(
            act, ShownAuthentication(authenticatedAt: authenticatedAt, challengedAt: nil), identities: identities,
            demands: demands, now: now)
    }

    @Test func `takes a user who has authenticated within the time`() {
        #expect(Self.decide(.link, authenticatedAt: Self.now - 300) == .allow)
        #expect(Self.decide(.link, authenticatedAt: Self.now - 301) == .authenticateAgain(maximumAgeSeconds: 300))
        #expect(Self.decide(.link, authenticatedAt: 0) == .authenticateAgain(maximumAgeSeconds: 300))
        let none = SensitiveDemands(
            maximumAgeSeconds: nil, minimumIdentityAgeSeconds: 0, challenge: .endings)
        #expect(Self.decide(.link, authenticatedAt: 0, [Self.history(.link)], none) == .allow)
    }

    @Test func `takes a user of whom something tells that they have authenticated, whatever time is allowed`() {
        for maximum in [300, 86_400, .max] as [Int64] {
            let demands = SensitiveDemands(
                maximumAgeSeconds: maximum, minimumIdentityAgeSeconds: 0, challenge: .endings)
            #expect(
                Self.decide(.link, authenticatedAt: Session.neverAuthenticated, [], demands)
                    == .authenticateAgain(maximumAgeSeconds: maximum))
        }
        let none = SensitiveDemands(
            maximumAgeSeconds: nil, minimumIdentityAgeSeconds: 0, challenge: .endings)
        #expect(
            Self.decide(.link, authenticatedAt: Session.neverAuthenticated, [], none)
                == .authenticateAgain(maximumAgeSeconds: SensitiveDemands.usualMaximumAgeSeconds))
    }

    @Test(arguments: [Identity.Origin.link, .migration, .imported])
    func `waits for an identity that was added`(origin: Identity.Origin) {
        #expect(Self.decide(.link, [Self.history(origin)]) == .wait(seconds: 86_400))
        #expect(Self.decide(.link, [Self.history(origin, linked: Self.now - 86_399)]) == .wait(seconds: 1))
        let old = Self.history(origin, linked: Self.now - 86_400, userCreated: Self.now - 90_000)
        #expect(Self.decide(.link, [old]) == .allow)
    }

    @Test func `what could take an account over does not wait for the identity a user came with`() {
        #expect(Self.decide(.link, [Self.history(.signIn)]) == .allow)
        #expect(Self.decide(.link, [Self.history(.imported, linked: Self.now, userCreated: Self.now)]) == .allow)
    }

    @Test func `waits for the newest where it is not known which identity it was`() {
        let identities = [Self.history(.signIn), Self.history(.link, linked: Self.now - 400), Self.history(.migration)]
        #expect(Self.decide(.link, identities) == .wait(seconds: 86_400))
    }

    @Test(arguments: SensitiveAct.allCases)
    func `keeps every act from a new identity but the one by which it goes itself`(act: SensitiveAct) {
        let decision = Self.decide(act, [Self.history(.link)])
        #expect(decision == (act == .unlinkItself ? .allow : .wait(seconds: 86_400)))
        #expect(
            Self.decide(act, authenticatedAt: Self.now - 301) == .authenticateAgain(maximumAgeSeconds: 300))
    }

    @Test func `asks for the authentication first`() {
        let decision = Self.decide(.link, authenticatedAt: Self.now - 301, [Self.history(.link)])
        #expect(decision == .authenticateAgain(maximumAgeSeconds: 300))
    }
}
