import Accounts
import AccountsSQL
import EventLoop
import Patience
import Postgres
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `A server in trouble` {
    private static let sessions = Statement(
        """
        SELECT pid::int8 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """)
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private static let terminate = Statement("SELECT pg_terminate_backend($1::int8::int4)")

    @Test func `makes the store unavailable, and it comes back with the server, having lost nothing`() async throws {
        let server = try PostgresServer()
        let address = server.address + " dbname=postgres"
        try await withStore(at: address, statementTimeout: .seconds(10)) { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            try server.stop()
            // Both at once, for each waits as long as it may.
            async let lookup = Result { try await store.session(session.id, now: Sample.now) }
            async let erasure = Result { try await store.erase(user, now: Sample.now) }
            for failure in [await lookup.failure, await erasure.failure] {
                guard case .unavailable? = failure as? RepositoryError else {
                    Issue.record("\(String(describing: failure))")
                    continue
                }
            }
            try server.start()
            var found: Session?
            let end = ContinuousClock.now + .patience
            while found == nil, ContinuousClock.now < end {
                found = try? await store.session(session.id, now: Sample.now)
            }
            #expect(found?.user == user)
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("1"))).user == user)
        }
    }

    @Test func `costs a request no more time than it has for all that it asks`() async throws {
        let server = try PostgresServer()
        let address = server.address + " dbname=postgres"
        try await withStore(at: address, statementTimeout: .seconds(20), requestTimeout: .seconds(1)) { store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            try server.stop()
            let request = AuditContext(AuditOrigin(actor: .user, request: "request-1"))
            let start = ContinuousClock.now
            for _ in 0..<5 {
                await #expect(throws: RepositoryError.self) {
                    try await AuditContext.$current.withValue(request) {
                        try await store.session(session.id, now: Sample.now)
                    }
                }
            }
            #expect(ContinuousClock.now - start < .seconds(20), "each would have had as long")
            #expect(request.storeNanoseconds >= 1_000_000_000)
            // What nobody waits for has its own time, and so has the next request.
            try server.start()
            #expect(try await store.session(session.id, now: Sample.now) != nil)
            let next = AuditContext(AuditOrigin(actor: .user, request: "request-2"))
            let found = try await AuditContext.$current.withValue(next) {
                try await store.session(session.id, now: Sample.now)
            }
            #expect(found != nil)
        }
    }

    /// A sign-in waits for a row that another session has locked, and loses its connection there.
    @Test
    func `that ends a session in the middle of a sign-in has not signed anybody in, and the answer does not say so`()
        async throws
    {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                let subject = Sample.subject("1")
                let user = try await store.signedIn(Sample.signIn(subject)).user
                let session = Sample.session()
                try await withPool(at: address) { witness in
                    let outcome = try await witness.transaction(timeout: .patience) {
                        transaction throws(PostgresError) in
                        _ = try await transaction.query(.once("SELECT id FROM identities FOR UPDATE"))
                        let signIn = Task { try await store.signIn(Sample.signIn(subject, session: session)) }
                        let over = Flag()
                        Task {
                            _ = await signIn.result
                            over.isSet.store(true, ordering: .relaxed)
                        }
                        let end = ContinuousClock.now + .patience
                        // It waits on two connections, one after the other.
                        while !over.isSet.load(ordering: .relaxed), ContinuousClock.now < end {
                            for row in try await witness.query(Self.sessions, timeout: .patience) {
                                _ = try await witness.query(
                                    Self.terminate, .integer(try row.integer(0)), timeout: .patience)
                            }
                        }
                        return await signIn.result
                    }
                    #expect(throws: RepositoryError.unavailable(.uncertain)) { try outcome.get() }
                }
                #expect(try await store.session(session.id, now: Sample.now) == nil)
                #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
            }
        }
    }
}

/// Of a sign-in whose commit was not answered its session tells what became of it.
@Suite struct `A sign-in without an answer` {
    @Test func `tells new from known and moved, also of others within the same second`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                let new = Sample.signIn(Sample.subject("1"))
                let known = Sample.signIn(Sample.subject("1"))
                let moved = Sample.signIn(Sample.subject("2"), ported: [Sample.ported(Sample.subject("1"))])
                let after = Sample.signIn(Sample.subject("2"))
                let never = Sample.signIn(Sample.subject("2"))
                #expect(try await store.signedIn(new).isNewUser)
                #expect(try await !store.signedIn(known).isNewUser)
                #expect(try await store.outcome(of: new)?.isNewUser == true)
                #expect(try await store.outcome(of: known)?.isNewUser == false)
                #expect(try await store.signedIn(moved).migrated)
                let user = try await store.signedIn(after).user
                for (record, migrated) in [(moved, true), (after, false)] {
                    let found = try await store.outcome(of: record)
                    #expect(found?.user == user && found?.isNewUser == false && found?.migrated == migrated)
                }
                #expect(try await store.outcome(of: never) == nil)
            }
        }
    }
}

