import Accounts
import Testing

@Suite struct `A signed refresh token presented` {
    static let jane = UserID(rawValue: 7)
    /// The current generation, unless a test is about another.
    static let current: Int64 = 5

    func decide(
        _ generation: Int64, of user: UserID = Self.jane, current: Int64 = Self.current, rotatedAt: Int64? = 1000,
        expiresAt: Int64 = 9000, endsAt: Int64? = nil, isReusable: Bool = false, grace: Int64 = 10, now: Int64
    ) -> RefreshDecision {
        let chain = RefreshDecision.Chain(
            user: Self.jane, generation: current, rotatedAt: rotatedAt, expiresAt: expiresAt, endsAt: endsAt)
        return RefreshDecision.decide(
            presented: .signed(generation: generation, user: user), chain: chain, now: now, isReusable: isReusable,
            graceSeconds: grace)
    }

    @Test func `rotates when it is the current generation, whenever that began`() {
        for now in [0, 990, 1000, 1010, 1011, 8999] as [Int64] { #expect(decide(5, now: now) == .rotate) }
        #expect(decide(1, current: 1, rotatedAt: nil, now: 8999) == .rotate)
        #expect(decide(.max, current: .max, now: 1000) == .rotate)
    }

    @Test(arguments: [(1000, true), (1001, true), (1010, true), (1011, false), (8999, false)])
    func `gets the same answer again as the parent, until the grace is over`(now: Int64, isGrace: Bool) {
        #expect(decide(4, now: now) == (isGrace ? .repeatAnswer : .reuse))
    }

    @Test(arguments: [(1, 1001), (60, 1060), (3600, 4600)])
    func `gets it for as long as is configured`(grace: Int64, last: Int64) {
        #expect(decide(4, grace: grace, now: last) == .repeatAnswer)
        #expect(decide(4, grace: grace, now: last + 1) == .reuse)
    }

    @Test func `a signed refresh token presented is reuse at once as the parent where there is no grace`() {
        #expect(decide(4, grace: 0, now: 1000) == .reuse)
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

    @Test(arguments: [0, 500, 997])
    func `gets nothing and revokes nothing as the parent while the clock is behind the rotation`(now: Int64) {
        #expect(decide(4, now: now) == .refuse)
        #expect(decide(4, grace: 3600, now: now) == .refuse)
    }

    @Test(arguments: [998, 999])
    func `gets the answer again when two requests have read the clock in the other order`(now: Int64) {
        #expect(decide(4, now: now) == .repeatAnswer)
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
                presented: presented, chain: nil, now: 1000, isReusable: isReusable, graceSeconds: 10)
            #expect(decision == .refuse)
        }
    }

    @Test(arguments: 1...5 as ClosedRange<Int64>)
    func `extends the session where its client's tokens stay good, whichever generation it is`(generation: Int64) {
        for now in [0, 1000, 1011, 8999] as [Int64] {
            #expect(decide(generation, isReusable: true, grace: 0, now: now) == .extend)
        }
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
            presented: .earlier(presented), chain: chain, now: now, isReusable: isReusable, graceSeconds: 10)
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
        #expect(decide(previous, isRetired: true, now: 1000) == .repeatEarlierAnswer)
        #expect(decide(previous, isRetired: true, now: 1010) == .repeatEarlierAnswer)
    }

    @Test func `gets the first generation again as the last one of its form, until the grace is over`() {
        #expect(decide(previous, generation: 1, now: 1010) == .repeatAnswer)
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
