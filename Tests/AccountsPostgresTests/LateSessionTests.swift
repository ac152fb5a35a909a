import Accounts
import Dispatch
import Patience
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@testable import AccountsPostgres
@testable import AccountsSQL

@Suite struct `A provider's logout in PostgreSQL` {
    private final class Course: Sendable {
        let isStored = Atomic(false)
        let mayCommit = DispatchSemaphore(value: 0)
    }

    @Test func `ends a session too that another instance was storing, and neither could see the other`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { slow in
                try await withStore(at: address) { fast in
                    let known = try await slow.signedIn(Sample.signIn(Sample.subject("1")))
                    var session = Sample.session()
                    let upstream = Sample.hash()
                    session.upstreamSession = upstream
                    try await Self.endWhileStored(session, of: known, upstream, slow, fast)
                    for store in [slow, fast] {
                        #expect(try await store.session(session.id, now: Sample.now + 2) == nil)
                        let refresh = Sample.refresh(session.id, 1, of: known.user)
                        #expect(try await store.refresh(refresh) == .refused)
                    }
                }
            }
        }
    }

    private static func endWhileStored(
        _ session: NewSession, of known: SignedIn, _ upstream: TokenHash, _ slow: PostgresAccounts,
        _ fast: PostgresAccounts
    ) async throws {
        let course = Course()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await slow.write { connection throws(RepositoryError) in
                    try SessionRows(connection: connection).insert(
                        session, user: known.user, identity: known.identity, provider: "zenkey", now: Sample.now)
                    course.isStored.store(true, ordering: .releasing)
                    _ = course.mayCommit.wait(timeout: .now() + .seconds(30))
                }
            }
            try await eventually("the session's row") { course.isStored.load(ordering: .acquiring) }
            let record = LogoutRecord(
                logout: .session(upstream, of: nil), token: Sample.code(), openedBy: Sample.now + 60,
                line: NotBefore(drawnAt: (Sample.now + 1) * 1000), now: Sample.now + 1)
            _ = try await fast.endSessions(record)
            try await fast.endSessionsAgain(record)
            course.mayCommit.signal()
            try await group.waitForAll()
        }
    }
}
