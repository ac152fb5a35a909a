import Accounts
import Testing

/// Every act, by everything that a session can show: what it is answered is written down, and held.
@Suite struct `A sensitive act` {
    private static let now: Int64 = 1_790_000_000
    private static let most: Int64 = 300

    /// How a session shows that its user authenticated.
    enum Shown: CaseIterable {
        case told, toldAtTheLimit, toldLongAgo, nothing, challenge, challengeAtTheLimit, challengeLongAgo
        /// A provider that tells a time has said all there is to say.
        case challengeBesideToldLongAgo

        var value: ShownAuthentication {
            let (told, challenged): (Int64?, Int64?) =
                switch self {
                case .told: (0, nil)
                case .toldAtTheLimit: (most, nil)
                case .toldLongAgo: (most + 1, nil)
                case .nothing: (nil, nil)
                case .challenge: (nil, 0)
                case .challengeAtTheLimit: (nil, most)
                case .challengeLongAgo: (nil, most + 1)
                case .challengeBesideToldLongAgo: (most + 1, 0)
                }
            return ShownAuthentication(
                authenticatedAt: told.map { now - $0 } ?? Session.neverAuthenticated,
                challengedAt: challenged.map { now - $0 })
        }
    }

    private static let endings: Set<SensitiveAct> = [.signOutOthers, .unlink, .unlinkItself, .erase]

    /// Whether what is shown is enough for an act, at a provider for which a challenge counts so.
    private static func isEnough(
        _ shown: Shown, for act: SensitiveAct, _ challenge: SensitiveDemands.Challenge
    ) -> Bool {
        switch (shown, challenge) {
        case (.told, _), (.toldAtTheLimit, _): true
        case (.toldLongAgo, _), (.challengeBesideToldLongAgo, _), (.nothing, _), (.challengeLongAgo, _): false
        case (.challenge, .nothing), (.challengeAtTheLimit, .nothing): false
        case (.challenge, .endings), (.challengeAtTheLimit, .endings): endings.contains(act)
        case (.challenge, .everything), (.challengeAtTheLimit, .everything): true
        }
    }

    private static func decide(
        _ act: SensitiveAct, _ shown: ShownAuthentication, _ demands: SensitiveDemands, isOnProbation: Bool = false
    ) -> SensitiveDecision {
        let identity = IdentityHistory(
            origin: isOnProbation ? .link : .signIn, linkedAt: now - 10, userCreatedAt: now - 90_000)
        return .decide(act, shown, identities: [identity], demands: demands, now: now)
    }

    @Test(arguments: SensitiveAct.allCases, Shown.allCases)
    func `is done by what shows enough, and by no identity on probation`(act: SensitiveAct, shown: Shown) {
        for challenge in SensitiveDemands.Challenge.allCases {
            let demands = SensitiveDemands(
                maximumAgeSeconds: Self.most, minimumIdentityAgeSeconds: 86_400, challenge: challenge)
            let refused = SensitiveDecision.authenticateAgain(maximumAgeSeconds: Self.most)
            let isEnough = Self.isEnough(shown, for: act, challenge)
            #expect(Self.decide(act, shown.value, demands) == (isEnough ? .allow : refused), "\(challenge)")
            let probation = act == .unlinkItself ? SensitiveDecision.allow : .wait(seconds: 86_390)
            #expect(
                Self.decide(act, shown.value, demands, isOnProbation: true) == (isEnough ? probation : refused),
                "\(challenge)")
        }
    }

    @Test(arguments: SensitiveAct.allCases)
    func `takes an answer to a challenge for five minutes at most, whatever time is allowed`(act: SensitiveAct) {
        for maximum in [86_400, nil] as [Int64?] {
            let demands = SensitiveDemands(
                maximumAgeSeconds: maximum, minimumIdentityAgeSeconds: 0, challenge: .everything)
            #expect(Self.decide(act, Shown.challengeAtTheLimit.value, demands) == .allow)
            #expect(
                Self.decide(act, Shown.challengeLongAgo.value, demands)
                    == .authenticateAgain(maximumAgeSeconds: maximum ?? SensitiveDemands.usualMaximumAgeSeconds))
        }
        let short = SensitiveDemands(maximumAgeSeconds: 60, minimumIdentityAgeSeconds: 0, challenge: .everything)
        #expect(Self.decide(act, Shown.challengeAtTheLimit.value, short) == .authenticateAgain(maximumAgeSeconds: 60))
    }
}
