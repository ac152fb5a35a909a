import Accounts
import ArgumentParser
import Composition
import JSON
import SignIn
import System
import WebAPI

/// The audit trail as lines of JSON.
struct AuditExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the audit trail, the oldest event first.",
        discussion: """
            --json prints a line of JSON for each event, as GET /admin/audit has it, and without it a line for people. A time \
            is a day (2026-03-01, in UTC), a time of RFC 3339 (2026-03-01T09:30:00Z), or seconds since 1970. --since counts \
            in, --until does not. The export is in the trail itself, under the name of the account that ran it.
            """)

    private static let pageSize = 1000
    /// Of things that go on, at a time.
    private static let repeatsPerStep = 500

    @Option(help: ArgumentHelp("Events from this time on.", valueName: "time"))
    var since: String
    @Option(help: ArgumentHelp("Events before this time.", valueName: "time"))
    var until: String?
    @Option(help: "Events of this kind only, such as user_erased.")
    var event: String?
    @Option(help: "Events of the user of this number only.")
    var user: Int64?
    @Option(help: "Events by this actor only: user, system, operator:NAME, cli:NAME or provider:NAME.")
    var actor: String?
    @Flag(help: "Print one JSON object a line.")
    var json = false
    @OptionGroup var options: StoreOptions

    func validate() throws { _ = try query() }

    func run() async throws {
        var query = try query()
        try await options.withStore(looksAtSomebody: user != nil) { store, _, clock in
            let repository = store.repository
            // What goes on is told up to the last minute that is over, whether or not a server runs.
            while try await repository.settleAudit(now: clock.seconds, limit: Self.repeatsPerStep)
                == Self.repeatsPerStep
            {}
            // The export's own row is the last thing that it could show, and it shows what was there before.
            try await repository.note(
                .auditExported, of: query.user, [event, actor].compactMap(\.self), now: clock.seconds)
            let own = try await newest(repository)
            while let page = try await repository.auditPage(query), let next = page.next {
                for event in page.events where event.id != own { write(event) }
                query.place = .cursor(next)
                if page.events.count < query.limit { return }
            }
        }
    }

    /// The number of the row that this export has just left; nil where another one came behind it.
    private func newest(_ repository: any AccountRepository) async throws -> Int64? {
        let last = AuditQuery(event: .auditExported, order: .newestFirst, limit: 1)
        return try await repository.auditPage(last)?.events.first?.id
    }

    private func query() throws -> AuditQuery {
        var asked = AuditQuery(order: .oldestFirst, limit: Self.pageSize)
        asked.since = try ExportTime.given(since, "--since")
        asked.until = try until.map { try ExportTime.given($0, "--until") }
        asked.event = event.map { AuditEvent.Kind(rawValue: $0) }
        asked.user = user.map { UserID(rawValue: $0) }
        if let actor {
            guard let found = AuditActor(actor) else {
                throw ValidationError(
                    "--actor is \(actor), and must be user, system, operator:NAME, cli:NAME or provider:NAME.")
            }
            asked.actor = found
        }
        return asked
    }

    private func write(_ event: AuditEvent) {
        if json { return StandardOutput.write(UserDocument.event(event)) }
        var words = [CalendarTime.rfc3339(event.at), event.kind.rawValue, event.origin?.actor.text ?? "-"]
        if let user = event.user { words.append("user \(user)") }
        if let count = event.count { words.append("\(count) times") }
        if let reason = event.origin?.reason { words.append(reason) }
        StandardOutput.write(words.joined(separator: "  ") + "\n")
    }
}
