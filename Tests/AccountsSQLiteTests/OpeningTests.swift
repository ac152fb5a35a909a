import Accounts
import Glibc
import Patience
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `Opening a store` {
    let folder = TemporaryFolder()

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }

    @Test func `makes missing folders and files for the owner alone`() async throws {
        let inner = folder.path + "/inner"
        let store = try await folder.open { $0.path = inner + "/users.db" }
        try await store.probe(now: Sample.now)
        #expect(mode(inner) == 0o700)
        for name in TemporaryFolder.names(in: inner) { #expect(mode(inner + "/" + name) & 0o077 == 0) }
        #expect(TemporaryFolder.names(in: inner).contains("users.db-wal"))
        await store.close()
        for name in TemporaryFolder.names(in: inner) { unsafe unlink(inner + "/" + name) }
        unsafe rmdir(inner)
    }

    @Test func `refuses a second server, and takes it once the first has closed`() async throws {
        let first = try await folder.open()
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.open() }
        _ = try await first.signedIn(Sample.signIn(Sample.subject("1")))
        await first.close()
        let second = try await folder.open()
        #expect(try await second.isKnown(Sample.subject("1")))
        await second.close()
    }

    @Test func `refuses a second server that comes by a symbolic link`() async throws {
        let first = try await folder.open()
        let link = folder.path + "/link.db"
        #expect(unsafe symlink(folder.database, link) == 0)
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.open { $0.path = link } }
        await first.close()
        let second = try await folder.open { $0.path = link }
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.open() }
        await second.close()
    }

    /// It would have a log of its own beside that name, and neither would know of the other's.
    @Test func `refuses a second server that comes by a hard link`() async throws {
        let first = try await folder.open()
        let link = folder.path + "/hard.db"
        #expect(unsafe Glibc.link(folder.database, link) == 0)
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.open { $0.path = link } }
        await first.close()
        let second = try await folder.open { $0.path = link }
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.open() }
        await second.close()
    }

    @Test func `refuses a second server even when the first was dropped without closing, until it is gone`()
        async throws
    {
        var first: SQLiteAccounts? = try await folder.open()
        await #expect(throws: RepositoryError.notOpened(.inUse)) { try await folder.open() }
        try await first?.probe(now: Sample.now)
        first = nil
        // The writer's queue may hold the last reference for a moment.
        var second: SQLiteAccounts?
        try await eventually("a store that is not in use") {
            do throws(RepositoryError) { second = try await folder.open() } catch {
                #expect(error == .notOpened(.inUse))
            }
            return second != nil
        }
        await second?.close()
    }

    @Test func `lets a tool in beside the server`() async throws {
        let server = try await folder.open()
        let user = try await server.signedIn(Sample.signIn(Sample.subject("1"))).user
        let tool = try await folder.openTool()
        #expect(try await tool.user(user) != nil)
        await tool.close()
        _ = try await server.signedIn(Sample.signIn(Sample.subject("1")))
        await server.close()
    }

    @Test func `refuses a store that a later version made, and leaves it as it is`() async throws {
        let store = try await folder.open()
        await store.close()
        let later = Int64(Schema.steps.count + 1)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        try connection.execute("PRAGMA user_version = \(later)")
        let known = Int64(Schema.steps.count)
        await #expect(throws: RepositoryError.notOpened(.newerSchema(found: later, known: known))) {
            try await folder.open()
        }
    }

    @Test func `brings a store of the first version along with its users`() async throws {
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        try connection.execute(Schema.steps[0])
        try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1;")
        let sealer = TransparentSealer()
        let jane = UserID(rawValue: 1)
        try connection.execute("INSERT INTO key_ring (number, sealed_key, created) VALUES (1, x'010203', 1)")
        try connection.run(
            Query("INSERT INTO users (id, reference, profile, created, updated) VALUES (1, 'abc', ?, 5, 6)"),
            try sealer.seal(Profile(Sample.said).encoded, for: .profile(of: jane)))
        let subject = Sample.subject("1")
        try connection.run(
            Query(
                """
                INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
                VALUES (1, 'zenkey', ?, ?, 'sign-in', 5, 6)
                """), subject.issuer, subject.value)
        let store = try await folder.open()
        #expect(try await store.user(jane)?.profile == Profile(Sample.said))
        #expect(try await store.signedIn(Sample.signIn(subject)).user == jane)
        #expect(try await store.check().isEmpty)
        #expect(try await store.erase(jane, now: Sample.now))
        await store.close()
        #expect(try connection.first(Query("PRAGMA user_version")) { $0.integer(0) } == Int64(Schema.steps.count))
    }

    @Test(arguments: [false, true])
    func `keeps the signing keys of the second version, for good where they have signed receipts`(
        hasReceipt: Bool
    ) async throws {
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        for step in Schema.steps.prefix(2) { try connection.execute(step) }
        try connection.execute(
            """
            PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 2;
            INSERT INTO key_ring (number, sealed_key, created) VALUES (1, x'010203', 1);
            """)
        let context = SealContext(table: "signing_keys", column: "private_key", row: Array("old".utf8))
        try connection.run(
            Query("INSERT INTO signing_keys (kid, private_key, created, signs_from) VALUES ('old', ?, 5, 6)"),
            try TransparentSealer().seal([1, 2], for: context))
        if hasReceipt {
            try connection.execute(
                """
                INSERT INTO users (id, reference, profile, created, updated) VALUES (1, 'abc', x'00', 5, 6);
                INSERT INTO receipts (id, user_id, session_id, context_hash, provider, client, created)
                    VALUES ('r', 1, zeroblob(16), zeroblob(32), 'zenkey', 'ccid', 7);
                """)
        }
        let store = try await folder.open()
        let key = try #require(try await store.signingKeys().first)
        #expect(key.kid == "old")
        #expect(key.privateKey == [1, 2])
        #expect(key.entry.purpose == .session)
        #expect(key.entry.signsFrom == 6)
        #expect(key.entry.isLasting == hasReceipt)
        let receipts = try await store.receipts(of: UserID(rawValue: 1))
        #expect(receipts.map(\.nonce) == (hasReceipt ? [nil] : []))
        #expect(receipts.allSatisfy { $0.authentication.amr.isEmpty })
        await store.close()
    }

    @Test func `refuses another program's database, and leaves it as it is`() async throws {
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        try connection.execute("CREATE TABLE theirs (x)")
        await #expect(throws: RepositoryError.unavailable(.notADatabase)) { try await folder.open() }
        #expect(try connection.first(Query("PRAGMA journal_mode")) { $0.text(0) } == "delete")
    }

    @Test func `refuses a file that is no database`() async throws {
        try write([UInt8](repeating: 0x41, count: 8192), to: folder.database)
        await #expect(throws: RepositoryError.unavailable(.notADatabase)) { try await folder.open() }
    }

    @Test func `refuses another master key, and opens again with the right one`() async throws {
        let store = try await folder.open(key: 1)
        try await store.addSigningKey(SigningKey(kid: "a", purpose: .session, privateKey: [1], createdAt: 1))
        await store.close()
        await #expect(throws: RepositoryError.wrongMasterKey) { try await folder.open(key: 2) }
        let again = try await folder.open(key: 1)
        #expect(try await again.signingKeys().map(\.privateKey) == [[1]])
        await again.close()
    }

    @Test func `refuses a key ring that can't be unlocked`() async throws {
        let settings = SQLiteSettings(path: folder.database, access: .server, tables: .own)
        await #expect(throws: RepositoryError.wrongMasterKey) {
            try await SQLiteAccounts.open(settings, now: Sample.now) { _ throws(SealingError) in
                throw .notAuthentic
            }
        }
    }

    @Test func `hands the stored key ring over to be unlocked`() async throws {
        let store = try await folder.open()
        let ring = try await store.keyRing()
        #expect(ring == [KeyRingEntry(number: 1, sealedKey: [1, 2, 3], createdAt: 1)])
        await store.close()
        let settings = SQLiteSettings(path: folder.database, access: .server, tables: .own)
        let again = try await SQLiteAccounts.open(settings, now: Sample.now) { stored throws(SealingError) in
            guard stored == ring else { throw .unknownKey }
            return UnlockedKeyRing(sealer: TransparentSealer(), added: [])
        }
        await again.close()
    }

    @Test func `says that the place can't be opened`() async throws {
        await #expect(throws: RepositoryError.unavailable(.cannotOpen)) {
            try await folder.open { $0.path = "/proc/gatehouse/users.db" }
        }
    }
}
