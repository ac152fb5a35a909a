import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// Stores as each version since the second has left them, with somebody in it.
@Suite struct `A store of an earlier version` {
    private static let jane = UserID(rawValue: 1)
    private static let earlier = 2..<Schema.steps.count

    /// Made as the second version had it, and brought along by each that came after.
    private func makeStore(_ folder: TemporaryFolder, at schema: Int, name: String = "gatehouse.db") throws -> String {
        let path = "\(folder.path)/\(name)"
        try write([], to: path)
        let connection = try SQLiteConnection(path: path, isWritable: true)
        for step in Schema.steps.prefix(2) { try connection.execute(step) }
        try connection.execute("INSERT INTO key_ring (number, sealed_key, created) VALUES (1, x'010203', 1)")
        try connection.run(
            Query("INSERT INTO meta (name, value) VALUES ('seal_proof', ?)"),
            try TransparentSealer().seal(Array("gatehouse".utf8), for: .proof))
        try connection.run(
            Query("INSERT INTO users (id, reference, profile, created, updated) VALUES (1, 'abc', ?, 5, 5)"),
            try TransparentSealer().seal(Profile(carrier: Sample.jane).encoded, for: .profile(of: Self.jane)))
        try connection.execute(
            """
            INSERT INTO identities (id, user_id, provider, issuer, subject, origin, linked, last_sign_in)
            VALUES (1, 1, 'zenkey', '\(Sample.issuer)', '1', 'sign-in', 5, 5);
            """)
        for step in Schema.steps[2..<schema] { try connection.execute(step) }
        try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(schema);")
        return path
    }

    private func version(of path: String) throws -> Int64? {
        try SQLiteConnection(path: path, isWritable: true).first(Query("PRAGMA user_version")) { $0.integer(0) }
    }

    @Test(arguments: earlier) func `is copied, brought up to date, and served`(schema: Int) async throws {
        let folder = TemporaryFolder()
        _ = try makeStore(folder, at: schema)
        let store = try await folder.open()
        #expect(store.update?.from == schema)
        let copy = try #require(store.update?.copy)
        #expect(copy.hasSuffix("gatehouse.db-schema-\(schema)"))
        #expect(try await store.user(Self.jane)?.reference == "abc")
        #expect(try await store.check().isEmpty)
        await store.close()
        #expect(try version(of: copy) == Int64(schema))
        // The copy is what a restore takes.
        let judged = try await SQLiteAccounts.judge(
            backup: copy, for: SQLiteSettings(path: folder.database, access: .insteadOfServer, tables: .own),
            unlockKeyRing: TransparentSealer.unlocker())
        #expect(judged == BackupJudgement(schema: schema, users: 1, findings: []))
        #expect(!TemporaryFolder.names(in: folder.path).contains { $0.contains("draft") })
    }

    @Test func `is copied by a tool, too, where no server runs`() async throws {
        let folder = TemporaryFolder()
        _ = try makeStore(folder, at: 30)
        let tool = try await folder.openTool()
        await tool.close()
        #expect(try version(of: "\(folder.database)-schema-30") == 30)
        #expect(try version(of: folder.database) == Int64(Schema.steps.count))
    }

    @Test func `has one copy, however often a start fails`() async throws {
        let folder = TemporaryFolder()
        let path = try makeStore(folder, at: 30)
        for second in 0..<3 as Range<Int64> {
            await #expect(throws: RepositoryError.wrongMasterKey) {
                try await folder.open(key: 1, now: Sample.now + second)
            }
            #expect(try version(of: path) == 30)
        }
        let store = try await folder.open()
        #expect(store.update?.from == 30)
        await store.close()
        let copies = TemporaryFolder.names(in: folder.path).filter { $0.contains("-schema-") }
        #expect(copies == ["gatehouse.db-schema-30"])
    }

    @Test func `is left alone where it can't be copied`() async throws {
        let folder = TemporaryFolder()
        // With what a copy's name has more, it is longer than a name may be.
        let name = String(repeating: "n", count: 240)
        let path = try makeStore(folder, at: 30, name: name)
        let error = await #expect(throws: RepositoryError.self) { try await folder.open { $0.path = path } }
        guard case .notOpened(.noEarlierCopy) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try version(of: path) == 30)
        let store = try await folder.open {
            $0.path = path
            $0.copiesBeforeUpdate = false
        }
        #expect(store.update?.from == 30 && store.update?.copy == nil)
        await store.close()
    }

    @Test func `a backup is judged for what it is, and the store beside it goes on`() async throws {
        let folder = TemporaryFolder()
        let store = try await folder.open()
        for number in 1...300 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(number)"))) }
        let backup = folder.path + "/backup.db"
        try await store.backup(to: backup)
        let settings = SQLiteSettings(path: folder.database, access: .insteadOfServer, tables: .own)
        func judge(_ file: String, key: UInt8 = 0x5A) async throws -> BackupJudgement {
            try await SQLiteAccounts.judge(
                backup: file, for: settings, unlockKeyRing: TransparentSealer.unlocker(key: key))
        }
        #expect(
            try await judge(backup) == BackupJudgement(schema: Schema.steps.count, users: 300, findings: []))
        await #expect(throws: RestoreError.backup(.wrongMasterKey)) { try await judge(backup, key: 1) }
        await #expect(throws: RestoreError.backup(.notOpened(.noStore))) { try await judge(folder.path + "/none") }
        let damaged = folder.path + "/damaged.db"
        try write([UInt8](repeating: 0x41, count: 8192), to: damaged)
        await #expect(throws: RestoreError.backup(.unavailable(.notADatabase))) { try await judge(damaged) }
        _ = try await store.signedIn(Sample.signIn(Sample.subject("another")))
        await store.close()
    }
}
