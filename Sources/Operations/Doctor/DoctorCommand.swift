import ArgumentParser
import Composition
import Providers
import Settings
internal import System
import Wings

/// `gatehouse doctor`: everything on this host that can keep people from signing in, with its remedy.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at everything here that can keep people from signing in, and say what to do.",
        discussion: """
            It changes nothing, and may be asked beside the running server. The configuration, files and their rights, \
            addresses, limits of this user, the store and the way to each provider are looked at. Exits 0 where all is \
            well, 1 where there are warnings, 2 where something is bad.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var report: ReportOptions
    @Flag(help: "Leave the providers out, who are asked otherwise.")
    var offline = false

    func run() async throws {
        let found = await diagnoses()
        report.write(found.json, found.text)
        if found.exitStatus != 0 { throw ExitCode(found.exitStatus) }
    }

    private func diagnoses() async -> [Diagnosis] {
        switch Settings.loadOfProcess(file: options.file, wings: Wing.all.map(\.settings)) {
        case .faulty(let faults, let notices):
            // Without a configuration that holds nobody knows what else to look at.
            return faults.map(Diagnosis.init) + notices.map(Diagnosis.init)
        case .valid(let settings, let effective, let notices):
            let now = WallClock.now.seconds
            // Before the store is opened, which has its log emptied where no server runs.
            let ofStore = await StoreCheckup(settings: settings, now: now).diagnoses()
            var look = ConfigurationLook(settings, effective, now: now)
            await look.look()
            let host = HostCheckup(settings: settings)
            let told = notices + settings.noticesOfExpiry(now: now) + settings.noticesOfExamples()
            var found = [Diagnosis("configuration", .good, "it holds")]
            found += look.faults.map(Diagnosis.init) + told.map(Diagnosis.init)
            found += look.notices.map(Diagnosis.init)
            if !host.isAnswering { found += look.taken.map(Diagnosis.init) }
            found += host.diagnoses()
            found += ofStore
            if !offline { found += await providers(settings) }
            return found
        }
    }

    /// Those that are found by a mobile network are left out: which one would do, nobody has said.
    private func providers(_ settings: Settings) async -> [Diagnosis] {
        let asked = settings.providers.filter { !$0.isOfCarriers }
        guard let rows = try? await ProbeRun(settings: settings).findings(of: asked, network: nil) else {
            return [Diagnosis("providers", .bad, "they can't be asked from here: no event loop can be had")]
        }
        return rows.map { row in
            Diagnosis(
                "provider \(row.provider), \(row.finding.step.rawValue)", row.isGood ? .good : .bad,
                row.finding.sentence)
        }
    }
}
