import Accounts
import Patience
import System
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `The space that a store takes` {
    let folder = TemporaryFolder()

    @Test func `a file that a flood has filled gives its pages back when the flood is over, in steps`() async throws {
        let server = try await folder.open()
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        for _ in 0..<1500 {
            _ = try await server.beginSignIn(Sample.pending(bytes: 12_000), instead: nil, now: Sample.now)
        }
        let full = try await server.status(now: Sample.now)
        #expect(full.pages > 4500)
        try await untilNothingIsLeft { try await server.sweepExpired(now: Sample.now + 600, limit: 500) }
        let steps = try await untilNothingIsLeft { try await server.giveBackSpace() ? 1 : 0 }.count
        let after = try await server.status(now: Sample.now)
        #expect(steps > 10 && after.pages < full.pages / 2)
        #expect(after.freePages <= 1024)
        #expect(try await server.user(user) != nil)
        #expect(try await server.check(progress: { _, _ in }) == [])
        await server.close()
    }

    @Test func `a file with little to give back is left as it is`() async throws {
        let server = try await folder.open()
        _ = try await server.beginSignIn(Sample.pending(bytes: 12_000), instead: nil, now: Sample.now)
        _ = try await server.sweepExpired(now: Sample.now + 600, limit: 500)
        let before = try await server.status(now: Sample.now)
        #expect(before.freePages > 0)
        #expect(try await !server.giveBackSpace())
        #expect(try await server.status(now: Sample.now).pages == before.pages)
        await server.close()
    }
}
