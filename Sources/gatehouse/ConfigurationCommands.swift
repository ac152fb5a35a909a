import ArgumentParser
import JSON
import Settings

/// `gatehouse check-config`: everything that is wrong with the configuration, at once.
struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Validate the configuration and report every fault at once.",
        discussion: "Exits 0 when the configuration can be served, 1 when it can't.")

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "Report as JSON on standard output.")
    var json = false

    func run() throws {
        let faults: [SettingsError]
        let notices: [SettingsNotice]
        switch Settings.loadOfProcess(file: options.file) {
        case .valid(_, _, let found): (faults, notices) = ([], found)
        case .faulty(let found, let others): (faults, notices) = (found, others)
        }
        if json {
            StandardOutput.write(SettingsReport.json(faults, notices: notices))
        } else {
            StandardError.write(SettingsReport.text(faults, notices: notices))
            if faults.isEmpty { StandardOutput.write("The configuration is valid.\n") }
        }
        if !faults.isEmpty { throw ExitCode(1) }
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
        guard !reference else { return StandardOutput.write(SettingsReference.markdown) }
        switch Settings.loadOfProcess(file: options.file) {
        case .valid(_, let effective, let notices):
            if json {
                StandardOutput.write(SettingsReport.json(effective, notices: notices))
            } else {
                StandardError.write(SettingsReport.text([], notices: notices))
                StandardOutput.write(SettingsReport.text(effective))
            }
        case .faulty(let faults, let notices):
            StandardError.write(SettingsReport.text(faults, notices: notices))
            throw ExitCode(1)
        }
    }
}
