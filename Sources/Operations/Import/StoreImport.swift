import Accounts
import ArgumentParser
import Composition
import JSON
import Providers
import Settings
import SignIn
internal import System

/// Users from elsewhere.
struct StoreImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring users from elsewhere: our own lines, or another product's export.",
        discussion: """
            {"identities":[{"provider":"…","issuer":"…","subject":"…"}],"profile":{"name":"…"},"own":{},"created_at":0}

            Only identities must be there. profile is what the provider said, own what the user did. First every \
            line is checked, and nothing is stored when one is bad. Running it again is safe: users who are there \
            stay as they are, and get the identities they lack. A line whose identities belong to several users \
            changes nothing. Lines are told by number, never by content. Exits 1 when a line was bad or a conflict.

            With --format the file is an export of Firebase Auth, Auth0, Supabase (rows of auth.identities, sorted by \
            user_id) or Keycloak. Identities are taken by provider and subject; passwords and second factors are not. \
            Google, Apple and Facebook are known by their issuers, every other provider needs a --map, and so does one \
            that is configured twice. An identity without one stops the import, unless --skip-unmapped.
            """)

    @Argument(help: "The file; - for standard input.")
    var file: String
    @Flag(help: "Store the lines that hold, although others are bad.")
    var skipBad = false
    @Flag(help: "Check every line and store nothing.")
    var dryRun = false
    @Option(help: "Whose file it is.")
    var format = ImportFormat.gatehouse
    @Option(
        help: ArgumentHelp(
            "Which of our providers stands for what the file calls NAME; can be repeated.", valueName: "name=provider"))
    var map: [String] = []
    @Flag(help: "Go on without identities, and users, of providers that have no --map.")
    var skipUnmapped = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if format == .gatehouse, !map.isEmpty || skipUnmapped {
            throw ValidationError("--map and --skip-unmapped go with the --format of another product")
        }
    }

    func run() async throws {
        try await options.withStore { store, settings, clock in
            let folder = store.folder
            let source = try ImportSource(path: file, spoolingIn: folder.isEmpty ? "/" : folder)
            let reading = try reading(settings.providers.map { Provider($0) }, now: clock.seconds)
            let noun = format.noun(try source.layout(of: reading))
            let importer = Importer(
                source: source, reading: reading,
                tell: { number, what in StandardError.write("\(noun) \(number): \(what)\n") })
            let checked = try importer.check()
            let isUnmapped = checked.leftOut?.needsConsent == true && !skipUnmapped
            if checked.bad > 0 && !skipBad || isUnmapped || dryRun {
                tell(checked, noun, isStored: false)
                if isUnmapped { tellUnmapped(checked) }
                if checked.bad > 0 || isUnmapped { throw ExitCode(1) }
                return
            }
            let summary = try await importer.store(in: store.repository, checked: checked) { clock.seconds }
            try await store.repository.note(.storeImported, of: nil, [], now: clock.seconds)
            tell(summary, noun, isStored: true)
            if summary.conflicts > 0 || summary.bad > checked.bad { throw ExitCode(1) }
        }
    }

    private func reading(_ providers: [Provider], now: Int64) throws -> ImportReading {
        if format == .gatehouse { return .ours(ImportLine(providers: providers, now: now)) }
        do throws(ProviderMap.Fault) {
            return .exported(format, try ProviderMap(map, format: format, providers: providers, now: now))
        } catch {
            throw StoreOptions.fail("\(error)")
        }
    }

    private func tellUnmapped(_ summary: ImportSummary) {
        guard let leftOut = summary.leftOut else { return }
        var parts = leftOut.users > 0 ? ["\(leftOut.users) users who would have no identity here"] : []
        if !leftOut.unmapped.isEmpty { parts.append(leftOut.unmappedText) }
        StandardError.write(
            "gatehouse: nothing was stored, for there are \(parts.joined(separator: "; ")). "
                + "Name a provider with --map, or go on without them with --skip-unmapped.\n")
    }

    private func tell(_ summary: ImportSummary, _ noun: String, isStored: Bool) {
        let bad = summary.bad > 0 ? "\(summary.bad) bad" : "none bad"
        let head =
            isStored
            ? """
            \(summary.lines) \(noun)s, \(bad): \(summary.created) users created, \(summary.alreadyThere) already there, \
            \(summary.completed) completed, \(summary.conflicts) conflicts.

            """ : "\(summary.lines) \(noun)s, \(bad). Nothing was stored.\n"
        report.write(summary.document, head + summary.leftOutText)
    }
}
