import ArgumentParser
import Composition
import JSON
import Providers
import Settings
internal import System
import Wings

/// `gatehouse check-config`: everything that is wrong with the configuration, at once.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Validate the configuration and report every fault at once.",
        discussion: """
            Exits 0 when the configuration can be served, 1 when it can't. The addresses that the server listens on, the \
            files and the store are looked at as they are here; what may be otherwise where the server runs is a notice. \
            With --online every provider is asked as gatehouse providers probe does, but for those that are found by a \
            mobile network.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "Report as JSON on standard output.")
    var json = false
    @Flag(help: "Ask the providers, too, whether they answer and know us.")
    var online = false

    func run() async throws {
        switch Settings.loadOfProcess(file: options.file, wings: Wing.all.map(\.settings)) {
        case .faulty(let faults, let notices):
            if json {
                StandardOutput.write(SettingsReport.json(faults, notices: notices))
            } else {
                StandardError.write(SettingsReport.text(faults, notices: notices))
            }
            throw ExitCode(1)
        case .valid(let settings, let effective, let lasting):
            let now = WallClock.now.seconds
            var look = ConfigurationLook(settings, effective, now: now)
            await look.look()
            let notices =
                lasting + settings.noticesOfExpiry(now: now) + settings.noticesOfExamples() + look.notices + look.taken
            let rows = online ? try await probed(settings) : []
            if json {
                var report = SettingsReport.json(look.faults, notices: notices).object ?? JSONObject()
                if online { report.append("providers", ProbeRun.json(rows)) }
                StandardOutput.write(.object(report))
            } else {
                StandardError.write(SettingsReport.text(look.faults, notices: notices))
                if look.faults.isEmpty { StandardOutput.write("The configuration is valid.\n") }
                StandardOutput.write(ProbeRun.text(rows))
            }
            guard look.faults.isEmpty, rows.allSatisfy(\.isGood) else { throw ExitCode(1) }
        }
    }

    /// Without a network there is no carrier to ask, and which one would do nobody has said.
    private func probed(_ settings: Settings) async throws -> [ProbeRun.Row] {
        let asked = settings.providers.filter { !$0.isOfCarriers }
        return try await ProbeRun(settings: settings).findings(of: asked, network: nil)
    }
}

/// `gatehouse print-config`: every key, its value in effect, and where that comes from.
struct PrintConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-config",
        abstract: "Show the effective configuration with the source of each value; secrets are redacted.")

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "Print what every key is, as Markdown, and read no configuration: the table of Documentation.")
    var reference = false

    func run() throws {
        guard !reference else {
            return StandardOutput.write(SettingsReference.markdown(wings: Wing.all.map(\.settings)))
        }
        switch Settings.loadOfProcess(file: options.file, wings: Wing.all.map(\.settings)) {
        case .valid(_, let effective, let notices):
            if json {
                StandardOutput.write(SettingsReport.json(effective, notices: notices))
            } else {
                StandardError.write(SettingsReport.text([], notices: notices))
                StandardOutput.write(SettingsReport.text(effective))
            }
        case .faulty(let faults, let notices):
            if json {
                StandardOutput.write(SettingsReport.json(faults, notices: notices))
            } else {
                StandardError.write(SettingsReport.text(faults, notices: notices))
            }
            throw ExitCode(1)
        }
    }
}
