import Accounts
import Foundation
import Patience
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A tool beside a server` {
    let folder = TemporaryFolder()

    private func openServer() async throws(RepositoryError) -> SQLiteAccounts {
        try await folder.open { $0.busyTimeoutMilliseconds = 2000 }
    }

    /// Under which data keys the users' profiles lie.
    private func keys(_ store: SQLiteAccounts) async throws -> [Int64] {
        try await store.readers.read { connection throws(RepositoryError) in
            try connection.all(Query("SELECT profile FROM users ORDER BY id")) {
                TransparentSealer().keyNumber(of: $0.blob(0)) ?? 0
            }
        }
    }

    @Test func `makes no store where there is none`() async throws {
        await #expect(throws: RepositoryError.notOpened(.noStore)) { try await folder.openTool() }
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
        try write([], to: folder.database)
        await #expect(throws: RepositoryError.notOpened(.noStore)) { try await folder.openTool() }
    }

    @Test func `keeps no server from starting`() async throws {
        await (try await openServer()).close()
        let tool = try await folder.openTool()
        let server = try await openServer()
        let other = try await folder.openTool()
        for store in [tool, other, server] { await store.close() }
    }

    @Test func `signs nobody in, since it does not know which codes were used`() async throws {
        let server = try await openServer()
        let code = Sample.code()
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1"), code: code))
        let tool = try await folder.openTool()
        await #expect(throws: RepositoryError.unavailable(.overloaded)) {
            try await tool.signIn(Sample.signIn(Sample.subject("1"), code: code))
        }
        await tool.close()
        await server.close()
    }

    @Test func `brings an older store along only while no server has it`() async throws {
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        try connection.execute(Schema.steps[0])
        try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1;")
        var lock: StoreLock? = try StoreLock(.server, database: folder.database)
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.openTool() }
        #expect(lock != nil)
        lock = nil
        let tool = try await folder.openTool()
        let server = try await openServer()
        #expect(try await tool.check().isEmpty)
        await server.close()
        await tool.close()
    }

    @Test func `erases, and the server knows`() async throws {
        let server = try await openServer()
        let session = Sample.session()
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
        let tool = try await folder.openTool()
        #expect(try await tool.erase(user, now: Sample.now))
        #expect(try await server.session(session.id, now: Sample.now) == nil)
        #expect(try await server.refresh(Sample.refresh(session.id, 1, of: user)) == .refused)
        #expect(try await server.signedIn(Sample.signIn(Sample.subject("1"))).isNewUser)
        await tool.close()
        await server.close()
    }

    @Test func `changes the data key, and the server's very next write is sealed under it`() async throws {
        let server = try await openServer()
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1")))
        let tool = try await folder.openTool()
        #expect(try await tool.rotateDataKey(TransparentSealer.maker) == 2)
        _ = try await server.signedIn(Sample.signIn(Sample.subject("2")))
        #expect(try await keys(server) == [1, 2])
        try await untilNothingIsLeft { try await tool.reseal(limit: 1) }
        #expect(try await keys(server) == [2, 2])
        await tool.close()
        await server.close()
    }

    @Test func `seals under a new data key what the server then opens, without a write of its own`() async throws {
        let server = try await openServer()
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        let tool = try await folder.openTool()
        _ = try await tool.rotateDataKey(TransparentSealer.maker)
        _ = try await tool.editProfile(of: user, [ProfileEdit("nickname", "J")], now: Sample.now)
        try await tool.rotateSecretKey(for: .challenge, keepingSeconds: 300, now: Sample.now + 1)
        #expect(try await server.secretKeys(for: .challenge).count == 1)
        #expect(try await server.reloadSecretKeys())
        #expect(try await server.secretKeys(for: .challenge) == tool.secretKeys(for: .challenge))
        #expect(try await server.user(user)?.profile.own["nickname"] == "J")
        #expect(try await !server.reloadKeyRing())
        _ = try await tool.rotateDataKey(TransparentSealer.maker)
        #expect(try await server.reloadKeyRing())
        await tool.close()
        await server.close()
    }

    @Test func `a tool beside a server and the server seal everything anew together, with no edit lost`() async throws {
        let server = try await openServer()
        let tool = try await folder.openTool()
        var users: [UserID] = []
        for value in 0..<40 { users.append(try await server.signedIn(Sample.signIn(Sample.subject("\(value)"))).user) }
        for round in 1...5 {
            let number = try await tool.rotateDataKey(TransparentSealer.maker)
            try await withThrowingTaskGroup { group in
                for store in [server, tool] {
                    group.addTask { _ = try await untilNothingIsLeft { try await store.reseal(limit: 3) } }
                }
                for (index, user) in users.enumerated() {
                    let store = index.isMultiple(of: 2) ? server : tool
                    group.addTask {
                        _ = try await store.editProfile(
                            of: user, [ProfileEdit("nickname", "\(round)")], now: Sample.now)
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(try await keys(server)) == [number])
            for user in users {
                #expect(
                    try await server.user(user)?.profile == Profile(Sample.said, own: ["nickname": "\(round)"])
                )
            }
        }
        #expect(try await server.check().isEmpty)
        await tool.close()
        await server.close()
    }

    @Test func `a tool beside a server that hardly ever lets go of its lock does not keep the server from writing`()
        async throws
    {
        let server = try await folder.open { $0.busyTimeoutMilliseconds = 600 }
        let path = folder.database
        let meanwhile = Meanwhile()
        // A thread of its own, for it sleeps.
        let holder = Thread {
            guard let other = try? SQLiteConnection(path: path, isWritable: true, busyTimeout: .seconds(1)) else {
                return
            }
            while meanwhile.goesOn {
                try? other.execute("BEGIN IMMEDIATE")
                usleep(40_000)
                try? other.execute("ROLLBACK")
                usleep(4000)
            }
        }
        holder.start()
        defer { meanwhile.end() }
        for number in 0..<20 { _ = try await server.signedIn(Sample.signIn(Sample.subject("\(number)"))) }
        await server.close()
    }

    @Test func `imports while the server signs in, and each subject has one user`() async throws {
        let server = try await openServer()
        let tool = try await folder.openTool()
        let batch = (0..<50).map { value in
            ImportedUser(
                reference: "ref", profile: Profile(Sample.said), createdAt: 1,
                identities: [
                    .init(provider: "zenkey", subject: Sample.subject("\(value)"), emailStoppedAt: nil)
                ])
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                for start in stride(from: 0, to: 50, by: 5) {
                    _ = try await tool.importUsers(Array(batch[start..<start + 5]), now: Sample.now)
                }
            }
            for value in 0..<50 {
                group.addTask { _ = try await server.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
            }
            try await group.waitForAll()
        }
        #expect(try await server.userCount() == 50)
        #expect(try await tool.users(after: nil, limit: 100, provider: nil).count == 50)
        await tool.close()
        await server.close()
    }
}
