import Accounts
import Patience
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `An observer of a file's steps` {
    private let folder = TemporaryFolder()
    private let recorder = StepRecorder()

    private func open(_ change: (inout SQLiteSettings) -> Void = { _ in }) async throws -> SQLiteAccounts {
        try await folder.open {
            $0.observers = Observers([recorder])
            change(&$0)
        }
    }

    /// Keeps the writer inside a group until the task is told, so that what comes meanwhile waits.
    private func hold(_ store: SQLiteAccounts) async throws -> (gate: Atomic<Bool>.Box, job: Task<Void, any Error>) {
        let gate = Atomic<Bool>.Box(false)
        let job = Task {
            try await store.writer.write { _ in
                let deadline = ContinuousClock.now + .seconds(60)
                while !gate.value.load(ordering: .acquiring), ContinuousClock.now < deadline {}
            }
        }
        try await eventually("the writer's group") { recorder.lines.last == "< queue done" }
        return (gate, job)
    }

    @Test func `hears each write wait for its turn, and one commit of all that are in a group`() async throws {
        let store = try await open()
        let alone = try await recorder.during { try await store.probe(now: Sample.now) }
        #expect(alone == ["> queue", "< queue done", "> commit", "< commit done"])
        let read = try await recorder.during { _ = try await store.users(after: nil, limit: 1, provider: nil) }
        #expect(read == [])
        let (gate, job) = try await hold(store)
        let group = try await recorder.during {
            let tasks = (0..<3).map { _ in Task { try await store.probe(now: Sample.now) } }
            try await eventually("three writes in the queue") { store.waitingWrites == 3 }
            gate.value.store(true, ordering: .releasing)
            try await job.value
            for task in tasks { _ = try await task.value }
        }
        #expect(
            group == ["> queue", "> queue", "> queue", "> commit", "< commit done"]
                + ["< queue done", "< queue done", "< queue done", "> commit", "< commit done"])
        await store.close()
        #expect(recorder.openCount == 0)
    }

    @Test func `hears of no commit where a write is undone, and of one that fails`() async throws {
        let store = try await open()
        let undone = try await recorder.during {
            await #expect(throws: RepositoryError.unavailable(.inputOutput)) {
                try await store.writer.write { _ throws(RepositoryError) in throw .unavailable(.inputOutput) }
            }
        }
        #expect(undone == ["> queue", "< queue done"])
        let failed = try await recorder.during {
            // A constraint that is only checked at the commit is what makes one fail here.
            _ = try? await store.writer.write { connection throws(RepositoryError) in
                try connection.execute("PRAGMA defer_foreign_keys = ON")
                try connection.execute(
                    """
                    INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
                    VALUES (999, '', '', '', '', 0, 0)
                    """)
            }
        }
        #expect(failed == ["> queue", "< queue done", "> commit", "< commit failed: unavailable"])
        await store.close()
        #expect(recorder.openCount == 0)
    }

    @Test func `hears that a write was refused for want of room, or because the store is closed`() async throws {
        let store = try await open { $0.writeQueueLimit = 1 }
        let (gate, job) = try await hold(store)
        let waiting = Task { try await store.probe(now: Sample.now) }
        try await eventually("a write in the queue") { store.waitingWrites == 1 }
        let refused = try await recorder.during {
            await #expect(throws: RepositoryError.unavailable(.overloaded)) { try await store.probe(now: Sample.now) }
        }
        #expect(refused == ["> queue", "< queue failed: overloaded"])
        gate.value.store(true, ordering: .releasing)
        try await job.value
        _ = try await waiting.value
        await store.close()
        let late = try await recorder.during {
            await #expect(throws: RepositoryError.unavailable(.closed)) { try await store.probe(now: Sample.now) }
        }
        #expect(late == ["> queue", "< queue failed: closed"])
        #expect(recorder.openCount == 0)
    }
}
