import Accounts
import Glibc
import Patience
import Synchronization
import System
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A backup` {
    let folder = TemporaryFolder()
    let target = TemporaryFolder()

    @Test func `a backup is a whole store, taken while others sign in`() async throws {
        let store = try await folder.open()
        let before = try await store.signedIn(Sample.signIn(Sample.subject("before"))).user
        try await withThrowingTaskGroup { group in
            for value in 0..<100 {
                group.addTask { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
            }
            group.addTask { [target] in try await store.backup(to: target.database) }
            try await group.waitForAll()
        }
        await store.close()
        #expect(TemporaryFolder.names(in: target.path) == ["gatehouse.db"])
        let copy = try await target.open()
        #expect(try await copy.check().isEmpty)
        #expect(try await copy.user(before)?.profile.carrier == Sample.jane)
        let users = try await copy.users(after: nil, limit: 1000, provider: nil)
        #expect(try await copy.userCount() == users.count)
        for user in users {
            #expect(user.identities == 1)
            #expect(try await copy.sessions(of: user.id, now: Sample.now).count == 1)
        }
        // A number that was given is not given again.
        let next = try await copy.signedIn(Sample.signIn(Sample.subject("after"))).user
        #expect(next.rawValue == users.map(\.id.rawValue).max().map { $0 + 1 })
        await copy.close()
    }

    @Test func `a backup is for the owner alone, and made by a tool too`() async throws {
        let server = try await folder.open()
        let tool = try await folder.openTool()
        try await tool.backup(to: target.database)
        var status = stat()
        #expect(unsafe stat(target.database, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        await tool.close()
        await server.close()
    }

    @Test func `tells how far it is, and goes on while others sign in`() async throws {
        let store = try await folder.open()
        for value in 0..<300 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
        let seen = Mutex<[BackupProgress]>([])
        try await store.backup(to: target.database) { progress in seen.withLock { $0.append(progress) } }
        let (first, last) = seen.withLock { ($0.first, $0.last) }
        guard case .copied(let done, let total) = first, case .examined = last else {
            Issue.record("it does not copy first and examine then")
            return
        }
        #expect((1...total).contains(done))
        await store.close()
    }

    @Test func `a backup of a tool comes to its end beside a server that never stops writing`() async throws {
        let server = try await folder.open { $0.busyTimeoutMilliseconds = 5000 }
        for value in 0..<1200 { _ = try await server.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
        let tool = try await folder.openTool()
        let meanwhile = Meanwhile()
        try await withThrowingTaskGroup { group in
            group.addTask {
                var value = 0
                while meanwhile.goesOn {
                    value += 1
                    _ = try await server.signedIn(Sample.signIn(Sample.subject("during \(value)")))
                }
            }
            group.addTask { [target] in
                defer { meanwhile.end() }
                try await tool.backup(to: target.database)
            }
            try await group.waitForAll()
        }
        await tool.close()
        await server.close()
        let copy = try await target.open()
        #expect(try await copy.userCount() >= 1200)
        #expect(try await copy.check().isEmpty)
        await copy.close()
    }

    @Test func `a backup is made by the server that a tool asks, and the log stays short while it writes all the time`()
        async throws
    {
        let server = try await folder.open { ($0.checkpointPages, $0.busyTimeoutMilliseconds) = (50, 5000) }
        for value in 0..<1200 { _ = try await server.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
        let tool = try await folder.openTool()
        let meanwhile = Meanwhile()
        let isServed = Atomic<Bool>.Box(false)
        let longest = try await withThrowingTaskGroup(of: Int64.self) { group in
            group.addTask { [folder] in
                var (value, longest) = (0, Int64(0))
                while meanwhile.goesOn {
                    value += 1
                    _ = try await server.signedIn(Sample.signIn(Sample.subject("during \(value)")))
                    let size = (try? FileStatus(of: folder.database + "-wal"))?.size ?? 0
                    longest = max(longest, size)
                }
                return longest
            }
            group.addTask {
                while meanwhile.goesOn {
                    if try await server.serveBackup() { isServed.value.store(true, ordering: .relaxed) }
                    try await Task.sleep(for: .milliseconds(10))
                }
                return 0
            }
            group.addTask { [target] in
                defer { meanwhile.end() }
                try await tool.backup(to: target.database)
                return 0
            }
            return try await group.reduce(0, max)
        }
        let servedOnce = isServed.value.load(ordering: .relaxed)
        #expect(servedOnce)
        // What it is copied back at, and what comes while that is done.
        #expect(longest < 400 * 4096)
        let left = try await server.readers.read { connection throws(RepositoryError) in
            try connection.first(Query("SELECT count(*) FROM meta WHERE name LIKE 'backup%'")) { $0.integer(0) }
        }
        #expect(left == 0)
        await tool.close()
        await server.close()
        #expect(TemporaryFolder.names(in: target.path) == ["gatehouse.db"])
        let copy = try await target.open()
        #expect(try await copy.userCount() >= 1200)
        #expect(try await copy.check().isEmpty)
        await copy.close()
    }

    @Test func `a backup that a server was killed in is refused by the next one, so that the tool need not wait`()
        async throws
    {
        let server = try await folder.open()
        let path = target.path + "/half"
        try write([], to: path)
        try await server.writer.write { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).ask(for: path)
            try BackupRequest(connection: connection).tell(.begun, of: path)
        }
        #expect(try await !server.serveBackup())
        let state = try await server.readers.read { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).state(of: path)
        }
        #expect(state == .refused)
        #expect(try contents(of: path).isEmpty)
        await server.close()
    }

    @Test(arguments: ["a file with something in it", "a link", "nothing"])
    func `a backup is not written by the server over anything but an empty file of its own`(what: String) async throws {
        let server = try await folder.open()
        let path = target.path + "/victim"
        let other = target.path + "/other"
        if what == "a file with something in it" { try write([1, 2, 3], to: path) }
        if what == "a link" {
            try write([], to: other)
            unsafe symlink(other, path)
        }
        try await server.writer.write { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).ask(for: path)
        }
        try await server.serveBackup()
        let state = try await server.readers.read { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).state(of: path)
        }
        #expect(state == .refused)
        if what == "a file with something in it" { #expect(try contents(of: path) == [1, 2, 3]) }
        if what == "a link" { #expect(try contents(of: other).isEmpty) }
        if what == "nothing" { #expect(TemporaryFolder.names(in: target.path).isEmpty) }
        await server.close()
    }

    @Test func `clears what an earlier one to that name has left that was killed, and nobody else's`() async throws {
        let store = try await folder.open()
        let left = ["gatehouse.db-draft-00000000deadbeef", "gatehouse.db-draft-00000000deadbeef-journal"]
        let others = [
            "gatehouse.db-draft-of-mine", "gatehouse.db-draft-00000000DEADBEEF", "other.db-draft-00000000deadbeef",
            "gatehouse.db.20261122",
        ]
        for name in left + others { try write(Array("somebody who was erased".utf8), to: "\(target.path)/\(name)") }
        // One that is being made holds its lock.
        let made = try BackupFile(for: target.database)
        try await store.backup(to: target.database)
        let own = made.draft.split(separator: "/").last.map(String.init)
        #expect(
            Set(TemporaryFolder.names(in: target.path)) == Set(others + ["gatehouse.db"] + [own].compactMap(\.self)))
        withExtendedLifetime(made) {}
        await store.close()
    }

    @Test(arguments: [nil, .begun, .copied] as [BackupRequest.State?])
    func `a backup is cleared away by the server when the tool that asked for it was killed`(
        state: BackupRequest.State?
    )
        async throws
    {
        let server = try await folder.open()
        let draft = target.database + "-draft-00000000deadbeef"
        try write(state == nil ? [] : Array("half a copy".utf8), to: draft)
        try await server.writer.write { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).ask(for: draft)
            if let state { try BackupRequest(connection: connection).tell(state, of: draft) }
        }
        #expect(try await !server.serveBackup())
        #expect(TemporaryFolder.names(in: target.path).isEmpty)
        let left = try await server.readers.read { connection throws(RepositoryError) in
            try BackupRequest(connection: connection).open() == nil
        }
        #expect(left)
        await server.close()
    }

    @Test func `a backup is not made of a store that does not hold, and leaves no file`() async throws {
        let store = try await folder.open()
        let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.run(Query("UPDATE users SET profile = x'5A01' WHERE id = ?"), user)
        }
        await #expect(throws: RepositoryError.unavailable(.corrupt)) { try await store.backup(to: target.database) }
        #expect(TemporaryFolder.names(in: target.path).isEmpty)
        await store.close()
    }

    @Test func `has no draft left when it is given up, even while somebody still holds the file`() throws {
        let file = try BackupFile(for: target.database)
        #expect(TemporaryFolder.names(in: target.path).count == 1)
        withExtendedLifetime(file) {
            file.discard()
            #expect(TemporaryFolder.names(in: target.path).isEmpty)
        }
    }

    @Test func `overwrites nothing`() async throws {
        let store = try await folder.open()
        try write([1, 2, 3], to: target.database)
        await #expect(throws: RepositoryError.notOpened(.fileExists)) { try await store.backup(to: target.database) }
        #expect(try contents(of: target.database) == [1, 2, 3])
        #expect(TemporaryFolder.names(in: target.path).count == 1)
        await store.close()
    }

    @Test func `says that it can't be written`() async throws {
        let store = try await folder.open()
        await #expect(throws: RepositoryError.unavailable(.cannotOpen)) {
            try await store.backup(to: target.path + "/missing/gatehouse.db")
        }
        await store.close()
    }

    @Test func `a backup has nothing of who was erased`() async throws {
        let store = try await folder.open()
        let subject = "somebody-who-wants-to-be-forgotten"
        let user = try await store.signedIn(Sample.signIn(Sample.subject(subject))).user
        _ = try await store.erase(user, now: Sample.now)
        try await store.backup(to: target.database)
        #expect(!String(decoding: try contents(of: target.database), as: UTF8.self).contains(subject))
        await store.close()
    }
}

