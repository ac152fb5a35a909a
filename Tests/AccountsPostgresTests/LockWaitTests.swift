import Accounts
import AccountsSQL
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `A row that somebody has locked` {
    private static let waiting = Statement(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """)

    private static let session = Sample.session()

    /// Holds a row of somebody's, has many do something with it, and meanwhile others something of their own.
    private func held(
        _ row: String, crowd: @escaping @Sendable (PostgresAccounts, UserID, Int) async throws -> Void
    ) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                let user = try await store.signedIn(Sample.signIn(Sample.subject("hot"), session: Self.session)).user
                try await withPool(at: address) { witness in
                    let crowd = try await witness.transaction(timeout: .patience) {
                        transaction throws(PostgresError) in
                        _ = try await transaction.query(.once(row))
                        let crowd = (0..<16).map { number in Task { try await crowd(store, user, number) } }
                        let end = ContinuousClock.now + .patience
                        while try await witness.query(Self.waiting, timeout: .patience)[0].integer(0) == 0,
                            ContinuousClock.now < end
                        {}
                        for number in 0..<32 {
                            let other = Sample.signIn(Sample.subject("other-\(number)"))
                            let signIn = Task { try await store.signedIn(other) }
                            let outcome = await signIn.result
                            #expect(throws: Never.self) { try outcome.get() }
                        }
                        let waiting = try await witness.query(Self.waiting, timeout: .patience)[0].integer(0)
                        #expect(waiting <= 2, "the others wait for their turn")
                        return crowd
                    }
                    for task in crowd {
                        let outcome = await task.result
                        #expect(throws: Never.self) { try outcome.get() }
                    }
                }
            }
        }
    }

    @Test func `keeps its own sign-ins waiting, and nobody else's`() async throws {
        try await held("SELECT id FROM identities FOR UPDATE") { store, _, _ in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("hot")))
        }
    }

    @Test func `keeps its own sign-outs waiting, and nobody else's sign-in`() async throws {
        try await held("SELECT id FROM sessions FOR UPDATE") { store, user, _ in
            _ = try await store.endSession(Self.session.id, of: user, now: Sample.now)
        }
    }

    @Test func `keeps what ends its sessions waiting, and nobody else's sign-in`() async throws {
        try await held("SELECT id FROM sessions FOR UPDATE") { store, user, _ in
            _ = try await store.revokeSessions(of: user, except: nil, now: Sample.now)
        }
    }

    @Test func `keeps its own erasure waiting, and nobody else's sign-in`() async throws {
        try await held("SELECT id FROM users FOR UPDATE") { store, user, number in
            guard number == 0 else { return }
            let now = Sample.now
            _ = try await store.erase(user, now: now)
        }
    }
}
