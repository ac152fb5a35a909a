import Accounts
import Glibc
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `The ledger` {
    let stage = RestoreStage()

    private func lines() throws -> [Substring] {
        String(decoding: try contents(of: stage.ledger), as: UTF8.self).split(separator: "\n")
    }

    @Test func `the ledger has the record when somebody is told that a user is erased, and nothing of anybody`()
        async throws
    {
        try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("secret-subject"))).user
            #expect(try lines().isEmpty)
            #expect(try await store.erase(user, now: Sample.now))
            let line = try #require(try lines().first)
            #expect(line.hasPrefix("1 \(Sample.now) user_erased \(user.rawValue) "))
            #expect(!line.contains("secret-subject"))
            var status = stat()
            #expect(unsafe stat(stage.ledger, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func `the ledger is not touched by sign-ins`() async throws {
        try await stage.serving { store async throws in
            unsafe unlink(stage.ledger)
            for value in 0..<3 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
            #expect(unsafe access(stage.ledger, F_OK) != 0)
        }
    }

    @Test func `gets what a crash between commit and record has left, once the store is opened`() async throws {
        try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            _ = try await store.erase(user, now: Sample.now)
        }
        let whole = try contents(of: stage.ledger)
        // The line was never written, or was torn.
        for count in [0, 1, 20, whole.count - 1] {
            unsafe unlink(stage.ledger)
            try write(Array(whole.prefix(count)), to: stage.ledger)
            try await stage.serving { _ in }
            let line = String(decoding: whole.dropLast(), as: UTF8.self)
            #expect(try lines().last.map(String.init) == line)
        }
    }

    @Test func `the ledger with a torn last line, or foreign lines in between, says all that it has to say`()
        async throws
    {
        let erased = try await stage.serving { store async throws in
            var users: [UserID] = []
            for value in 0..<2 {
                users.append(try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))).user)
            }
            try await store.backup(to: stage.backup)
            for user in users { _ = try await store.erase(user, now: Sample.now) }
            return users
        }
        let text = try lines()
        let torn = "\(text[0])\n\(text[1].prefix(30))\nnonsense\n\(text[1])\n\(text[1])\n3 \(text[1].prefix(12))"
        unsafe unlink(stage.ledger)
        try write(Array(torn.utf8), to: stage.ledger)
        let outcome = try await stage.restore()
        #expect(outcome.erased == erased.count)
        #expect(outcome.unprovenLines == 2)
    }

    @Test func `erases nobody for a line that somebody has made up`() async throws {
        let victim = try await stage.serving { store async throws in
            let victim = try await store.signedIn(Sample.signIn(Sample.subject("victim"))).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("other"))).user
            try await store.backup(to: stage.backup)
            _ = try await store.erase(other, now: Sample.now)
            return victim
        }
        let honest = try lines()
        let proof = try #require(honest[0].split(separator: " ").last)
        let forged = "2 \(Sample.now) user_erased \(victim.rawValue) \(proof)"
        try write(Array("\(honest[0])\n\(forged)\n".utf8), to: stage.ledger)
        // At the end it may have been one of ours, so somebody has to look.
        await #expect(throws: RestoreError.ledgerEndsUnproven(line: 2)) { try await stage.restore() }
        try write(Array("\(forged)\n\(honest[0])\n".utf8), to: stage.ledger)
        try await stage.restore()
        let found = try await stage.serving { try await $0.user(victim) }
        #expect(found != nil)
    }

    @Test func `takes what several processes add at once`() async throws {
        let server = try await stage.folder.open()
        var users: [UserID] = []
        for value in 0..<40 {
            users.append(try await server.signedIn(Sample.signIn(Sample.subject("\(value)"))).user)
        }
        let tools = [
            try await stage.folder.openTool(),
            try await stage.folder.openTool(),
        ]
        try await withThrowingTaskGroup { group in
            for (number, user) in users.enumerated() {
                group.addTask { _ = try await tools[number % 2].erase(user, now: Sample.now) }
            }
            try await group.waitForAll()
        }
        for tool in tools { await tool.close() }
        await server.close()
        let numbers = Set(try lines().compactMap { $0.split(separator: " ").first.flatMap { Int($0) } })
        #expect(numbers == Set(1...40))
    }

    @Test func `the ledger that can't be written makes the answer an error, and gets the record later`() async throws {
        try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            unsafe unlink(stage.ledger)
            unsafe mkdir(stage.ledger, 0o700)
            await #expect(throws: RepositoryError.unavailable(.cannotOpen)) {
                try await store.erase(user, now: Sample.now)
            }
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            unsafe rmdir(stage.ledger)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("3")))
            #expect(try lines().count == 1)
        }
    }
}

@Suite struct `A replacement that was cut off` {
    let stage = RestoreStage()

    @Test
    func
        `a replacement that was cut off is finished at the store's next opening, without the log of the former store`()
        async throws
    {
        let server = try await stage.folder.open()
        let lost = try await server.signedIn(Sample.signIn(Sample.subject("lost"))).user
        try await server.backup(to: stage.backup)
        _ = try await server.erase(lost, now: Sample.now)
        // As it is after a kill: the database with its log.
        let log = try contents(of: stage.folder.database + "-wal")
        await server.close()
        for access in [SQLiteSettings.Access.server, .besideServer, .insteadOfServer] {
            try write(log, to: stage.folder.database + "-wal")
            try await stage.restore()
            let restored = try contents(of: stage.folder.database)
            try write(log, to: stage.folder.database + "-wal")
            try write(restored, to: stage.folder.database + "-restored")
            let store = try await stage.folder.open { $0.access = access }
            #expect(try await store.user(lost) == nil)
            #expect(try await store.check().isEmpty)
            await store.close()
            #expect(!Replacement.isUnfinished(stage.folder.database))
        }
    }
}

