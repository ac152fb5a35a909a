import Accounts
import Testing

@Suite struct `A refresh token presented` {
    let current = hash(1)
    let previous = hash(2)
    let oldest = hash(3)

    func decide(
        _ presented: TokenHash, isRetired: Bool = false, rotatedAt: Int64? = 1000, expiresAt: Int64 = 5000, now: Int64
    ) -> RefreshDecision {
        let chain = RefreshDecision.Chain(
            current: current, previous: rotatedAt == nil ? nil : previous, rotatedAt: rotatedAt, expiresAt: expiresAt,
            presentedIsRetired: isRetired, endsAt: nil)
        return RefreshDecision.decide(presented: presented, chain: chain, now: now, graceSeconds: 10)
    }

    @Test func `rotates when it is the current one`() {
        #expect(decide(current, now: 1000) == .rotate)
        #expect(decide(current, rotatedAt: nil, now: 4999) == .rotate)
    }

    @Test func `is refused when it has expired, whichever it is`() {
        #expect(decide(current, now: 5000) == .refuse)
        #expect(decide(previous, isRetired: true, now: 5000) == .refuse)
    }

    @Test func `gets the same answer again until ten seconds after its rotation`() {
        #expect(decide(previous, isRetired: true, now: 1000) == .repeatAnswer)
        #expect(decide(previous, isRetired: true, now: 1010) == .repeatAnswer)
    }

    @Test func `gets the same answer again when the clock was set back meanwhile`() {
        #expect(decide(previous, isRetired: true, now: 990) == .repeatAnswer)
    }

    @Test(arguments: [true, false])
    func `is reuse when it was replaced longer ago, retired list or not`(isRetired: Bool) {
        #expect(decide(previous, isRetired: isRetired, now: 1011) == .reuse)
    }

    @Test func `is reuse when it was replaced before the previous one, even within the grace`() {
        #expect(decide(oldest, isRetired: true, now: 1001) == .reuse)
    }

    @Test func `is refused when the session never had it`() {
        #expect(decide(oldest, now: 1001) == .refuse)
    }

    @Test func `is refused when there is no session`() {
        #expect(RefreshDecision.decide(presented: current, chain: nil, now: 1000, graceSeconds: 10) == .refuse)
    }
}

func hash(_ byte: UInt8) -> TokenHash {
    guard let hash = TokenHash([UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
    return hash
}
