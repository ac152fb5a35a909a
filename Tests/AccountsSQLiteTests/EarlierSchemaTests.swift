import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A store of the second version` {
    let folder = TemporaryFolder()
    private static let jane = UserID(rawValue: 1)

    private func makeStore(_ rows: String) throws {
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        for step in Schema.steps.prefix(2) { try connection.execute(step) }
        try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 2;")
        try connection.execute("INSERT INTO key_ring (number, sealed_key, created) VALUES (1, x'010203', 1)")
        try connection.run(
            Query("INSERT INTO users (id, reference, profile, created, updated) VALUES (1, 'abc', ?, 5, 5)"),
            try TransparentSealer().seal(Profile(carrier: Sample.jane).encoded, for: .profile(of: Self.jane)))
        try connection.execute(rows)
    }

    private func identity(_ id: Int, _ provider: String, linked: Int64 = Sample.now - 900) -> String {
        """
        INSERT INTO identities (id, user_id, provider, issuer, subject, origin, linked, last_sign_in)
        VALUES (\(id), 1, '\(provider)', '\(Sample.issuer)', '\(id)', 'sign-in', \(linked), \(linked));
        """
    }

    private func session(
        _ id: UInt64, _ provider: String, created: Int64 = Sample.now - 600, authTime: String = "NULL"
    ) -> String {
        let key = SessionID(high: 0, low: id).description
        return """
            INSERT INTO sessions (id, user_id, family, refresh_hash, expires, created, auth_time, amr, provider, client)
            VALUES (x'\(key)', 1, x'\(key)', zeroblob(32), \(Sample.now + 60), \(created), \(authTime), '',
                '\(provider)', 'app');
            """
    }

    /// The sessions by the low half of their names, each with its identity.
    private func sessions(_ store: SQLiteAccounts) async throws -> [UInt64: Int64?] {
        let live = try await store.sessions(of: Self.jane, now: Sample.now)
        return Dictionary(uniqueKeysWithValues: live.map { ($0.id.low, $0.identity?.rawValue) })
    }

    @Test func `keeps its sessions, and knows their identity where there is only one it can be`() async throws {
        try makeStore(
            [
                identity(1, "zenkey"), identity(2, "zenkey"), identity(3, "plain"),
                identity(4, "later", linked: Sample.now - 5),
                session(1, "zenkey"), session(2, "plain"), session(3, "renamed"), session(4, "later"),
            ].joined())
        let store = try await folder.open()
        #expect(try await sessions(store) == [1: nil, 2: 3, 3: nil, 4: nil])
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test func `says once, when it is opened, from which version it was brought along`() async throws {
        try makeStore("")
        let first = try await folder.open()
        #expect(first.update?.from == 2 && first.update?.to == Schema.steps.count)
        await first.close()
        let second = try await folder.open()
        #expect(second.update == nil)
        await second.close()
        let fresh = TemporaryFolder()
        let new = try await fresh.open()
        #expect(new.update == nil)
        await new.close()
    }

    @Test
    func
        `a store of the second version is brought up to date with temporary files instead of memory, and used with memory`()
        async throws
    {
        try makeStore("")
        let mode = Query("PRAGMA temp_store")
        let settings = SQLiteSettings(path: folder.database, access: .server, tables: .own)
        #expect(try SQLiteConnection.writer(settings).first(mode) { $0.integer(0) } == 1)
        let store = try await folder.open()
        let memory: Int64? = try await store.writer.between { connection throws(RepositoryError) in
            try connection.first(mode) { $0.integer(0) }
        }
        #expect(memory == 2)
        await store.close()
    }

    @Test func `keeps when its sessions' users authenticated, where their provider told that`() async throws {
        try makeStore(
            [
                identity(1, "zenkey"), session(1, "zenkey"), session(2, "zenkey", authTime: "\(Sample.now - 700)"),
                session(3, "zenkey", authTime: "\(Sample.now + 700)"),
            ].joined())
        let store = try await folder.open()
        let live = try await store.sessions(of: Self.jane, now: Sample.now)
        #expect(live.map(\.authenticatedAt) == [Session.neverAuthenticated, Sample.now - 700, Sample.now - 600])
        #expect(live.map(\.challengedAt) == [nil, nil, nil])
        await store.close()
    }

    @Test func `makes its users findable step by step, going on after a restart`() async throws {
        let others = (2...7).map {
            """
            INSERT INTO users (id, reference, profile, created, updated) VALUES (\($0), 'r\($0)', zeroblob(9), 5, 5);
            """
        }
        try makeStore(identity(1, "zenkey") + others.joined())
        let first = try await folder.open()
        var search = try await first.users(with: .email, "jane@example.com", limit: 10)
        #expect(search.matches.isEmpty && !search.isComplete)
        #expect(try await first.indexContacts(limit: 3) == 3)
        await first.close()
        let second = try await folder.open()
        #expect(try await !second.users(with: .email, "x@example.com", limit: 10).isComplete)
        #expect(try await second.indexContacts(limit: 3) == 3)
        #expect(try await second.indexContacts(limit: 3) == 1)
        #expect(try await second.indexContacts(limit: 3) == 0)
        search = try await second.users(with: .email, "jane@example.com", limit: 10)
        #expect(search.matches.map(\.user.id) == [Self.jane])
        // Whose word it is was not kept then.
        #expect(search.matches.first?.givers == [.provider(nil, isVerified: false)])
        #expect(search.isComplete)
        let subject = Sample.subject("1")
        _ = try await second.signIn(Sample.signIn(subject))
        search = try await second.users(with: .email, "jane@example.com", limit: 10)
        #expect(search.matches.first?.givers == [.provider("zenkey", isVerified: false)])
        await second.close()
    }

    @Test func `ends its sessions of unknown identity with an identity that may be theirs`() async throws {
        try makeStore(
            [
                identity(1, "zenkey"), identity(2, "zenkey"), identity(3, "plain"),
                session(1, "zenkey"), session(2, "plain", authTime: "\(Sample.now - 600)"), session(3, "renamed"),
            ].joined())
        let store = try await folder.open()
        let identity = IdentityID(rawValue: 2)
        let outcome = try await store.unlinked(
            identity, under: SessionID(high: 0, low: 2), demands: Sample.demands, now: Sample.now)
        #expect(outcome == .unlinked)
        #expect(try await sessions(store) == [2: 3])
        await store.close()
    }
}
