import Accounts
import Glibc
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// A store, a backup of it, and what is done in between.
struct RestoreStage {
    let folder = TemporaryFolder()
    let vault = TemporaryFolder()

    var backup: String { vault.database }
    var ledger: String { folder.database + "-ledger" }
    var settings: SQLiteSettings {
        SQLiteSettings(path: folder.database, access: .insteadOfServer, tables: .tested, busyTimeoutMilliseconds: 50)
    }

    /// Opens the store as its server, does something, and closes it.
    func serving<Value>(_ body: (SQLiteAccounts) async throws -> Value) async throws -> Value {
        let store = try await folder.open { $0.tables = .tested }
        do {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    @discardableResult
    func restore(
        ledger: RestoreRequest.Ledger = .besideStore, keepsSessions: Bool = false, key: UInt8 = 0x5A
    ) async throws -> RestoreOutcome {
        try await SQLiteAccounts.restore(
            RestoreRequest(backup: backup, ledger: ledger, keepsSessions: keepsSessions), in: settings,
            now: Sample.now, unlockKeyRing: TransparentSealer.unlocker(key: key))
    }

    /// Every file of the store and its bytes, but those that are locks and what SQLite makes anew.
    func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in TemporaryFolder.names(in: folder.path) where !name.hasSuffix("-shm") && !name.hasSuffix("-open") {
            files[name] = try contents(of: folder.path + "/" + name)
        }
        return files
    }
}

@Suite struct `A restored backup` {
    let stage = RestoreStage()

    @Test func `a restored backup keeps out who was locked since, also where they were erased, and no other`()
        async throws
    {
        let lock = Lock(cause: .operator, reason: "stolen", since: Sample.now, until: nil)
        func locked(_ store: SQLiteAccounts, _ user: UserID) async throws {
            #expect(try await store.lock(user, lock, line: .none, now: Sample.now))
        }
        try await stage.serving { store async throws in
            var users: [UserID] = []
            for value in ["locked", "erased", "unlocked", "disabled"] {
                users.append(try await store.signedIn(Sample.signIn(Sample.subject(value))).user)
            }
            try await locked(store, users[2])
            try await store.backup(to: stage.backup)
            for user in users[0...1] { try await locked(store, user) }
            #expect(try await store.erase(users[1], now: Sample.now))
            #expect(try await store.unlock(users[2], line: .none, now: Sample.now))
            let event = IdentityEvent(
                subject: Sample.subject("disabled"), kind: .providerAccountDisabled,
                effect: .locks(openedBy: Sample.now, wholeUser: false), time: Sample.now)
            #expect(try await store.take([event], now: Sample.now) == 1)
        }
        try await stage.restore(keepsSessions: true)
        try await stage.serving { store async throws in
            for value in ["locked", "erased", "disabled"] {
                #expect(
                    try await store.signIn(Sample.signIn(Sample.subject(value), now: Sample.now + 5))
                        == .refused(.locked), "\(value)")
            }
            _ = try await store.signedIn(Sample.signIn(Sample.subject("unlocked"), now: Sample.now + 5))
            // By the number that the erased one had.
            #expect(try await store.unlock(UserID(rawValue: 2), line: .none, now: Sample.now + 6))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("erased"), now: Sample.now + 7))
        }
    }

    @Test func `a restored backup has nobody who was erased since, and gives their numbers to nobody`() async throws {
        let (kept, erased) = try await stage.serving { store async throws in
            let kept = try await store.signedIn(Sample.signIn(Sample.subject("kept"))).user
            let erased = try await store.signedIn(Sample.signIn(Sample.subject("erased"))).user
            try await store.backup(to: stage.backup)
            #expect(try await store.erase(erased, now: Sample.now))
            return (kept, erased)
        }
        let outcome = try await stage.restore()
        #expect(outcome.erased == 1)
        #expect(outcome.users == 1)
        try await stage.serving { store async throws in
            #expect(try await store.user(erased) == nil)
            #expect(try await store.user(kept)?.profile.carrier == Sample.jane)
            #expect(try await store.userCount() == 1)
            let again = try await store.signedIn(Sample.signIn(Sample.subject("erased")))
            #expect(again.isNewUser)
            #expect(again.user.rawValue > erased.rawValue)
            #expect(try await store.userCount() == 2)
            #expect(try await store.check().isEmpty)
        }
    }

