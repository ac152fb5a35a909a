import EventLoop
import PostgresTestSupport
import System
import Testing

@testable import Postgres

/// Who may begin, as a function of the line and the time.
@Suite struct `The door of a pool` {
    private func instant(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func apply(_ admissions: inout Admissions, _ count: Int, until end: Int64) async -> [Task<Bool, Never>] {
        var tasks: [Task<Bool, Never>] = []
        for _ in 0..<count {
            let (stream, given) = AsyncStream.makeStream(of: CheckedContinuation<PostgresError?, Never>.self)
            tasks.append(
                Task {
                    await withCheckedContinuation { continuation in
                        given.yield(continuation)
                        given.finish()
                    } == nil
                })
            for await continuation in stream {
                admissions.wait(Admissions.Applicant(continuation: continuation, end: instant(end)))
            }
        }
        return tasks
    }

    @Test func `lets in so many at a time, and nobody while the line is long`() {
        var admissions = Admissions()
        let admitted = (0..<200).count { _ in admissions.admits(line: 0, now: instant(1)) }
        #expect(admitted == 128)
        let beside = [64, 63].map { admissions.admits(line: $0, now: instant(100)) }
        #expect(beside == [false, true])
    }

    @Test func `lets those in first who came first, and refuses who has waited too long`() async {
        var admissions = Admissions()
        let early = await apply(&admissions, 2, until: 1000)
        let late = await apply(&admissions, 200, until: 1500)
        let isPassed = admissions.admits(line: 0, now: instant(900))
        #expect(!isPassed, "nobody goes past those who wait")
        let none = admissions.next(line: 64, now: instant(999))
        #expect(none.admitted.isEmpty && none.refused.isEmpty)
        let next = admissions.next(line: 0, now: instant(1000))
        #expect(next.refused.count == 2 && next.admitted.count == 128 && admissions.applicants.count == 72)
        for applicant in next.refused { applicant.continuation.resume(returning: .overloaded) }
        for applicant in next.admitted + admissions.removeAll() { applicant.continuation.resume(returning: nil) }
        for task in early { #expect(await !task.value) }
        for task in late { #expect(await task.value) }
    }

    @Test func `has those who come to a long line wait less, and refuses them before others`() async {
        var admissions = Admissions()
        #expect(admissions.patience(atMost: .seconds(1)) == .seconds(1))
        let many = await apply(&admissions, 1024, until: 1000)
        #expect(admissions.patience(atMost: .seconds(1)) == .milliseconds(500))
        let hurried = await apply(&admissions, 1, until: 700)
        let next = admissions.next(line: 64, now: instant(700))
        #expect(next.refused.count == 1 && next.admitted.isEmpty)
        for applicant in next.refused { applicant.continuation.resume(returning: .overloaded) }
        for applicant in admissions.removeAll() { applicant.continuation.resume(returning: nil) }
        for task in hurried { #expect(await !task.value) }
        for task in many { #expect(await task.value) }
    }

    @Test func `is open where nobody says how long one may wait, and closed with the pool`() async throws {
        try await withReadingPool { pool in try await pool.admit() }
        try await withReadingPool(limits: PoolLimits(longestAdmission: .seconds(60))) { pool in
            for _ in 0..<128 { try await pool.admit() }
            await pool.close()
            try await pool.admit()
        }
    }
}