extension `A replacement that was cut off` {
    /// How far it had come.
    enum Stage: CaseIterable {
        case decided, keptFormer, movedLog, compactionDecided
    }

    @Test(arguments: Stage.allCases)
    func `leaves one store whole at each of its steps`(step: Stage) async throws {
        let path = stage.folder.database
        let (before, after) = try await stage.serving { store async throws in
            let before = try await store.signedIn(Sample.signIn(Sample.subject("before"))).user
            try await store.backup(to: stage.backup)
            return (before, try await store.signedIn(Sample.signIn(Sample.subject("after"))).user)
        }
        // As a crash of the former store has left it: with a log that is not the new store's.
        try write([1, 2, 3], to: path + "-wal")
        let coming = path + (step == .compactionDecided ? "-compacted" : "-restored")
        try write(try contents(of: stage.backup), to: coming)
        var status = stat()
        #expect(unsafe stat(coming, &status) == 0)
        let former = "\(path)-former-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        if step == .keptFormer || step == .movedLog { #expect(unsafe link(path, former) == 0) }
        if step == .movedLog { #expect(unsafe rename(path + "-wal", former + "-wal") == 0) }
        try await stage.serving { store async throws in
            #expect(try await store.user(before) != nil)
            #expect(try await store.user(after) == nil)
            #expect(try await store.check().isEmpty)
        }
        let names = TemporaryFolder.names(in: stage.folder.path).filter { $0.contains("-former-") }
        #expect(names.count == (step == .compactionDecided ? 0 : 2), "the former store and its log")
    }
}

extension `A replacement that was cut off` {
    @Test
    func
        `a replacement that was cut off by an obstacle in its last steps says that it is coming, and comes when that is gone`()
        async throws
    {
        let path = stage.folder.database
        let lost = try await stage.serving { store async throws in
            try await store.backup(to: stage.backup)
            return try await store.signedIn(Sample.signIn(Sample.subject("lost"))).user
        }
        try write([1, 2, 3], to: path + "-wal")
        let draft = path + "-draft"
        try write(try contents(of: stage.backup), to: draft)
        var status = stat()
        #expect(unsafe stat(draft, &status) == 0)
        // Where the former store's log is to go.
        let obstacle = "\(path)-former-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)-wal"
        unsafe mkdir(obstacle, 0o700)
        #expect(throws: ReplacementError.unfinished(.cannotOpen)) {
            try Replacement.restored.publish(draft, at: path)
        }
        #expect(try contents(of: path + "-wal") == [1, 2, 3])
        unsafe rmdir(obstacle)
        let found = try await stage.serving { try await $0.user(lost) }
        #expect(found == nil)
        #expect(!Replacement.isUnfinished(path))
    }

    @Test func `a replacement that was cut off by a draft that is gone says that nothing has changed`() async throws {
        #expect(throws: ReplacementError.notBegun(.cannotOpen)) {
            try Replacement.restored.publish(stage.folder.database + "-draft", at: stage.folder.database)
        }
    }
}

@Suite struct `A compacted store` {
    let stage = RestoreStage()

    @Test func `a compacted store has everybody, takes less room, and gives no number twice`() async throws {
        let (kept, last) = try await stage.serving { store async throws in
            var users: [UserID] = []
            for value in 0..<800 {
                users.append(try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))).user)
            }
            for user in users.dropFirst() { _ = try await store.erase(user, now: Sample.now) }
            return (users[0], try #require(users.last))
        }
        let outcome = try await SQLiteAccounts.compact(stage.settings, unlockKeyRing: TransparentSealer.unlocker())
        // What is left is the audit trail, and of everybody who was erased a line in time for a day.
        #expect(outcome.after < outcome.before * 3 / 4)
        #expect(try contents(of: stage.folder.database).count == Int(outcome.after))
        try await stage.serving { store async throws in
            #expect(try await store.user(kept) != nil)
            #expect(try await store.userCount() == 1)
            #expect(try await store.check().isEmpty)
            let next = try await store.signedIn(Sample.signIn(Sample.subject("next"))).user
            #expect(next.rawValue > last.rawValue)
        }
        #expect(!TemporaryFolder.names(in: stage.folder.path).contains { $0.contains("former") })
    }

    @Test func `a compacted store is none where a server has it open, or a seal is broken`() async throws {
        let server = try await stage.folder.open()
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1")))
        await #expect(throws: CompactError.store(.notOpened(.inUse))) {
            try await SQLiteAccounts.compact(stage.settings, unlockKeyRing: TransparentSealer.unlocker())
        }
        try await server.writer.write { connection throws(RepositoryError) in
            try connection.run(Query("UPDATE users SET profile = x'5A01'"))
        }
        await server.close()
        let before = try contents(of: stage.folder.database)
        await #expect(throws: CompactError.damaged(["Sealed values in users that do not open: 1."])) {
            try await SQLiteAccounts.compact(stage.settings, unlockKeyRing: TransparentSealer.unlocker())
        }
        #expect(try contents(of: stage.folder.database) == before)
    }
}