    @Test func `gives no number of a user, an identity or an event that was given since`() async throws {
        let (given, events) = try await stage.serving { store async throws in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("before")))
            try await store.backup(to: stage.backup)
            let given = try await store.signedIn(Sample.signIn(Sample.subject("after")))
            return (given, try await store.auditEvents(after: 0, limit: 99, user: nil).map(\.id))
        }
        try await stage.restore()
        // Again, and with nothing left of the store but the ledger: the second one knows what the first has set aside.
        let first = try await stage.serving { try await $0.signedIn(Sample.signIn(Sample.subject("first"))) }
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(stage.folder.database + suffix) }
        try await stage.restore()
        let second = try await stage.serving { store async throws in
            #expect(try await store.auditEvents(after: events.max() ?? 0, limit: 99, user: nil).count > 1)
            return try await store.signedIn(Sample.signIn(Sample.subject("second")))
        }
        #expect(first.user.rawValue > given.user.rawValue)
        #expect(first.identity.rawValue > given.identity.rawValue)
        #expect(second.user.rawValue > first.user.rawValue)
        #expect(second.identity.rawValue > first.identity.rawValue)
    }

    @Test func `a restored backup has no session from before, unless they are to be kept`() async throws {
        let session = Sample.session()
        try await stage.serving { store async throws in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            try await store.backup(to: stage.backup)
        }
        let kept = try await stage.restore(keepsSessions: true)
        #expect(kept.endedSessions == 0)
        let found = try await stage.serving { try await $0.session(session.id, now: Sample.now) }
        #expect(found != nil)
        let ended = try await stage.restore()
        #expect(ended.endedSessions == 1)
        try await stage.serving { store async throws in
            #expect(try await store.session(session.id, now: Sample.now) == nil)
            let trail = try await store.auditEvents(after: 0, limit: 99, user: nil).map(\.kind)
            #expect(trail.suffix(2) == [.storeRestored, .sessionsRevoked])
        }
    }

    @Test func `takes a number's former carrier away again, and tells who can't sign in`() async throws {
        let session = Sample.session()
        let user = try await stage.serving { store async throws in
            let old = Sample.subject("number", at: Sample.oldIssuer)
            let user = try await store.signedIn(Sample.signIn(old, session: session)).user
            try await store.backup(to: stage.backup)
            let moved = try await store.signedIn(
                Sample.signIn(Sample.subject("new"), ported: [Sample.ported(old)]))
            #expect(moved.user == user && moved.migrated)
            return user
        }
        let outcome = try await stage.restore(keepsSessions: true)
        #expect(outcome.stranded == [user])
        try await stage.serving { store async throws in
            // The number's next owner, at the carrier it was given back to.
            let next = try await store.signedIn(Sample.signIn(Sample.subject("number", at: Sample.oldIssuer)))
            #expect(next.user != user)
            #expect(try await store.session(session.id, now: Sample.now) == nil)
            #expect(try await store.user(user) != nil)
        }
    }

    @Test func `merges again who was merged since, and then does to them what was done since`() async throws {
        let (pair, others) = try await stage.serving { store async throws in
            let pair = try await Pair(store)
            let others = try await Pair(store, " others")
            try await store.linked(Sample.link(Sample.subject("third"), pair.absorbed.session))
            try await store.backup(to: stage.backup)
            try await store.merged(pair.absorbed.user, into: pair.kept.user)
            // Its number is what it was, so that it is taken from the user who has it here.
            #expect(
                try await store.unlink(pair.absorbed.identity, of: pair.kept.user, line: .none, now: Sample.now)
                    == .unlinked)
            try await store.merged(others.absorbed.user, into: others.kept.user)
            #expect(try await store.erase(others.kept.user, now: Sample.now))
            return (pair, others)
        }
        let outcome = try await stage.restore()
        #expect(outcome.erased == 1 && outcome.stranded.isEmpty)
        try await stage.serving { store async throws in
            #expect(try await store.userCount() == 1)
            #expect(try await store.user(pair.absorbed.user) == nil)
            let subjects = try await store.identities(of: pair.kept.user).map(\.subject)
            #expect(Set(subjects) == [pair.subjects.kept, Sample.subject("third")])
            for subject in [pair.subjects.absorbed, others.subjects.kept, others.subjects.absorbed] {
                #expect(try await !store.isKnown(subject))
            }
        }
    }

    @Test func `leaves whole who was merged into somebody younger than the backup, and does what was done since`()
        async throws
    {
        let users = try await stage.serving { store async throws in
            var (users, sessions): ([UserID], [NewSession]) = ([], [])
            for name in ["whole", "erased", "locked", "unlinked"] {
                let session = Sample.session()
                users.append(try await store.signedIn(Sample.signIn(Sample.subject(name), session: session)).user)
                sessions.append(session)
            }
            let taken = try await store.linked(Sample.link(Sample.subject("taken"), sessions[3].id)).identity
            try await store.backup(to: stage.backup)
            for user in users {
                let younger = try await store.signedIn(Sample.signIn(Sample.subject("younger \(user.rawValue)"))).user
                try await store.merged(user, into: younger)
                switch user {
                case users[1]: #expect(try await store.erase(younger, now: Sample.now))
                case users[2]:
                    let lock = Lock(cause: .operator, reason: nil, since: Sample.now, until: nil)
                    #expect(try await store.lock(younger, lock, line: .none, now: Sample.now))
                case users[3]:
                    #expect(
                        try await store.unlink(taken.id, of: younger, line: .none, now: Sample.now) == .unlinked)
                default: break
                }
            }
            return users
        }
        let outcome = try await stage.restore(keepsSessions: true)
        #expect(outcome.erased == 1)
        try await stage.serving { store async throws in
            #expect(try await store.userCount() == 3)
            #expect(try await store.user(users[1]) == nil)
            for user in users {
                // The holder of one of its sessions may be another person than the one who merged it.
                #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
            }
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("whole"))).user == users[0])
            #expect(try await store.signIn(Sample.signIn(Sample.subject("locked"))) == .refused(.locked))
            #expect(try await store.identities(of: users[3]).map(\.subject) == [Sample.subject("unlinked")])
        }
    }

    @Test func `takes unlinked identities away again`() async throws {
        let session = Sample.session()
        let user = try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let linked = try await store.linked(Sample.link(Sample.subject("2"), session.id)).identity
            try await store.backup(to: stage.backup)
            let outcome = try await store.unlinked(
                linked.id, under: session.id, demands: Sample.demands, now: Sample.now)
            #expect(outcome == .unlinked)
            return user
        }
        let outcome = try await stage.restore()
        #expect(outcome.records == 1 && outcome.stranded.isEmpty)
        try await stage.serving { store async throws in
            #expect(try await store.identities(of: user).map(\.subject) == [Sample.subject("1")])
        }
    }

    @Test func `a restored backup has no signing key that was retired since`() async throws {
        try await stage.serving { store async throws in
            for (kid, from) in [("leaked", 1), ("next", 2)] as [(String, Int64)] {
                try await store.addSigningKey(
                    SigningKey(kid: kid, purpose: .session, privateKey: [1], createdAt: from))
            }
            try await store.backup(to: stage.backup)
            #expect(try await store.retireSigningKey("leaked", now: Sample.now) == .retired)
        }
        try await stage.restore()
        try await stage.serving { store async throws in
            #expect(try await store.signingKeys().map(\.kid) == ["next"])
            #expect(try await store.signingKeyEntries().count == 2)
        }
    }

    @Test func `leaves the former store whole under another name`() async throws {
        let user = try await stage.serving { store async throws in
            try await store.backup(to: stage.backup)
            return try await store.signedIn(Sample.signIn(Sample.subject("lost"))).user
        }
        let former = try #require(try await stage.restore().former)
        let copy = try await SQLiteAccounts.open(
            SQLiteSettings(path: former, access: .besideServer, tables: .tested), now: Sample.now,
            unlockKeyRing: TransparentSealer.unlocker())
        #expect(try await copy.user(user) != nil)
        await copy.close()
        let found = try await stage.serving { try await $0.user(user) }
        #expect(found == nil)
    }

    @Test func `takes a place where there is nothing yet`() async throws {
        let erased = try await stage.serving { store async throws in
            let erased = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            try await store.backup(to: stage.backup)
            _ = try await store.erase(erased, now: Sample.now)
            return erased
        }
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(stage.folder.database + suffix) }
        let outcome = try await stage.restore()
        #expect(outcome.former == nil && outcome.erased == 1)
        let found = try await stage.serving { try await $0.user(erased) }
        #expect(found == nil)
    }

    @Test func `takes the place of a store that is damaged beyond reading`() async throws {
        try await stage.serving { try await $0.backup(to: stage.backup) }
        try write([UInt8](repeating: 0xFF, count: 8192), to: stage.folder.database)
        try await stage.restore()
        let found = try await stage.serving { try await $0.check() }
        #expect(found.isEmpty)
    }

    @Test func `leaves nothing of a restore that was killed, once the store is opened`() async throws {
        try await stage.serving { store async throws in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        }
        let drafts = ["", "-journal", "-wal"].map { stage.settings.path + "-draft" + $0 }
        for draft in drafts { try write(Array("somebody who was erased".utf8), to: draft) }
        let tool = try await SQLiteAccounts.open(
            SQLiteSettings(path: stage.settings.path, access: .besideServer, tables: .tested), now: Sample.now,
            unlockKeyRing: TransparentSealer.unlocker(key: 0x5A))
        // A tool does not know whether somebody is at it.
        #expect(TemporaryFolder.names(in: stage.folder.path).filter { $0.contains("-draft") }.count == drafts.count)
        await tool.close()
        try await stage.serving { _ in }
        #expect(TemporaryFolder.names(in: stage.folder.path).filter { $0.contains("-draft") }.isEmpty)
    }

    @Test func `a restored backup that was put in the store's place by hand is not opened`() async throws {
        try await stage.serving { store async throws in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            try await store.backup(to: stage.backup)
            _ = try await store.erase(user, now: Sample.now)
        }
        try write(try contents(of: stage.backup), to: stage.folder.database)
        await #expect(throws: RepositoryError.notOpened(.olderThanLedger)) { try await stage.serving { _ in } }
    }
}

