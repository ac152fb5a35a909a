import Accounts
import System
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `The status of a store` {
    let folder = TemporaryFolder()

    @Test func `tells a tool what the server has written down, and what the files tell`() async throws {
        let server = try await folder.open()
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        _ = try await server.sweepExpired(now: Sample.now, limit: 1)
        let tool = try await folder.openTool()
        let status = try await tool.status(now: Sample.now)
        #expect(status.databaseBytes > 0 && status.logBytes > 0)
        #expect(status.schema == Int64(Schema.steps.count))
        #expect(status.liveCodes == 1)
        #expect(try await tool.status(now: Sample.now + 100_000).liveCodes == 0)
        #expect(!status.hasErasureInLog)
        let writes = try #require(status.serverWrites)
        #expect(writes.commits >= 2 && writes.writes >= writes.commits && writes.largest == 1)
        _ = try await tool.erase(user, now: Sample.now)
        #expect(try await tool.status(now: Sample.now).hasErasureInLog)
        await tool.close()
        await server.close()
    }

    @Test func `the status of a store is no reason for an idle server to write`() async throws {
        let server = try await folder.open()
        try await server.probe(now: Sample.now)
        for _ in 0..<2 { _ = try await server.sweepExpired(now: Sample.now, limit: 1) }
        let before = try? FileStatus(of: folder.database + "-wal")
        for _ in 0..<3 { _ = try await server.sweepExpired(now: Sample.now, limit: 1) }
        #expect((try? FileStatus(of: folder.database + "-wal")) == before)
        await server.close()
    }
}
