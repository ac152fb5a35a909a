import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import JSON
import SignIn
internal import System

/// How it is.
struct StoreStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Tell sizes, log, free pages, versions, and how writes come together.",
        discussion: """
            How writes come together is what the server wrote down at its last sweep, once a minute, counted from its \
            start.
            """)

    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let now = clock.seconds
            let status = try await store.onlyFile().status(now: now)
            let age = max(0, now - status.checkpointedAt)
            let grants = try await store.repository.grantCounts()
            let outbox = try await store.repository.outboxStatus()
            let waiting = outbox.oldestAt.map { max(0, now - $0) }
            report.write(
                Self.document(status, age, grants, outbox.pending, waiting),
                Self.text(status, age, grants, outbox.pending, waiting, store.place))
        }
    }

    private static func document(
        _ status: StoreStatus, _ age: Int64, _ grants: GrantCounts, _ pending: Int, _ waiting: Int64?
    ) -> JSONValue {
        var writes = JSONValue.null
        if let counts = status.serverWrites {
            writes = [
                "commits": .integer(counts.commits), "writes": .integer(counts.writes),
                "largest_commit": .integer(counts.largest),
            ]
        }
        return [
            "database_bytes": .integer(status.databaseBytes), "log_bytes": .integer(status.logBytes),
            "page_bytes": .integer(status.pageBytes), "pages": .integer(status.pages),
            "free_pages": .integer(status.freePages), "checkpoint_age_seconds": .integer(age),
            "erasure_in_log": .boolean(status.hasErasureInLog), "live_codes": .integer(status.liveCodes),
            "provider_tokens": [
                "refreshes": .integer(grants.refreshes), "failed_refreshes": .integer(grants.failures),
                "ended": .integer(grants.ended),
            ],
            "outbox": [
                "pending": .integer(Int64(pending)), "oldest_seconds": waiting.map { .integer($0) } ?? .null,
            ],
            "server_writes": writes, "schema": .integer(status.schema),
            "sqlite": .string(SQLiteAccounts.libraryVersion),
        ]
    }

    private static func text(
        _ status: StoreStatus, _ age: Int64, _ grants: GrantCounts, _ pending: Int, _ waiting: Int64?, _ path: String
    ) -> String {
        var lines = [
            "database     \(status.databaseBytes) bytes in \(path)",
            "pages        \(status.pages) of \(status.pageBytes) bytes, \(status.freePages) of them free",
            "log          \(status.logBytes) bytes, last copied back \(age) seconds ago",
        ]
        if status.hasErasureInLog { lines.append("             with pages of somebody who was erased") }
        lines.append("used codes   \(status.liveCodes) that have not expired")
        if let counts = status.serverWrites, counts.commits > 0 {
            // One digit behind the point is enough, and needs no formatter.
            let tenths = counts.writes * 10 / counts.commits
            lines.append(
                "writes       \(counts.writes) of the server in \(counts.commits) commits: \(tenths / 10).\(tenths % 10) "
                    + "each, \(counts.largest) at most")
        }
        lines.append(
            "tokens       of providers: \(grants.refreshes) refreshes, \(grants.failures) failed, \(grants.ended) grants ended"
        )
        let oldest = waiting.map { ", the oldest for \($0) seconds" } ?? ""
        lines.append("outbox       \(pending) waiting\(oldest)")
        lines.append("schema       \(status.schema)")
        lines.append("SQLite       \(SQLiteAccounts.libraryVersion)")
        return lines.map { $0 + "\n" }.joined()
    }
}
