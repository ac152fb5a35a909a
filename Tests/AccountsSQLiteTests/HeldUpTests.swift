import Accounts
import Glibc
import Patience
import Synchronization
import System
import Telemetry
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// Writes of requests while something holds the file up.
@Suite struct `A write of a request` {
    let folder = TemporaryFolder()

    private func request<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task {
            try await AuditContext.$current.withValue(AuditContext(AuditOrigin(actor: .user, request: "request-1"))) {
                try await body()
            }
        }
    }

    /// Another process, as far as SQLite is concerned.
    private func lock() throws -> SQLiteConnection {
        let other = try SQLiteConnection(path: folder.database, isWritable: true, busyTimeout: .seconds(10))
        try other.execute("BEGIN IMMEDIATE")
        return other
    }

    @Test func `waits for another process's lock as long as its request has time`() async throws {
        let store = try await folder.open { $0.requestTimeout = .seconds(60) }
        let other = try lock()
        let signIn = request { try await store.signedIn(Sample.signIn(Sample.subject("1"))) }
        // More than what a statement waits by itself.
        try await eventually("a write that is held up") { store.writer.isHeldUp }
        usleep(150_000)
        try other.execute("ROLLBACK")
        #expect(try await signIn.value.isNewUser)
        let metrics = String(decoding: Exposition.prometheus.text(store.readings()), as: UTF8.self)
        #expect(metrics.contains("gatehouse_store_busy_total{store=\"sqlite\"} "))
        #expect(!metrics.contains("gatehouse_store_busy_total{store=\"sqlite\"} 0\n"))
        await store.close()
    }

    @Test func `is refused when its time is over, has done nothing, and keeps the code at its provider`() async throws {
        let store = try await folder.open { $0.requestTimeout = .milliseconds(300) }
        let other = try lock()
        let signIn = request { try await store.signedIn(Sample.signIn(Sample.subject("1"))) }
        try await eventually("a write that is held up") { store.writer.isHeldUp }
        let code = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600)
        let claim = request { try await store.claimCode(code, for: "https://carrier.example", now: Sample.now) }
        await #expect(throws: RepositoryError.unavailable(.locked)) { try await signIn.value }
        await #expect(throws: RepositoryError.unavailable(.locked)) { try await claim.value }
        // Nobody waits any more, and who comes next is told before the code leaves.
        try await eventually("a writer that is idle") { store.writer.counts.groups > 0 && store.writer.isHeldUp }
        let next = request { try await store.claimCode(code, for: "https://carrier.example", now: Sample.now) }
        await #expect(throws: RepositoryError.unavailable(.locked)) { try await next.value }
        try other.execute("ROLLBACK")
        #expect(try await store.claimCode(code, for: "https://carrier.example", now: Sample.now) == .claimed)
        #expect(try await !store.isKnown(Sample.subject("1")))
        await store.close()
    }

    @Test func `that has less time left than those before it is answered in that`() async throws {
        let store = try await folder.open { $0.requestTimeout = .seconds(60) }
        let other = try lock()
        let patient = request { try await store.signedIn(Sample.signIn(Sample.subject("1"))) }
        try await eventually("a write that is held up") { store.writer.isHeldUp }
        for spent in [59_900, 60_000] as [Int64] {
            let context = AuditContext(AuditOrigin(actor: .user, request: "request-2"))
            context.note(storeNanoseconds: spent * 1_000_000)
            await #expect(throws: RepositoryError.unavailable(.locked)) {
                try await AuditContext.$current.withValue(context) {
                    try await store.signedIn(Sample.signIn(Sample.subject("2")))
                }
            }
        }
        try other.execute("ROLLBACK")
        #expect(try await patient.value.isNewUser)
        await store.close()
    }

    @Test func `is answered while a disk takes its time, and nobody is told what nobody knows`() async throws {
        let store = try await folder.open { $0.requestTimeout = .milliseconds(100) }
        let gate = Atomic<Bool>.Box(false)
        let slow = request {
            try await store.writer.write { connection throws(RepositoryError) in
                try connection.run(Query("INSERT INTO meta (name, value) VALUES ('test-slow', 1)"))
                let deadline = ContinuousClock.now + .seconds(60)
                while !gate.value.load(ordering: .acquiring), ContinuousClock.now < deadline {}
            }
        }
        try await eventually("the writer at work") { store.writer.counts.groups > 1 || store.writer.waiting == 0 }
        await #expect(throws: RepositoryError.unavailable(.uncertain)) { try await slow.value }
        try await eventually("what readiness goes by") { store.outcomes.lastCause == .uncertain }
        let behind = request { try await store.signedIn(Sample.signIn(Sample.subject("1"))) }
        await #expect(throws: RepositoryError.unavailable(.locked)) { try await behind.value }
        gate.value.store(true, ordering: .releasing)
        // It was done all the same; what stood behind it was not.
        let count = Query("SELECT count(*) FROM meta WHERE name = 'test-slow'")
        try await eventually("the slow write") {
            try await store.read { connection throws(RepositoryError) in
                try connection.first(count) { $0.integer(0) }
            } == 1
        }
        #expect(try await !store.isKnown(Sample.subject("1")))
        await store.close()
    }
}
