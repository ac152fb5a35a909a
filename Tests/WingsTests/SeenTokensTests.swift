import Accounts
import TestSupport
import Testing

@testable import SignIn
@testable import Wings

@Suite struct `Tokens that were seen` {
    private let now: Int64 = 1_790_000_000

    @Test func `are known for as long as they could come again`() {
        let seen = SeenTokens(maximumAgeSeconds: 600, maximumSlots: 64)
        let token = TokenHash(sha256: "token")
        #expect(seen.claim(token, now: now))
        seen.release(token, hasEnded: true, now: now)
        #expect(!seen.claim(token, now: now))
        #expect(!seen.claim(token, now: now + seen.memorySeconds - 1))
        #expect(seen.claim(token, now: now + 2 * seen.memorySeconds))
    }

    @Test func `are known once they were done, to every request, and forgotten in time`() {
        let seen = SeenTokens(maximumAgeSeconds: 600, maximumSlots: 64)
        let token = TokenHash(sha256: "token")
        #expect(!seen.has(token, now: now))
        seen.remember(token, now: now)
        #expect(seen.has(token, now: now) && seen.has(token, now: now + 600))
        #expect(!seen.has(TokenHash(sha256: "other"), now: now))
        #expect(!seen.has(token, now: now + 2 * seen.memorySeconds))
    }

    @Test func `are one request's at a time, and may come again where that has ended nothing`() {
        let seen = SeenTokens(maximumAgeSeconds: 600, maximumSlots: 64)
        let token = TokenHash(sha256: "token")
        #expect(seen.claim(token, now: now))
        #expect(!seen.claim(token, now: now))
        #expect(seen.claim(TokenHash(sha256: "other"), now: now))
        seen.release(token, hasEnded: false, now: now)
        #expect(seen.claim(token, now: now))
    }
}
