import Accounts
import Patience
import Synchronization
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `Grouped writes` {
    let folder = TemporaryFolder()
    private static let insert = Query("INSERT INTO meta (name, value) VALUES (?, 1)")
    /// How often each write was tried, and what it was told of each time.
    private final class Journal: Sendable {
        let runs = Mutex<[String: Int]>([:])
        let settled = Mutex<[String: [Bool]]>([:])
    }

    private static let count = Query("SELECT count(*) FROM meta WHERE name LIKE 'test-%'")

    /// A job that keeps the writer inside its group until the gate opens, so that what comes meanwhile waits.
    private func hold(_ writer: Writer) async throws -> (gate: Atomic<Bool>.Box, job: Task<Void, any Error>) {
        let entered = Atomic<Bool>.Box(false)
        let gate = Atomic<Bool>.Box(false)
        let job = Task {
            try await writer.write { _ in
                entered.value.store(true, ordering: .releasing)
                let deadline = ContinuousClock.now + .seconds(60)
                while !gate.value.load(ordering: .acquiring), ContinuousClock.now < deadline {}
            }
        }
        try await eventually("the writer's group") { entered.value.load(ordering: .acquiring) }
        return (gate, job)
    }

    /// Starts writes and waits until that many stand in the queue.
    private func start(
        _ names: [String], on writer: Writer, failing: Set<String> = []
    ) async throws -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for name in names {
            let waiting = writer.waiting
            tasks.append(
                Task {
                    try await writer.write { connection throws(RepositoryError) in
                        try connection.run(Self.insert, "test-" + name)
                        if failing.contains(name) { throw .unavailable(.engine(code: 7)) }
                    }
                })
            try await eventually("a write in the queue") { writer.waiting != waiting }
        }
        return tasks
    }

    private func stored(_ store: SQLiteAccounts) async throws -> Int64? {
        try await store.readers.read { connection throws(RepositoryError) in
            try connection.first(Self.count) { $0.integer(0) }
        }
    }

    private func error(of task: Task<Void, any Error>) async -> RepositoryError? {
        do {
            try await task.value
            return nil
        } catch {
            return error as? RepositoryError
        }
    }

    @Test func `fail alone when one of them fails`() async throws {
        let store = try await folder.open()
        let (gate, job) = try await hold(store.writer)
        let tasks = try await start(["a", "b", "c", "d"], on: store.writer, failing: ["b", "d"])
        gate.value.store(true, ordering: .releasing)
        try await job.value
        var errors: [RepositoryError?] = []
        for task in tasks { errors.append(await error(of: task)) }
        let failure = RepositoryError.unavailable(.engine(code: 7))
        #expect(errors == [nil, failure, nil, failure])
        #expect(try await stored(store) == 2)
        await store.close()
    }

    @Test func `are undone and done once more for another's sake, until a whole group succeeds`() async throws {
        let store = try await folder.open()
        let journal = Journal()
        @Sendable func write(_ name: String, fails: Bool) async throws {
            try await store.writer.write(
                { connection throws(RepositoryError) -> Void in
                    journal.runs.withLock { $0[name, default: 0] += 1 }
                    try connection.run(Self.insert, "test-" + name)
                    if fails { throw .unavailable(.engine(code: 7)) }
                }, settled: { result in journal.settled.withLock { $0[name, default: []].append(result != nil) } })
        }
        for group in ["1", "2", "3", "4"] {
            let (gate, job) = try await hold(store.writer)
            var tasks: [Task<Void, any Error>] = []
            for name in ["a", "b", "c"] {
                let waiting = store.writer.waiting
                tasks.append(Task { try await write(name + group, fails: name == "b" && group < "3") })
                try await eventually("a write in the queue") { store.writer.waiting != waiting }
            }
            gate.value.store(true, ordering: .releasing)
            try await job.value
            for task in tasks { _ = await task.result }
        }
        // The first group was tried as a whole; the next two had savepoints from the start; the last had none.
        #expect(journal.runs.withLock { $0["a1"] } == 2)
        #expect(journal.runs.withLock { $0["b1"] } == 2)
        #expect(journal.runs.withLock { $0["c1"] } == 1)
        for name in ["a2", "b2", "c2", "a3", "b3", "c3", "a4", "b4", "c4"] {
            #expect(journal.runs.withLock { $0[name] } == 1)
        }
        #expect(journal.settled.withLock { $0["a1"] } == [false, true])
        #expect(journal.settled.withLock { $0["b1"] } == [false, false])
        #expect(journal.settled.withLock { $0["c1"] } == [true])
        #expect(try await stored(store) == 10)
        await store.close()
    }

    @Test func `use a code once, also when they are done once more`() async throws {
        let store = try await folder.open()
        let (gate, job) = try await hold(store.writer)
        let code = Sample.code()
        var signIns: [Task<SignInOutcome, any Error>] = []
        for _ in 0..<2 {
            let waiting = store.writer.waiting
            signIns.append(Task { try await store.signIn(Sample.signIn(Sample.subject("1"), code: code)) })
            try await eventually("a write in the queue") { store.writer.waiting != waiting }
        }
        let failing = try await start(["a"], on: store.writer, failing: ["a"])
        gate.value.store(true, ordering: .releasing)
        try await job.value
        #expect(await error(of: failing[0]) != nil)
        guard case .signedIn = try await signIns[0].value else { Issue.record("the first was refused"); return }
        #expect(try await signIns[1].value == .refused(.codeAlreadyUsed))
        #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
        await store.close()
    }

    @Test func `grouped writes that are alone leave nothing when they fail, and the next goes through`() async throws {
        let store = try await folder.open()
        await #expect(throws: RepositoryError.unavailable(.engine(code: 7))) {
            try await store.writer.write { connection throws(RepositoryError) in
                try connection.run(Self.insert, "test-a")
                throw RepositoryError.unavailable(.engine(code: 7))
            }
        }
        #expect(try await stored(store) == 0)
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.run(Self.insert, "test-b")
        }
        #expect(try await stored(store) == 1)
        await store.close()
    }

    @Test func `fail together when the commit fails, and nothing of them stays`() async throws {
        let store = try await folder.open()
        let (gate, job) = try await hold(store.writer)
        var tasks = try await start(["a", "b"], on: store.writer)
        // A constraint that is only checked at the commit is what makes one fail here.
        let orphan = Task {
            try await store.writer.write { connection throws(RepositoryError) in
                try connection.execute("PRAGMA defer_foreign_keys = ON")
                try connection.execute(
                    """
                    INSERT INTO identities (user_id, provider, issuer, subject, origin, linked, last_sign_in)
                    VALUES (999, '', '', '', '', 0, 0)
                    """)
            }
        }
        try await eventually("three writes in the queue") { store.waitingWrites >= 3 }
        tasks += try await start(["c"], on: store.writer)
        let code = Sample.code()
        tasks.append(Task { _ = try await store.signIn(Sample.signIn(Sample.subject("1"), code: code)) })
        try await eventually("five writes in the queue") { store.waitingWrites >= 5 }
        gate.value.store(true, ordering: .releasing)
        try await job.value
        for task in tasks + [orphan] {
            guard case .unavailable(.engine) = await error(of: task) else {
                Issue.record("it did not fail with the group")
                continue
            }
        }
        #expect(try await stored(store) == 0)
        #expect(try await !store.isCodeUsed(code.hash, now: Sample.now))
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
        await store.close()
    }

    @Test func `grouped writes refuse what comes beyond the queue's limit, and take more when there is room`()
        async throws
    {
        let store = try await folder.open { $0.writeQueueLimit = 2 }
        let (gate, job) = try await hold(store.writer)
        let tasks = try await start(["a", "b"], on: store.writer)
        await #expect(throws: RepositoryError.unavailable(.overloaded)) { try await store.probe(now: Sample.now) }
        gate.value.store(true, ordering: .releasing)
        try await job.value
        for task in tasks { try await task.value }
        try await store.probe(now: Sample.now)
        await store.close()
    }

    @Test func `grouped writes stay within the group's limit and all get through`() async throws {
        let store = try await folder.open { $0.writeGroupLimit = 3 }
        let (gate, job) = try await hold(store.writer)
        let tasks = try await start((0..<10).map { "\($0)" }, on: store.writer)
        gate.value.store(true, ordering: .releasing)
        try await job.value
        for task in tasks { try await task.value }
        #expect(try await stored(store) == 10)
        await store.close()
    }

    @Test func `grouped writes are finished before the store closes`() async throws {
        let store = try await folder.open()
        let (gate, job) = try await hold(store.writer)
        let tasks = try await start(["a", "b"], on: store.writer)
        let closing = Task { await store.close() }
        try await eventually("the writer to close") { store.writer.isClosed }
        await #expect(throws: RepositoryError.unavailable(.closed)) { try await store.probe(now: Sample.now) }
        gate.value.store(true, ordering: .releasing)
        try await job.value
        for task in tasks { try await task.value }
        await closing.value
        let again = try await folder.open()
        #expect(try await stored(again) == 2)
        await again.close()
    }

    @Test func `grouped writes refuse one code twice even before the first is on disk`() async throws {
        let store = try await folder.open()
        let (gate, job) = try await hold(store.writer)
        let code = Sample.code()
        let later = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt + 1)
        let first = Task { try await store.signIn(Sample.signIn(Sample.subject("1"), code: code)) }
        try await eventually("a write in the queue") { store.waitingWrites >= 1 }
        let second = Task { try await store.signIn(Sample.signIn(Sample.subject("1"), code: later)) }
        try await eventually("two writes in the queue") { store.waitingWrites >= 2 }
        #expect(try await !store.isCodeUsed(code.hash, now: Sample.now))
        gate.value.store(true, ordering: .releasing)
        try await job.value
        guard case .signedIn = try await first.value else {
            Issue.record("the first is not signed in")
            return
        }
        #expect(try await second.value == .refused(.codeAlreadyUsed))
        await store.close()
    }
}

