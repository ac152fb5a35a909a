import Accounts
import Testing

@testable import SignIn

@Suite struct `The codes that were sent` {
    private static let now: Int64 = 1_790_000_000
    private let codes = DispatchedCodes(maximumSlots: 64, maximumChallengeSlots: 64)
    private let code = TokenHash(sha256: "code")

    /// Sends a code as a request does, and lets its issuer refuse it.
    private func refuse(_ code: TokenHash, at issuer: String, now: Int64 = now) -> DispatchedCodes.Binding? {
        guard codes.claim(code) else { return nil }
        let binding = codes.bind(code, to: issuer, now: now)
        codes.release(code, binding == .bound ? .refused : .nothingToRemember, now: now)
        return binding
    }

    @Test func `the codes that were sent are claimed by one request at a time`() {
        let other = TokenHash(sha256: "other")
        #expect(codes.claim(code))
        #expect(!codes.claim(code))
        #expect(codes.claim(other))
        codes.release(code, .nothingToRemember, now: Self.now)
        #expect(codes.claim(code))
        #expect(!codes.claim(other))
    }

    @Test func `belong to the first issuer for twenty minutes`() {
        #expect(refuse(code, at: "https://evil.example") == .bound)
        #expect(refuse(code, at: "https://honest.example", now: Self.now + 1199) == .elsewhere)
        #expect(refuse(code, at: "https://evil.example", now: Self.now + 1199) == .bound)
        #expect(refuse(TokenHash(sha256: "other"), at: "https://honest.example") == .bound)
    }

    @Test func `the codes that were sent are forgotten in time`() {
        #expect(refuse(code, at: "https://evil.example") == .bound)
        #expect(refuse(code, at: "https://honest.example", now: Self.now + 1401) == .bound)
    }

    @Test func `belong to nobody when they were not sent`() {
        #expect(codes.claim(code))
        codes.release(code, .refused, now: Self.now)
        #expect(refuse(code, at: "https://honest.example") == .bound)
    }

    @Test func `the codes that were sent go nowhere again once they may have been spent`() {
        #expect(refuse(code, at: "https://carrier.example") == .bound)
        #expect(codes.claim(code))
        #expect(codes.bind(code, to: "https://carrier.example", now: Self.now) == .bound)
        codes.release(code, .spent, now: Self.now)
        #expect(refuse(code, at: "https://carrier.example") == .spent)
        #expect(refuse(code, at: "https://honest.example") == .spent)
    }

    @Test
    func
        `the codes that were sent stay bound while as many are refused as the bound says, and take no more memory than it says`()
    {
        let bounds = RecentHashes.Bounds(lifetime: 1200, maximumSlots: 64)
        #expect(refuse(code, at: "https://evil.example") == .bound)
        for number in 0..<bounds.leastKept {
            _ = refuse(TokenHash(sha256: "made up \(number)"), at: "https://evil.example")
        }
        #expect(refuse(code, at: "https://honest.example") == .elsewhere)
        for number in 0..<10_000 {
            _ = refuse(
                TokenHash(sha256: "more \(number)"), at: "https://evil.example", now: Self.now + Int64(number / 10))
            #expect(codes.byteCount <= bounds.maximumBytes)
        }
        #expect(refuse(TokenHash(sha256: "a real one"), at: "https://honest.example") == .bound)
    }

    @Test func `the codes that were sent have a bound that ten million at once do not reach`() {
        let bounds = RecentHashes.Bounds(lifetime: DispatchedCodes.memorySeconds, maximumSlots: 1 << 21)
        #expect(bounds.leastKept > 5_000_000)
        #expect(bounds.leastKept * 2 > 10_000_000)
        #expect(bounds.maximumBytes <= 120 << 20)
    }

    @Test func `spend a challenge each`() {
        let challenge = TokenHash(sha256: "gh.challenge")
        let other = TokenHash(sha256: "other")
        #expect(codes.spend(challenge, on: code, now: Self.now))
        #expect(codes.spend(challenge, on: code, now: Self.now + 1))
        #expect(!codes.spend(challenge, on: other, now: Self.now + 299))
    }
}

@Suite struct `Hashes kept for a time` {
    private static let now: Int64 = 1_790_000_000

    @Test func `hashes kept for a time are found among thousands, each with its mark, and no other`() {
        var hashes = RecentHashes(bounds: .init(lifetime: 1200, maximumSlots: 1 << 14))
        let marks = ["a", "b", "c"].map { hashes.mark(for: TokenHash(sha256: $0)) }
        let count = 20_000
        for number in 0..<count {
            // Over several generations, by time and by number.
            hashes.remember(TokenHash(sha256: "\(number)"), marks[number % 3], now: Self.now + Int64(number / 40))
        }
        let end = Self.now + Int64(count / 40)
        for number in 0..<count {
            #expect(hashes.mark(of: TokenHash(sha256: "\(number)"), now: end) == marks[number % 3])
            #expect(hashes.mark(of: TokenHash(sha256: "not \(number)"), now: end) == nil)
        }
    }

    @Test func `hashes kept for a time have the mark they were given last`() {
        var hashes = RecentHashes(bounds: .init(lifetime: 1200, maximumSlots: 64))
        let hash = TokenHash(sha256: "hash")
        let (first, second) = (hashes.mark(for: TokenHash(sha256: "1")), hashes.mark(for: TokenHash(sha256: "2")))
        for (mark, after) in [(first, 0), (second, 0), (first, 250)] as [(RecentHashes.Mark, Int64)] {
            hashes.remember(hash, mark, now: Self.now + after)
            #expect(hashes.mark(of: hash, now: Self.now + after) == mark)
        }
    }

    @Test func `hashes kept for a time give their memory back when the next one comes after their time`() {
        var hashes = RecentHashes(bounds: .init(lifetime: 1200, maximumSlots: 1 << 10))
        let mark = hashes.mark(for: TokenHash(sha256: "mark"))
        for number in 0..<10_000 { hashes.remember(TokenHash(sha256: "\(number)"), mark, now: Self.now) }
        #expect(hashes.byteCount > 30_000)
        hashes.remember(TokenHash(sha256: "late"), mark, now: Self.now + 1400)
        #expect(hashes.byteCount < 1000)
    }
}
