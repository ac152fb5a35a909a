import Accounts
import Glibc
import Patience
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `The log of a store` {
    let folder = TemporaryFolder()
    private static let subject = "somebody-who-wants-to-be-forgotten"
    private static let anything = Query("SELECT count(*) FROM meta")

    /// A reader that keeps its snapshot, and with it the log, until it goes.
    private func endlessReader() throws -> SQLiteConnection {
        let reader = try SQLiteConnection(path: folder.database, isWritable: false)
        try reader.execute("BEGIN")
        _ = try reader.first(Self.anything) { $0.integer(0) }
        return reader
    }

    private func openTool(
        _ change: @escaping (inout SQLiteSettings) -> Void = { _ in }
    ) async throws(RepositoryError) -> SQLiteAccounts {
        try await folder.open {
            $0.access = .besideServer
            change(&$0)
        }
    }

    /// Length and time of the last change. The file is not opened: closing it would drop this process's locks.
    private func state(of suffix: String) -> [Int]? {
        var status = stat()
        guard unsafe stat(folder.database + suffix, &status) == 0 else { return nil }
        return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// The salts, which change whenever the log is started over.
    private func salts() throws -> [UInt8] { Array(try contents(of: folder.database + "-wal").dropFirst(16).prefix(8)) }

    @Test func `keeps no sign-in waiting when it is to be emptied and a reader never ends`() async throws {
        let server = try await folder.open()
        let user = try await server.signedIn(Sample.signIn(Sample.subject(Self.subject))).user
        let reader = try endlessReader()
        let tool = try await openTool { $0.busyTimeoutMilliseconds = 3000 }
        let meanwhile = Meanwhile()
        let scrubbing = Task {
            defer { meanwhile.end() }
            #expect(try await tool.erase(user, now: Sample.now))
            return try await tool.scrub()
        }
        var number = 0
        while meanwhile.goesOn {
            number += 1
            _ = try await server.signedIn(Sample.signIn(Sample.subject("\(number)")))
        }
        #expect(try await !scrubbing.value)
        _ = try await server.signedIn(Sample.signIn(Sample.subject("after")))
        // The snapshot is still what it was.
        #expect(try reader.first(Query("SELECT count(*) FROM users")) { $0.integer(0) } == 1)
        try reader.execute("COMMIT")
        await tool.close()
        await server.close()
    }

    @Test func `the log of a store is copied back by no tool beside a server`() async throws {
        let server = try await folder.open { $0.checkpointPages = 1_000_000 }
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        let (database, before) = (state(of: ""), try salts())
        let tool = try await openTool { $0.checkpointPages = 1 }
        for number in 0..<20 { try await tool.probe(now: Sample.now + Int64(number)) }
        #expect(try await tool.erase(user, now: Sample.now))
        #expect(try await !tool.scrub())
        await tool.close()
        #expect(state(of: "") == database)
        #expect(try salts() == before)
        await server.close()
    }

    @Test func `the log of a store is left alone by a tool that closes last, as long as somebody is the server`()
        async throws
    {
        await (try await folder.open()).close()
        var lock: StoreLock? = try StoreLock(.server, database: folder.database)
        let database = state(of: "")
        let tool = try await openTool()
        try await tool.probe(now: Sample.now)
        await tool.close()
        #expect(lock != nil)
        #expect(state(of: "") == database)
        #expect((state(of: "-wal")?[0] ?? 0) > 0)
        lock = nil
        // With nobody else there, a tool clears up behind itself.
        await (try await openTool()).close()
        #expect(state(of: "") != database)
        #expect(state(of: "-wal") == nil)
    }

    private func contains(_ text: String) throws -> Bool {
        try ["", "-wal"].contains { suffix in
            String(decoding: try contents(of: folder.database + suffix), as: UTF8.self).contains(text)
        }
    }

    @Test(arguments: [false, true])
    func `the log of a store is emptied by the server of whom a tool has erased`(isServerIdle: Bool) async throws {
        let server = try await folder.open()
        let user = try await server.signedIn(Sample.signIn(Sample.subject(Self.subject))).user
        try await server.tidyLog(now: Sample.now)
        let tool = try await openTool()
        #expect(try await tool.erase(user, now: Sample.now))
        await tool.close()
        #expect(try contains(Self.subject))
        if isServerIdle {
            try await server.tidyLog(now: Sample.now)
        } else {
            try await server.probe(now: Sample.now)
        }
        // Behind what comes after the commit.
        _ = try await server.writer.between { _ in }
        #expect(try !contains(Self.subject))
        await server.close()
    }

    @Test func `the log of a store is emptied as soon as the reader has gone that was in the way`() async throws {
        let server = try await folder.open()
        let user = try await server.signedIn(Sample.signIn(Sample.subject(Self.subject))).user
        let reader = try endlessReader()
        #expect(try await server.erase(user, now: Sample.now))
        try await server.tidyLog(now: Sample.now)
        #expect(try contains(Self.subject))
        try reader.execute("COMMIT")
        #expect(try await server.scrub())
        #expect(try !contains(Self.subject))
        await server.close()
    }

    @Test func `the log of a store is copied back by a server that does nothing while a tool writes much`() async throws
    {
        let server = try await folder.open { $0.checkpointPages = 5 }
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1")))
        try await server.tidyLog(now: Sample.now)
        try await server.tidyLog(now: Sample.now)
        // Behind what comes after the commit.
        _ = try await server.writer.between { _ in }
        let database = state(of: "")
        let tool = try await openTool()
        // How long the log was when it was last copied decides when it is again, and that depends on who came together
        // in a group.
        for round in 0..<2 where state(of: "") == database {
            for number in 0..<20 { try await tool.probe(now: Sample.now + Int64(round * 20 + number)) }
            #expect(state(of: "") == database)
            try await server.tidyLog(now: Sample.now)
            _ = try await server.writer.between { _ in }
        }
        #expect(state(of: "") != database)
        await tool.close()
        await server.close()
    }

    @Test func `the log of a store is looked after by an idle server without a write`() async throws {
        let server = try await folder.open()
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1")))
        try await server.tidyLog(now: Sample.now)
        try await server.tidyLog(now: Sample.now)
        let log = state(of: "-wal")
        for _ in 0..<5 { try await server.tidyLog(now: Sample.now) }
        #expect(state(of: "-wal") == log)
        await server.close()
    }

    @Test func `the log of a store is emptied of an erased user after a crash`() async throws {
        let store = try await folder.open { $0.checkpointPages = 1_000_000 }
        let user = try await store.signedIn(Sample.signIn(Sample.subject(Self.subject))).user
        let reader = try endlessReader()
        #expect(try await store.erase(user, now: Sample.now))
        let left = TemporaryFolder()
        for suffix in ["", "-wal"] {
            try write(try contents(of: folder.database + suffix), to: left.database + suffix)
        }
        try reader.execute("COMMIT")
        await store.close()
        func contains() throws -> Bool {
            try ["", "-wal"].contains { suffix in
                String(decoding: try contents(of: left.database + suffix), as: UTF8.self).contains(Self.subject)
            }
        }
        #expect(try contains())
        let again = try await left.open()
        #expect(try await again.user(user) == nil)
        #expect(try !contains())
        await again.close()
    }
}