extension Atomic where Value == Bool {
    /// Shared between a test and the writer's queue.
    final class Box: Sendable {
        let value: Atomic<Bool>

        init(_ value: Bool) {
            self.value = Atomic(value)
        }
    }
}

@Suite struct `Codes in memory` {
    @Test func `codes in memory are refused beyond the limit until some expire`() {
        let codes = UsedCodes(limit: 2, unprovenLimit: 2)
        let soon = Sample.code(expiresAt: 60)
        let late = Sample.code(expiresAt: 600)
        for code in [soon, late] {
            #expect(codes.claim(code.hash, .verified, now: 0) == .first)
            codes.settle(code, .verified, isUsed: true)
        }
        #expect(codes.claim(Sample.hash(), .verified, now: 0) == .full)
        #expect(codes.claim(late.hash, .verified, now: 0) == .used)
        codes.forget(now: 299)
        #expect(codes.claim(Sample.hash(), .verified, now: 299) == .full)
        codes.forget(now: 300)
        #expect(codes.claim(Sample.hash(), .verified, now: 300) == .first)
        #expect(!codes.isUsed(soon.hash, now: 300))
        #expect(codes.isUsed(late.hash, now: 899))
        #expect(!codes.isUsed(late.hash, now: 900))
    }

    @Test func `codes in memory are free again when the write that claimed them failed`() {
        let codes = UsedCodes(limit: 1, unprovenLimit: 1)
        let code = Sample.code()
        #expect(codes.claim(code.hash, .verified, now: Sample.now) == .first)
        #expect(codes.claim(code.hash, .verified, now: Sample.now) == .used)
        #expect(!codes.isUsed(code.hash, now: Sample.now))
        codes.settle(code, .verified, isUsed: false)
        #expect(codes.claim(code.hash, .verified, now: Sample.now) == .first)
    }

