import Accounts
import AccountsSQL
import EventLoop
import Postgres
import PostgresTestSupport
import Telemetry
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `An observer of a database's steps` {
    private let recorder = StepRecorder()

    private func withObservedStore(_ body: (PostgresAccounts) async throws -> Void) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address, observers: Observers([recorder]), body)
        }
        #expect(recorder.openCount == 0)
    }

    @Test func `hears a single statement wait for a connection, and commit where it does more than read`()
        async throws
    {
        try await withObservedStore { store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let claim = try await recorder.during {
                _ = try await store.claimCode(Sample.code(), for: "https://issuer.example", now: Sample.now)
            }
            #expect(claim == ["> queue", "< queue done", "> commit", "< commit done"])
            let read = try await recorder.during { _ = try await store.session(session.id, now: Sample.now) }
            #expect(read == ["> queue", "< queue done"])
        }
    }

    @Test func `hears a transaction wait for a connection and for a thread, and its commit alone`() async throws {
        try await withObservedStore { store in
            let waits = ["> queue", "< queue done", "> queue", "< queue done"]
            let done = try await recorder.during {
                _ = try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                    try rows.note(.userCreated, of: nil)
                }
            }
            #expect(done == waits + ["> commit", "< commit done"])
            let undone = try await recorder.during {
                await #expect(throws: RepositoryError.unavailable(.overloaded)) {
                    try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                        try rows.note(.userCreated, of: nil)
                        throw .unavailable(.overloaded)
                    }
                }
            }
            #expect(undone == waits)
        }
    }

    @Test func `hears that what comes after the end is refused`() async throws {
        try await withObservedStore { store in
            await store.close()
            let late = try await recorder.during {
                await #expect(throws: RepositoryError.self) { _ = try await store.probe(now: Sample.now) }
            }
            #expect(late.first == "> queue" && late.last == "< queue failed: closed", "\(late)")
        }
    }

    @Test func `hears that nobody was let in where all threads are taken`() async throws {
        let threads = WaitingThreads(threads: 0, waitingLimit: 0, observers: Observers([recorder]))
        await #expect(throws: RepositoryError.unavailable(.overloaded)) { try await threads.run {} }
        #expect(recorder.lines == ["> queue", "< queue failed: overloaded"])
    }
}
