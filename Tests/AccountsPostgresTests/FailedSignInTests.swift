import Accounts
import Dispatch
import Patience
import Postgres
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@testable import AccountsPostgres
@testable import AccountsSQL

@Suite struct `Counts of failed sign-ins in PostgreSQL` {
    @Test func `are passed over by no page, though another instance commits late`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { slow in
                try await withStore(at: address) { fast in
                    let pages = try await Self.pages(slow, fast)
                    #expect(pages.map(\.count.reason) == ["slow", "fast"])
                }
            }
        }
    }

    /// One instance has added its count and not committed yet, when the other adds its own and a page is read.
    private static func pages(_ slow: PostgresAccounts, _ fast: PostgresAccounts) async throws -> [FailedSignIns] {
        let course = Course()
        return try await withThrowingTaskGroup { group in
            group.addTask {
                try await slow.write { connection throws(RepositoryError) in
                    try FailedSignInRows(connection: connection).add(Self.count("slow"), at: 1, expiresAt: 2)
                    course.hasAdded.store(true, ordering: .releasing)
                    _ = course.mayCommit.wait(timeout: .now() + .seconds(30))
                }
            }
            try await eventually("the slow one's row") { course.hasAdded.load(ordering: .acquiring) }
            group.addTask {
                try await fast.addFailedSignIns(Self.count("fast"), at: 1, expiresAt: 2)
                course.isFastOver.store(true, ordering: .releasing)
            }
            try await eventually("the fast one's row, or its turn") {
                if course.isFastOver.load(ordering: .acquiring) { return true }
                return try await Work(fast).any(waiting)
            }
            let first = try await fast.failedSignIns(FailedSignInSearch(after: 0, named: nil, limit: 10))
            course.mayCommit.signal()
            try await group.waitForAll()
            return try await first
                + fast.failedSignIns(FailedSignInSearch(after: first.last?.id ?? 0, named: nil, limit: 10))
        }
    }

    private final class Course: Sendable {
        let hasAdded = Atomic(false)
        let isFastOver = Atomic(false)
        let mayCommit = DispatchSemaphore(value: 0)
    }

    private static func count(_ reason: String) -> [FailedSignInCount] {
        [FailedSignInCount(provider: nil, reason: reason, network: nil, count: 1)]
    }

    private static let waiting = Postgres.Statement(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
}