@Suite struct `A restore that can't be` {
    let stage = RestoreStage()

    /// Makes a store and a backup, and erases somebody.
    private func prepare() async throws {
        try await stage.serving { store async throws in
            for value in 0..<3 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
            try await store.backup(to: stage.backup)
            for user in 1...3 { _ = try await store.erase(UserID(rawValue: Int64(user)), now: Sample.now) }
        }
    }

    private func changesNothing(
        _ failure: RestoreError, ledger: RestoreRequest.Ledger = .besideStore, key: UInt8 = 0x5A
    ) async throws {
        let before = try stage.files()
        await #expect(throws: failure) { try await stage.restore(ledger: ledger, key: key) }
        #expect(try stage.files() == before)
    }

    private func inBackup(_ sql: String) throws {
        let connection = try SQLiteConnection(path: stage.backup, isWritable: true)
        try connection.execute(sql)
    }

    @Test func `a restore that can't be for another master key changes nothing`() async throws {
        try await prepare()
        try await changesNothing(.backup(.wrongMasterKey), key: 0x11)
    }

    @Test func `a restore that can't be for a damaged page changes nothing`() async throws {
        try await prepare()
        try write([UInt8](repeating: 0xFF, count: 4096), to: stage.backup, at: 4096 * 2)
        let before = try stage.files()
        await #expect(throws: RestoreError.self) { try await stage.restore() }
        #expect(try stage.files() == before)
    }