@Suite struct `What the driver says` {
    @Test func `tells who found no connection in time that there is none, and nobody that too many wait`() {
        #expect(RepositoryError(.timedOut(.notSent)) == .unavailable(.cannotConnect(.timedOut)))
        #expect(RepositoryError(.lost(.notSent, .adminShutdown)) == .unavailable(.cannotConnect(.lost)))
        #expect(RepositoryError(.overloaded) == .unavailable(.overloaded))
    }

    @Test
    func `leaves open what became of a commit without an answer, and says that what the server ended was not done`() {
        #expect(RepositoryError(.timedOut(.unknown)) == .unavailable(.uncertain))
        #expect(RepositoryError(.lost(.unknown, nil)) == .unavailable(.uncertain))
        #expect(RepositoryError(.refused(.canceled)) == .unavailable(.locked))
    }

    /// Who is woken at three reads this sentence and no other.
    @Test func `says of each cause what it is, and what to do about it`() {
        let causes: [(PostgresError, String)] = [
            (.notConnected(.nameNotFound), "host of storage.url"), (.notConnected(.nobodyThere), "start it"),
            (.notConnected(.refused(.other("28P01"))), "correct storage.password"),
            (.notConnected(.refused(.other("28000"))), "pg_hba.conf"),
            (.notConnected(.refused(.other("3D000"))), "make it"), (.notConnected(.tlsFailed), "sslmode"),
            (.notConnected(.passwordMissing), "storage.passwordFile"), (.notConnected(.otherRole), "the primary"),
            (.notConnected(.timedOut), "storage.connectSeconds"),
            (.notConnected(.refused(.tooManyConnections)), "max_connections"),
            (.refused(.other("42501")), "GRANT"), (.refused(.diskFull), "the disk is full"),
        ]
        var sentences: Set<String> = []
        for (error, remedy) in causes {
            guard case .unavailable(let reason) = RepositoryError(error) else {
                Issue.record("\(error)")
                continue
            }
            #expect("\(reason)".contains(remedy), "\(reason)")
            sentences.insert("\(reason)")
        }
        #expect(sentences.count == causes.count)
    }
}

@Suite struct `The audit trail of several instances` {
    private static let begin = Statement("SELECT pg_current_xact_id()::text")
    private static let add = Statement(
        "INSERT INTO audit (at, event, user_id) VALUES ($1, 'user_created', 7)")

    @Test(.enabled(if: Dialect.tested == .postgresql, "others go by time: A distributed engine"))
    func `passes over no event whose transaction ends late`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
                let first = try #require(try await store.auditEvents(after: 0, limit: 10).last)
                try await withPool(at: address) { other in
                    let page = try await other.transaction(timeout: .patience) {
                        transaction throws(PostgresError) -> Int? in
                        // Its number comes first, and its end last.
                        _ = try await transaction.query(Self.add, 1)
                        _ = try? await store.signedIn(Sample.signIn(Sample.subject("2")))
                        return try? await store.auditEvents(after: first.id, limit: 10).count
                    }
                    #expect(page == 0, "the later number is withheld while the earlier one may still come")
                }
                let events = try await store.auditEvents(after: first.id, limit: 1)
                #expect(events.map(\.user?.rawValue) == [7])
                let rest = try await store.auditEvents(after: try #require(events.last).id, limit: 10)
                #expect(rest.map(\.kind) == [.userCreated] && rest.first?.user?.rawValue != 7)
            }
        }
    }

    @Test(.enabled(if: Dialect.tested == .postgresql, "others go by time: A distributed engine"))
    func `passes over no event whose number is lower than that of an earlier transaction's`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                try await withPool(at: address) { other in
                    try await other.transaction(timeout: .patience) { transaction throws(PostgresError) in
                        // It has the lower number of a transaction, and its event the higher number of a row.
                        _ = try await transaction.query(Self.begin)
                        _ = try? await store.signedIn(Sample.signIn(Sample.subject("1")))
                        _ = try await transaction.query(Self.add, 1)
                    }
                }
                var seen: [AuditEvent] = []
                for _ in 0..<3 { seen += try await store.auditEvents(after: seen.last?.id ?? 0, limit: 1) }
                try #require(seen.count == 2 && seen[0].user?.rawValue == 7)
                #expect(seen[0].id > seen[1].id, "the order of their numbers is not that of their transactions")
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
