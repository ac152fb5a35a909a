import Accounts
import Testing

@Suite struct `A line in time` {
    private static let now: Int64 = 1_790_000_000
    /// Drawn within the second, a hundred seconds ago.
    private static let line = NotBefore(drawnAt: (now - 100) * 1000 + 500)
    private static let drawnSecond = now - 100

    @Test(arguments: [
        (SignInBeginning.seen(drawnSecond * 1000 + 499), true), (.seen(drawnSecond * 1000 + 500), true),
        (.seen(drawnSecond * 1000 + 501), false),
        // What is told in seconds may be from before, in the second of the line.
        (.issued(drawnSecond - 1), true), (.issued(drawnSecond), true), (.issued(drawnSecond + 1), false),
        (.undated, true),
    ])
    func `bars what began before it, and nothing that began behind it`(beginning: SignInBeginning, isBarred: Bool) {
        // When the user authenticated is no matter: a single sign-on tells of yesterday.
        for time in [nil, Self.now - 86_400, Self.now] {
            #expect(Self.line.bars(beginning, authenticatedAt: time, now: Self.now) == isBarred)
        }
    }

    @Test(
        arguments: [
            (nil, 100, true), (drawnSecond - 1, 100, true), (drawnSecond, 100, true), (drawnSecond + 1, 100, false),
            (nil, 599, true), (nil, 600, true), (nil, 601, false), (drawnSecond - 86_400, 601, false),
        ] as [(Int64?, Int64, Bool)])
    func `bars a code that tells nothing of its beginning for as long as a code lives`(
        authenticatedAt: Int64?, secondsLater: Int64, isBarred: Bool
    ) {
        let now = Self.drawnSecond + secondsLater
        #expect(Self.line.bars(.untold, authenticatedAt: authenticatedAt, now: now) == isBarred)
    }

    @Test func `takes whatever a provider writes for a time, and none for a later one than now`() {
        for time in [Int64.max, Int64.max / 1000 + 1, Self.now + 1] as [Int64] {
            #expect(!Self.line.bars(.issued(time), authenticatedAt: nil, now: Self.now))
            #expect(NotBefore(drawnAt: Self.now * 1000).bars(.issued(time), authenticatedAt: nil, now: Self.now))
        }
        #expect(Self.line.bars(.issued(.min), authenticatedAt: nil, now: Self.now))
    }

    @Test func `bars an access token that tells nothing for as long as one may live`() {
        let end = Self.drawnSecond + NotBefore.memorySeconds
        #expect(Self.line.bars(.undated, authenticatedAt: nil, now: end))
        #expect(!Self.line.bars(.undated, authenticatedAt: nil, now: end + 1))
    }

    @Test func `with a new authentication asks for one for good, whenever the sign-in began`() {
        let line = NotBefore(drawnAt: (Self.now - 100) * 1000, reauthenticate: true)
        let muchLater = Self.now + 10 * NotBefore.memorySeconds
        for beginning in [SignInBeginning.seen(muchLater * 1000), .issued(muchLater), .untold] {
            #expect(line.bars(beginning, authenticatedAt: nil, now: muchLater))
            #expect(line.bars(beginning, authenticatedAt: Self.drawnSecond, now: muchLater))
            #expect(!line.bars(beginning, authenticatedAt: Self.drawnSecond + 1, now: muchLater))
        }
    }

    @Test func `joined with another one is the later of both, in each respect`() {
        let one = NotBefore(at: 5, authenticatedAfter: 2)
        let other = NotBefore(at: 7, authenticatedAfter: nil)
        for joined in [one.joined(other), other.joined(one)] {
            #expect(joined == NotBefore(at: 7, authenticatedAfter: 2))
        }
        #expect(one.joined(.none) == one)
        #expect(!NotBefore.none.bars(.untold, authenticatedAt: nil, now: Self.now))
    }
}
