import Accounts
import ArgumentParser
import Composition
import JSON
import SignIn
internal import System
import WebAPI

/// `gatehouse sign-ins`: why somebody could not sign in.
struct SignInsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins",
        abstract: "Find why a sign-in failed, by what its user can tell, and see how often they do.",
        discussion: """
            Failed sign-ins are counted by minute, provider, reason and network, and kept for seven days; nothing of who it \
            was is. What an app shows of an error, its request_id or the app's own correlation_id, finds the count that \
            the sign-in is among: the first sixteen of a count and 128 of a minute. A time is a day (2026-03-01, in UTC), \
            a time of RFC 3339 (2026-03-01T09:30:00Z), or seconds since 1970. Exits 1 when nothing is found.
            """)

    private static let pageSize = 1000

    @Option(help: "The request_id of the error that the app shows.")
    var requestID: String?
    @Option(help: "What the app has called the sign-in.")
    var correlationID: String?
    @Option(help: "Of this provider only.")
    var provider: String?
    @Option(help: ArgumentHelp("Counts that ended at this time or later.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Counts that ended before this time.", valueName: "time"))
    var until: String?
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func validate() throws { _ = try search() }

    func run() async throws {
        let first = try search()
        try await options.withStore { store, _, _ in
            var search = first
            var found: [FailedSignIns] = []
            var page: [FailedSignIns] = []
            repeat {
                page = try await store.repository.failedSignIns(search)
                found += page
                search.after = page.last?.id ?? search.after
            } while page.count == search.limit
            report.write(.array(found.map(Self.document)), found.map(Self.text).joined())
            if found.isEmpty { throw StoreOptions.fail("no sign-in that failed is known by that") }
        }
    }

    private func search() throws -> FailedSignInSearch {
        guard requestID == nil || correlationID == nil else {
            throw ValidationError("--request-id and --correlation-id name a sign-in each: give one.")
        }
        var search = FailedSignInSearch(provider: provider, limit: Self.pageSize)
        if let name = requestID ?? correlationID {
            guard let hash = CorrelationHash(naming: name) else {
                throw ValidationError("\(name) is no name that a sign-in can have.")
            }
            search.name = hash
        }
        if let since { search.since = try ExportTime.given(since, "--since") }
        if let until { search.until = try ExportTime.given(until, "--until") }
        return search
    }

    private static func document(_ row: FailedSignIns) -> JSONValue {
        [
            "at": .integer(row.at), "provider": row.count.provider.map { .string($0) } ?? .null,
            "reason": .string(row.count.reason), "sentence": .string(SignInFailure.sentence(row.count.reason)),
            "network": row.count.network.map { .string($0) } ?? .null, "count": .integer(Int64(row.count.count)),
        ]
    }

    private static func text(_ row: FailedSignIns) -> String {
        let words = [
            CalendarTime.rfc3339(row.at), row.count.provider ?? "-", row.count.network ?? "-",
            "\(row.count.count) times", row.count.reason,
        ]
        return words.joined(separator: "  ") + "\n    \(SignInFailure.sentence(row.count.reason))\n"
    }
}
