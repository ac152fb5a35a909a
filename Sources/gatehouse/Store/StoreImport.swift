import Accounts
import ArgumentParser
import JSON
import Providers
import Settings
import SignIn

/// Users from elsewhere.
struct StoreImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring users from elsewhere, one JSON object a line.",
        discussion: """
            {"identities":[{"provider":"…","issuer":"…","subject":"…"}],"profile":{"name":"…"},"own":{},"created_at":0}

            Only identities must be there. profile is what the provider said, own what the user did. First every \
            line is checked, and nothing is stored when one is bad. Running it again is safe: users who are there \
            stay as they are, and get the identities they lack. A line whose identities belong to several users \
            changes nothing. Lines are told by number, never by content. Exits 1 when a line was bad or a conflict.
            """)

    @Argument(help: "The file; - for standard input.")
    var file: String
    @Flag(help: "Store the lines that hold, although others are bad.")
    var skipBad = false
    @Flag(help: "Check every line and store nothing.")
    var dryRun = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, settings, clock in
            let folder = store.path.lastIndex(of: "/").map { String(store.path[..<$0]) } ?? "."
            let importer = Importer(
                source: try ImportSource(path: file, spoolingIn: folder.isEmpty ? "/" : folder),
                line: ImportLine(
                    providers: settings.providers.map { Provider($0) }, now: clock.seconds),
                tell: { number, what in StandardError.write("line \(number): \(what)\n") })
            let checked = try importer.check()
            let isRefused = checked.bad > 0 && !skipBad
            if isRefused || dryRun {
                tell(checked, isStored: false)
                if checked.bad > 0 { throw ExitCode(1) }
                return
            }
            let summary = try await importer.store(in: store.repository, checked: checked) { clock.seconds }
            tell(summary, isStored: true)
            if summary.conflicts > 0 || summary.bad > checked.bad { throw ExitCode(1) }
        }
    }

    private func tell(_ summary: Importer.Summary, isStored: Bool) {
        let bad = summary.bad > 0 ? "\(summary.bad) bad" : "none bad"
        report.write(
            summary.document,
            isStored
                ? """
                \(summary.lines) lines, \(bad): \(summary.created) users created, \(summary.alreadyThere) already there, \
                \(summary.completed) completed, \(summary.conflicts) conflicts.

                """ : "\(summary.lines) lines, \(bad). Nothing was stored.\n")
    }
}
