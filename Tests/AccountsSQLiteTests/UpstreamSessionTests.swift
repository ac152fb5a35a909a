import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// The provider's sessions beside ours, as they lie on disk.
@Suite struct `What is kept of a provider's session` {
    let folder = TemporaryFolder()

    private func texts(_ sql: String, column: Int32 = 0) throws -> [String] {
        let connection = try SQLiteConnection(path: folder.database, isWritable: true)
        return try connection.all(Query(sql)) { $0.text(column) }
    }

    @Test func `a store of the eighth version keeps its sessions, which end by their user and by no session`()
        async throws
    {
        try folder.makeStore(ofVersion: 8, sessionBy: 1)
        let store = try await folder.open()
        #expect(store.update?.from == 8 && store.update?.to == Schema.steps.count)
        #expect(try await store.check().isEmpty)
        let user = UserID(rawValue: 1)
        #expect(try await store.endSessions(.session(Sample.hash(), of: nil), now: Sample.now) == 0)
        #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
        #expect(try await store.endSessions(.subject(Sample.subject("1")), now: Sample.now) == 1)
        #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
        await store.close()
    }

    @Test func `sign-ins at providers that name no session write nothing into its indexes`() async throws {
        let store = try await folder.open()
        func pages(_ index: String) throws -> [String] {
            try texts("SELECT rootpage FROM sqlite_schema WHERE name = '\(index)' AND sql LIKE '%IS NOT NULL'")
        }
        let size = Query(
            "SELECT count(*) FROM sessions INDEXED BY sessions_upstream_sid WHERE upstream_sid IS NOT NULL")
        func indexed() async throws -> Int64? {
            try await store.readers.read { connection throws(RepositoryError) in
                try connection.first(size) { $0.integer(0) }
            }
        }
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        #expect(try await indexed() == 0)
        var record = Sample.signIn(Sample.subject("1"))
        record.draft.session.upstreamSession = Sample.hash()
        _ = try await store.signedIn(record)
        #expect(try await indexed() == 1)
        #expect(try pages("sessions_upstream_sid").count == 1)
        #expect(try pages("tickets_upstream_sid").count == 1)
        await store.close()
    }

    @Test func `a logout finds what it ends by an index, and walks through nothing`() async throws {
        let store = try await folder.open()
        await store.close()
        for (query, index) in [
            (ProviderLogoutRows.sessions, "sessions_upstream_sid"),
            (ProviderLogoutRows.ticketsOfSession, "tickets_upstream_sid"),
        ] {
            let plan = try QueryPlan(of: query, in: folder.database)
            #expect(plan.uses(index), "\(plan)")
        }
    }

    @Test func `nothing is left of it when its session is swept`() async throws {
        let store = try await folder.open()
        var record = Sample.signIn(Sample.subject("1"))
        record.draft.session.upstreamSession = Sample.hash()
        _ = try await store.signedIn(record)
        #expect(try await store.sweepExpired(now: record.session.expiresAt, limit: 100) > 0)
        #expect(try await store.check().isEmpty)
        await store.close()
        #expect(try texts("SELECT count(*) FROM sessions WHERE upstream_sid IS NOT NULL") == ["0"])
    }
}