    @Test func `codes in memory that proved nobody have a share of the limit, and leave the rest to those that did`() {
        let codes = UsedCodes(limit: 3, unprovenLimit: 1)
        let invented = Sample.code(expiresAt: 60)
        #expect(codes.claim(invented.hash, .none, now: 0) == .first)
        codes.settle(invented, .none, isUsed: true)
        #expect(codes.claim(Sample.hash(), .none, now: 0) == .full)
        let real = Sample.code(expiresAt: 60)
        #expect(codes.claim(real.hash, .verified, now: 0) == .first)
        codes.settle(real, .verified, isUsed: true)
        #expect(codes.isUsed(invented.hash, now: 0))
        codes.forget(now: 300)
        #expect(codes.claim(Sample.hash(), .none, now: 300) == .first)
    }

    @Test func `codes in memory are never moved by many at once, however many expire together`() {
        let codes = UsedCodes(limit: .max, unprovenLimit: .max)
        for _ in 0..<200_000 { codes.settle(Sample.code(expiresAt: 60), .verified, isUsed: true) }
        #expect(codes.count == 200_000)
        #expect(codes.largestSet < 50_000)
        for _ in 0..<3 {
            let code = Sample.code(expiresAt: 60)
            codes.settle(code, .verified, isUsed: true)
            codes.settle(code, .verified, isUsed: true)
            #expect(codes.isUsed(code.hash, now: 0))
        }
        #expect(codes.count == 200_003)
        codes.forget(now: 300)
        #expect(codes.count == 0)
    }

    @Test func `codes in memory that are made up do not keep anybody from signing in`() async throws {
        let folder = TemporaryFolder()
        let store = try await folder.open {
            $0.usedCodeLimit = 20
            $0.unprovenCodeLimit = 10
        }
        for _ in 0..<30 { try? await store.recordUsedCode(Sample.code(), now: Sample.now) }
        for number in 0..<5 {
            guard case .signedIn = try await store.signIn(Sample.signIn(Sample.subject("\(number)"))) else {
                Issue.record("sign-in \(number) is turned away")
                break
            }
        }
        await store.close()
    }
}