@Suite struct `After an erasure` {
    let folder = TemporaryFolder()

    private func contains(_ text: String) throws -> Bool {
        try ["", "-wal"].contains { suffix in
            String(decoding: try contents(of: folder.database + suffix), as: UTF8.self).contains(text)
        }
    }

    @Test func `after an erasure no table has a row of the user but the audit trail`() async throws {
        let store = try await folder.open()
        let session = Sample.session()
        let subject = Sample.subject("1")
        let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
        _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
        // As an earlier version has left it.
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.run(
                Query("INSERT INTO retired_refresh_tokens (session_id, hash, expires) VALUES (?, ?, ?)"), session.id,
                Sample.hash(), Sample.now + 60)
        }
        _ = try await store.linked(Sample.link(Sample.subject("2"), session.id))
        _ = try await store.receipted(Sample.transaction(subject, session.id))
        let tables = ["users", "identities", "sessions", "retired_refresh_tokens", "receipts"]
        func counts() async throws -> [Int64] {
            try await store.readers.read { connection throws(RepositoryError) in
                var counts: [Int64] = []
                for table in tables {
                    counts.append(try connection.first(Query("SELECT count(*) FROM \(table)")) { $0.integer(0) } ?? 0)
                }
                return counts
            }
        }
        #expect(try await counts() == [1, 2, 1, 1, 1])
        _ = try await store.erase(user, now: Sample.now)
        #expect(try await counts() == [0, 0, 0, 0, 0])
        #expect(try await store.auditEvents(after: 0, limit: 9, user: user).count == 3)
        await store.close()
    }

    @Test(arguments: [true, false])
    func `after an erasure no file has the subject any more once the log was started over`(isSwept: Bool) async throws {
        let store = try await folder.open()
        let subject = "somebody-who-wants-to-be-forgotten"
        let record = Sample.signIn(Sample.subject(subject))
        let user = try await store.signedIn(record).user
        _ = try await store.signIn(Sample.signIn(Sample.subject(subject), registration: .ticket(Sample.code())))
        #expect(try contains(subject))
        #expect(try await store.erase(user, now: Sample.now))
        if isSwept {
            _ = try await store.sweepExpired(now: Sample.now, limit: 1)
        } else {
            #expect(try await store.scrub())
        }
        #expect(try !contains(subject))
        await store.close()
    }
}
