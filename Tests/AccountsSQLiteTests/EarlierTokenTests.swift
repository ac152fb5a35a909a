import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// Sessions as the fifth version of the schema has left them: their refresh tokens are random, and known by their
/// hashes.
@Suite struct `A store of the fifth version` {
    let folder = TemporaryFolder()
    private static let jane = UserID(rawValue: 1)
    private let session = SessionID(high: 1, low: 1)
    private let current = Sample.hash()
    private let previous = Sample.hash()
    private let oldest = Sample.hash()

    /// - Parameter rotatedAt: when the current token took the place of the one before; nil: there is only one.
    private func makeStore(rotatedAt: Int64? = nil) throws {
        try write([], to: folder.database)
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        for step in Schema.steps.prefix(5) { try connection.execute(step) }
        try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 5;")
        try connection.execute("INSERT INTO key_ring (number, sealed_key, created) VALUES (1, x'010203', 1)")
        try connection.run(
            Query("INSERT INTO users (id, reference, profile, created, updated) VALUES (1, 'abc', ?, 5, 5)"),
            try TransparentSealer().seal(Profile(carrier: Sample.jane).encoded, for: .profile(of: Self.jane)))
        try connection.run(
            Query(
                """
                INSERT INTO sessions (id, user_id, family, refresh_hash, previous_hash, next_wrapped, rotated, expires,
                    created, amr, provider, client, authenticated)
                VALUES (?1, 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, '', 'zenkey', 'app', ?7)
                """),
            session, current, rotatedAt.map { _ in previous }, rotatedAt.map { _ in [7, 8, 9] as [UInt8] }, rotatedAt,
            Sample.now + 5000, Sample.now - 600)
        guard rotatedAt != nil else { return }
        for hash in [previous, oldest] {
            try connection.run(
                Query("INSERT INTO retired_refresh_tokens (session_id, hash, expires) VALUES (?, ?, ?)"), session, hash,
                Sample.now + 5000)
        }
    }

    private func refresh(
        _ store: SQLiteAccounts, _ token: PresentedRefreshToken, now: Int64 = Sample.now
    ) async throws -> RefreshOutcome {
        try await store.refresh(Sample.refresh(session, presenting: token, now: now))
    }

    private func signed(_ generation: Int64) -> PresentedRefreshToken {
        .signed(generation: generation, user: Self.jane)
    }

    private func count(_ sql: String, _ store: SQLiteAccounts) async throws -> Int64 {
        try await store.readers.read { connection throws(RepositoryError) in
            try connection.first(Query(sql)) { $0.integer(0) } ?? 0
        }
    }