    @Test func `a restore that can't be for a broken seal changes nothing`() async throws {
        try await prepare()
        try inBackup("UPDATE users SET profile = x'5A01' WHERE id = 2")
        try await changesNothing(.backupDamaged(["Sealed values in users that do not open: 1."]))
    }

    @Test func `a restore that can't be for a backup of a newer version changes nothing`() async throws {
        try await prepare()
        try inBackup("PRAGMA user_version = 99")
        try await changesNothing(.backup(.notOpened(.newerSchema(found: 99, known: Int64(Schema.steps.count)))))
    }

    @Test func `a restore that can't be for something else than a store changes nothing`() async throws {
        try await prepare()
        try write(Array("no database, and long enough to be told apart from one".utf8), to: stage.backup)
        let before = try stage.files()
        await #expect(throws: RestoreError.self) { try await stage.restore() }
        #expect(try stage.files() == before)
        unsafe unlink(stage.backup)
        try await changesNothing(.backup(.notOpened(.noStore)))
    }

    @Test func `beside a server or a tool changes nothing`() async throws {
        try await prepare()
        let server = try await stage.folder.open()
        await #expect(throws: RestoreError.store(.notOpened(.inUse))) { try await stage.restore() }
        await server.close()
        let tool = try await stage.folder.openTool()
        await #expect(throws: RestoreError.store(.notOpened(.inUse))) { try await stage.restore() }
        await tool.close()
        try await stage.restore()
    }

    @Test func `a restore that can't be for a ledger that is damaged in the middle changes nothing`() async throws {
        try await prepare()
        var lines = String(decoding: try contents(of: stage.ledger), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3)
        lines[1] = lines[1].prefix(10) + "7" + lines[1].dropFirst(11)
        unsafe unlink(stage.ledger)
        try write(Array(lines.map { $0 + "\n" }.joined().utf8), to: stage.ledger)
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(stage.folder.database + suffix) }
        try await changesNothing(.ledgerIncomplete(record: 2))
    }

    @Test func `a restore that can't be without its ledger changes nothing, unless told to do without`() async throws {
        try await prepare()
        unsafe unlink(stage.ledger)
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(stage.folder.database + suffix) }
        try await changesNothing(.noLedger(path: stage.ledger))
        let outcome = try await stage.restore(ledger: .none)
        #expect(outcome.users == 3)
    }

    @Test func `a restore that can't be of the store itself changes nothing`() async throws {
        try await prepare()
        await #expect(throws: RestoreError.backupIsStore) {
            try await SQLiteAccounts.restore(
                RestoreRequest(backup: stage.folder.database), in: stage.settings, now: Sample.now,
                unlockKeyRing: TransparentSealer.unlocker())
        }
    }
}
