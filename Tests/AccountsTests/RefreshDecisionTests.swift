import Accounts
import Testing

@Suite struct `A signed refresh token presented` {
    static let jane = UserID(rawValue: 7)
    /// The current generation, unless a test is about another.
    static let current: Int64 = 5

    func decide(
        _ generation: Int64, of user: UserID = Self.jane, current: Int64 = Self.current, rotatedAt: Int64? = 1000,
        expiresAt: Int64 = 9000, endsAt: Int64? = nil, isReusable: Bool = false,
        repeats: RefreshRepeat = .grace(seconds: 10), late: (repeats: Int64, generations: Int64) = (0, 0), now: Int64
    ) -> RefreshDecision {
        let chain = RefreshDecision.Chain(
            user: Self.jane, generation: current, rotatedAt: rotatedAt, expiresAt: expiresAt, endsAt: endsAt,
            lateRepeats: late.repeats, lateGenerations: late.generations)
        return RefreshDecision.decide(
            presented: .signed(generation: generation, user: user), chain: chain, now: now, isReusable: isReusable,
            repeats: repeats)
    }

    @Test func `rotates when it is the current generation, whenever that began`() {
        for now in [0, 990, 1000, 1010, 1011, 8999] as [Int64] { #expect(decide(5, now: now) == .rotate) }
        #expect(decide(1, current: 1, rotatedAt: nil, now: 8999) == .rotate)
        #expect(decide(.max, current: .max, now: 1000) == .rotate)
    }

    @Test(arguments: [(1000, true), (1001, true), (1010, true), (1011, false), (8999, false)])
    func `gets the same answer again as the parent, until the grace is over`(now: Int64, isGrace: Bool) {
        #expect(decide(4, now: now) == (isGrace ? .repeatAnswer(isLate: false) : .reuse))
    }

    @Test(arguments: [(1, 1001), (60, 1060), (3600, 4600)])
    func `gets it for as long as is configured`(grace: Int64, last: Int64) {
        #expect(decide(4, repeats: .grace(seconds: grace), now: last) == .repeatAnswer(isLate: false))
        #expect(decide(4, repeats: .grace(seconds: grace), now: last + 1) == .reuse)
    }

    @Test func `a signed refresh token presented is reuse at once as the parent where there is no grace`() {
        #expect(decide(4, repeats: .grace(seconds: 0), now: 1000) == .reuse)
        #expect(decide(4, repeats: .never, now: 1000) == .reuse)
    }

    @Test(arguments: [1, 2, 3])
    func `a signed refresh token presented is reuse when it is older than the parent, even within the grace`(
        generation: Int64
    ) {
        for now in [0, 999, 1000, 1010, 1011] as [Int64] { #expect(decide(generation, now: now) == .reuse) }
    }

    @Test(arguments: [6, 7, Int64.max, 0, -1, Int64.min])
    func `a signed refresh token presented is refused when it is newer than the session's, or none there can be`(
        generation: Int64
    ) {
        #expect(decide(generation, now: 1005) == .refuse)
    }

    @Test func `a signed refresh token presented is refused where the session still has a token of the earlier form`() {
        #expect(decide(1, current: 0, now: 1005) == .refuse)
        #expect(decide(-1, current: 0, now: 1005) == .refuse)
    }

    @Test(arguments: [0, 500, 994])
    func `gets nothing and revokes nothing as the parent while the clock is behind the rotation`(now: Int64) {
        #expect(decide(4, now: now) == .refuse)
        #expect(decide(4, repeats: .within(seconds: 3600), now: now) == .refuse)
    }

    @Test(arguments: [995, 999])
    func `gets the answer again when two requests have read the clock in the other order`(now: Int64) {
        #expect(decide(4, now: now) == .repeatAnswer(isLate: false))
    }

    @Test(arguments: 1...5 as ClosedRange<Int64>)
    func `a signed refresh token presented is refused for another user, whichever it is`(generation: Int64) {
        #expect(decide(generation, of: UserID(rawValue: 8), now: 1005) == .refuse)
    }

    @Test(arguments: 1...5 as ClosedRange<Int64>)
    func
        `a signed refresh token presented is refused when the session has expired or has come to its end, whichever it is`(
            generation: Int64
        )
    {
        #expect(decide(generation, now: 9000) == .refuse)
        #expect(decide(generation, endsAt: 1005, now: 1005) == .refuse)
    }

    @Test func `a signed refresh token presented is refused when there is no session`() {
        let presented = PresentedRefreshToken.signed(generation: 1, user: Self.jane)
        for isReusable in [false, true] {
            let decision = RefreshDecision.decide(
                presented: presented, chain: nil, now: 1000, isReusable: isReusable, repeats: .untilSuccessor)
            #expect(decision == .refuse)
        }
    }

    @Test(arguments: 1...5 as ClosedRange<Int64>)
    func `extends the session where its client's tokens stay good, whichever generation it is`(generation: Int64) {
        for now in [0, 1000, 1011, 8999] as [Int64] {
            #expect(decide(generation, isReusable: true, repeats: .never, now: now) == .extend)
        }
    }

    @Test(arguments: [1000, 1060, 1061, 8999])
    func `gets the answer again for as long as its successor was not presented`(now: Int64) {
        #expect(decide(4, repeats: .untilSuccessor, now: now) == .repeatAnswer(isLate: now > 1060))
        // How long that takes is nobody's matter, so a clock that was put back changes nothing.
        #expect(decide(4, repeats: .untilSuccessor, now: now - 1000) == .repeatAnswer(isLate: now - 1000 > 1060))
        for generation in 1...3 as ClosedRange<Int64> {
            #expect(decide(generation, repeats: .untilSuccessor, now: now) == .reuse)
        }
    }

    @Test(arguments: [(0, true), (1, true), (2, true), (3, false), (4, false)])
    func `gets it late three times in one generation, and then it is reuse`(before: Int64, isGiven: Bool) {
        for repeats in [RefreshRepeat.untilSuccessor, .within(seconds: 3600)] {
            let decision = decide(4, repeats: repeats, late: (before, 0), now: 1061)
            #expect(decision == (isGiven ? .repeatAnswer(isLate: true) : .reuse))
            // What comes soon is no late one.
            #expect(decide(4, repeats: repeats, late: (before, 0), now: 1060) == .repeatAnswer(isLate: false))
        }
    }

    @Test(arguments: [(0, 1, true), (0, 2, false), (0, 3, false), (1, 2, true), (2, 2, true)])
    func `gets it late in two generations running, and in the third it is reuse`(
        before: Int64, running: Int64, isGiven: Bool
    ) {
        let decision = decide(4, repeats: .untilSuccessor, late: (before, running), now: 5000)
        #expect(decision == (isGiven ? .repeatAnswer(isLate: true) : .reuse))
    }

    @Test func `gets it within a time that was configured before as often as it likes`() {
        #expect(decide(4, repeats: .grace(seconds: 3600), late: (9, 9), now: 4600) == .repeatAnswer(isLate: false))
    }

    @Test func `is refused also where tokens stay good, when it is another's, too new, or the session is over`() {
        #expect(decide(5, of: UserID(rawValue: 8), isReusable: true, now: 1005) == .refuse)
        for generation in [6, 0, -1] as [Int64] {
            #expect(decide(generation, isReusable: true, now: 1005) == .refuse)
        }
        #expect(decide(5, isReusable: true, now: 9000) == .refuse)
        #expect(decide(5, endsAt: 1005, isReusable: true, now: 1005) == .refuse)
    }
}

@Suite struct `A refresh token of the earlier form presented` {
    let current = hash(1)
    let previous = hash(2)
    let oldest = hash(3)

    /// - Parameter generation: 0 while the current token is of the earlier form, too.
    func decide(
        _ presented: TokenHash, generation: Int64 = 0, isRetired: Bool = false, rotatedAt: Int64? = 1000,
        expiresAt: Int64 = 5000, isReusable: Bool = false, now: Int64
    ) -> RefreshDecision {
        let chain = RefreshDecision.Chain(
            user: UserID(rawValue: 7), generation: generation, rotatedAt: rotatedAt, expiresAt: expiresAt, endsAt: nil,
            earlier: RefreshDecision.EarlierTokens(
                current: generation == 0 ? current : nil, previous: rotatedAt == nil ? nil : previous,
                presentedIsRetired: isRetired))
        return RefreshDecision.decide(
            presented: .earlier(presented), chain: chain, now: now, isReusable: isReusable, repeats: .grace(seconds: 10)
        )
    }

    @Test func `rotates when it is the current one`() {
        #expect(decide(current, now: 1000) == .rotate)
        #expect(decide(current, rotatedAt: nil, now: 4999) == .rotate)
    }

    @Test func `is replaced also where the client's tokens stay good, for it names no end`() {
        #expect(decide(current, isReusable: true, now: 1000) == .rotate)
        #expect(decide(oldest, isRetired: true, isReusable: true, now: 1005) == .reuse)
    }

    @Test func `a refresh token of the earlier form presented is refused when it has expired, whichever it is`() {
        #expect(decide(current, now: 5000) == .refuse)
        #expect(decide(previous, isRetired: true, now: 5000) == .refuse)
    }

    @Test func `gets the answer it got before, until the grace is over`() {
        #expect(decide(previous, isRetired: true, now: 1000) == .repeatEarlierAnswer(isLate: false))
        #expect(decide(previous, isRetired: true, now: 1010) == .repeatEarlierAnswer(isLate: false))
    }

    @Test func `gets the first generation again as the last one of its form, until the grace is over`() {
        #expect(decide(previous, generation: 1, now: 1010) == .repeatAnswer(isLate: false))
        #expect(decide(previous, generation: 1, now: 1011) == .reuse)
    }

    @Test(arguments: [2, 3, Int64.max])
    func
        `a refresh token of the earlier form presented is reuse as the last one of its form once the first generation was presented`(
            generation: Int64
        )
    {
        #expect(decide(previous, generation: generation, now: 1001) == .reuse)
    }

    @Test(arguments: [0, 1])
    func `gets nothing and revokes nothing while the clock is behind the rotation`(generation: Int64) {
        #expect(decide(previous, generation: generation, isRetired: true, now: 990) == .refuse)
    }

    @Test(arguments: [true, false])
    func `a refresh token of the earlier form presented is reuse when it was replaced longer ago, retired list or not`(
        isRetired: Bool
    ) {
        #expect(decide(previous, isRetired: isRetired, now: 1011) == .reuse)
    }

    @Test(arguments: [0, 1, 2])
    func
        `a refresh token of the earlier form presented is reuse when it was replaced before the previous one, even within the grace`(
            generation: Int64
        )
    {
        #expect(decide(oldest, generation: generation, isRetired: true, now: 1001) == .reuse)
    }

    @Test(arguments: [0, 1, 2])
    func `a refresh token of the earlier form presented is refused when the session never had it`(generation: Int64) {
        #expect(decide(oldest, generation: generation, now: 1001) == .refuse)
    }
}

func hash(_ byte: UInt8) -> TokenHash {
    guard let hash = TokenHash([UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
    return hash
}