    @Test func `keeps its sessions, whose token works once and gives the first generation`() async throws {
        try makeStore()
        let store = try await folder.open()
        #expect(try await store.session(session, now: Sample.now)?.generation == 0)
        #expect(try await refresh(store, signed(1)) == .refused)
        guard case .rotated(let rotated) = try await refresh(store, .earlier(current)) else {
            Issue.record("not rotated")
            return
        }
        #expect(rotated.generation == Session.firstGeneration && rotated.user == Self.jane)
        #expect(try await store.session(session, now: Sample.now) == rotated)
        // A client that lost that answer gets it again.
        #expect(try await refresh(store, .earlier(current), now: Sample.now + 10) == .repeated(rotated))
        guard case .rotated(let next) = try await refresh(store, signed(1), now: Sample.now + 11) else {
            Issue.record("the first generation does not work")
            return
        }
        #expect(next.generation == 2)
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test(arguments: [false, true])
    func `knows the last token of its form for reuse afterwards`(isPresented: Bool) async throws {
        try makeStore()
        let store = try await folder.open()
        _ = try await refresh(store, .earlier(current))
        if isPresented { _ = try await refresh(store, signed(1)) }
        let later = isPresented ? Sample.now + 1 : Sample.now + 11
        #expect(try await refresh(store, .earlier(current), now: later) == .reused(Self.jane))
        #expect(try await store.session(session, now: Sample.now) == nil)
        await store.close()
    }

    @Test func `gives an answer again that was lost just before the update`() async throws {
        try makeStore(rotatedAt: Sample.now - 5)
        let store = try await folder.open()
        guard case .repeatedEarlier(let repeated, let wrapped) = try await refresh(store, .earlier(previous)) else {
            Issue.record("not repeated")
            return
        }
        #expect(repeated.generation == 0 && wrapped == [7, 8, 9])
        #expect(try await store.auditEvents(after: 0, limit: 9).map(\.kind) == [.refreshAnswerRepeated])
        guard case .rotated = try await refresh(store, .earlier(current)) else {
            Issue.record("not rotated")
            return
        }
        await store.close()
    }

    @Test(arguments: [0, 1, 2])
    func `knows for reuse what it had replaced, before and after the first generation`(rotations: Int64) async throws {
        for isOldest in [true, false] {
            let other = `A store of the fifth version`()
            try other.makeStore(rotatedAt: Sample.now - 500)
            let store = try await other.folder.open()
            if rotations > 0 { _ = try await other.refresh(store, .earlier(other.current)) }
            if rotations > 1 { _ = try await other.refresh(store, other.signed(1)) }
            let reused = isOldest ? other.oldest : other.previous
            #expect(try await other.refresh(store, .earlier(reused)) == .reused(Self.jane))
            #expect(try await store.session(other.session, now: Sample.now) == nil)
            await store.close()
        }
    }

    @Test func `loses with the first rotation what it kept of the earlier form, but the last hash`() async throws {
        try makeStore(rotatedAt: Sample.now - 500)
        let store = try await folder.open()
        _ = try await refresh(store, .earlier(current))
        let kept = "SELECT length(refresh_hash) + (next_wrapped IS NOT NULL) FROM sessions"
        #expect(try await count(kept, store) == 0)
        #expect(try await count("SELECT previous_hash = x'\(hexadecimal(current))' FROM sessions", store) == 1)
        await store.close()
    }

    @Test func `retires nothing more, and sweeps what was retired until nothing is left`() async throws {
        let retired = "SELECT count(*) FROM retired_refresh_tokens"
        try makeStore(rotatedAt: Sample.now - 500)
        let store = try await folder.open()
        _ = try await refresh(store, .earlier(current))
        for generation in 1...50 as ClosedRange<Int64> { _ = try await refresh(store, signed(generation)) }
        #expect(try await count(retired, store) == 2)
        #expect(try await store.sweepExpired(now: Sample.now + 5000, limit: 100) == 2)
        #expect(try await count(retired, store) == 0)
        #expect(try await store.session(session, now: Sample.now + 5000)?.generation == 51)
        await store.close()
    }

    @Test func `ends a session by each of its tokens, of either form`() async throws {
        for number in 0..<4 {
            let other = `A store of the fifth version`()
            try other.makeStore(rotatedAt: Sample.now - 500)
            let store = try await other.folder.open()
            if number == 3 { _ = try await other.refresh(store, .earlier(other.current)) }
            let token: PresentedRefreshToken =
                number == 3
                ? other.signed(1) : .earlier([other.current, other.previous, other.oldest][number])
            #expect(
                try await !store.revokeSession(
                    other.session, presenting: .earlier(Sample.hash()), now: Sample.now))
            #expect(try await store.revokeSession(other.session, presenting: token, now: Sample.now))
            #expect(try await store.session(other.session, now: Sample.now) == nil)
            await store.close()
        }
    }

    @Test func `a store of the fifth version is of the present version once it was opened, which others refuse`()
        async throws
    {
        try makeStore()
        await (try await folder.open()).close()
        let connection = try SQLiteConnection(path: folder.database, isWritable: false)
        let version = try connection.first(Query("PRAGMA user_version")) { $0.integer(0) }
        #expect(version == Int64(Schema.steps.count))
    }
}

@Suite struct `A session that is refreshed` {
    let folder = TemporaryFolder()

    @Test func `makes no row and none longer, however often`() async throws {
        let store = try await folder.open()
        let session = Sample.session()
        let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
        func sizes() async throws -> [String: Int64] {
            try await store.readers.read { connection throws(RepositoryError) in
                let tables = try connection.all(
                    Query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
                ) { $0.text(0) }
                var sizes: [String: Int64] = [:]
                for table in tables {
                    sizes[table] = try connection.first(Query("SELECT count(*) FROM \(table)")) { $0.integer(0) }
                }
                sizes["next_wrapped, hashes"] = try connection.first(
                    Query(
                        "SELECT total(length(refresh_hash)) + count(previous_hash) + count(next_wrapped) FROM sessions")
                ) { $0.integer(0) }
                return sizes
            }
        }
        let before = try await sizes()
        for generation in 1...200 as ClosedRange<Int64> {
            let now = Sample.now + generation * 86_400
            let record = Sample.refresh(session.id, generation, of: user, expiresAt: now + 2_592_000, now: now - 1)
            guard case .rotated = try await store.refresh(record) else {
                Issue.record("not rotated")
                return
            }
        }
        #expect(try await sizes() == before)
        #expect(before["sessions"] == 1 && before["next_wrapped, hashes"] == 0)
        await store.close()
    }
}

private func hexadecimal(_ hash: TokenHash) -> String {
    hash.bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
