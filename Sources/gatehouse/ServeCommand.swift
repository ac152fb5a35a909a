import ArgumentParser
import Composition
import CoreMetrics
import Glibc
import Logging
import Observability
import Operations
import ServiceLifecycle
import Settings
import SignIn
import System
internal import System
import Telemetry
import UnixSignals
import Wings

/// `gatehouse serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the API until SIGTERM or SIGINT, then finish what runs and stop.")

    @OptionGroup var options: ConfigurationOptions

    /// How long the end of the process waits for the reader of the log.
    private static let lastLinesTime = Duration.seconds(2)

    func run() async throws {
        // Before all else, or one that comes while the server starts would end it.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // OpenSSL and libcurl write to sockets too: a peer that is gone must be an error there, not our end.
        IgnoredSignals.add(SIGPIPE)
        // A file that reaches the limit of its size is an error of that write, as a full disk is.
        IgnoredSignals.add(SIGXFSZ)
        // It would have the keys of all TLS connections written to a file.
        let wantsKeyLog = EnvironmentVariables.isSet("SSLKEYLOGFILE")
        EnvironmentVariables.remove("SSLKEYLOGFILE")
        let (settings, effective, notices) = try loaded()
        OpenStore.keepTemporaryFiles(beside: settings.storage)
        let threshold = LogThreshold(settings.log.level)
        let writer = try logWriter(settings.log, threshold)
        defer { writer.flush(within: Self.lastLinesTime) }
        let logger = Self.logger(settings.log.format, threshold, writer.sink)
        for notice in notices + settings.noticesOfExamples() { logger.notice("\(notice)") }
        if wantsKeyLog { logger.warning("SSLKEYLOGFILE has no effect: keys of connections are written nowhere") }
        DescriptorLimit.raise()
        let manager = try serviceManager(settings, writer, logger)
        let server = try await started(settings, manager, writer, logger)
        let reloading = Reloading(
            signals: hangups, file: options.file, effective: effective, server: server, threshold: threshold,
            logger: logger)
        // Before the server says where it listens, so that a reader of that line may stop it at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let stopping = StopSignals(
            signals: signals, lameDuck: .seconds(settings.http.lameDuckSeconds), server: server, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    // Ended last: the service manager hears of this process while it finishes what runs.
                    logged(Watchdog(manager: manager, server: server, logger: logger)), logged(server),
                    logged(reloading),
                    logged(stopping, whenItEnds: .gracefullyShutdownGroup),
                ], logger: logger))
        try await group.run()
        // To the end, or a further signal would end the process in the middle of draining.
        withExtendedLifetime(signals) {}
    }

    /// A service of the group, which logs each by its description: it takes none that has no such line of its own.
    private func logged(
        _ service: some Service & CustomStringConvertible,
        whenItEnds behavior: ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior = .cancelGroup
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        .init(service: service, successTerminationBehavior: behavior)
    }

    /// The server; where it does not start, that is told.
    private func started(
        _ settings: Settings, _ manager: ServiceManager, _ writer: LogWriter, _ logger: Logger
    ) async throws(ExitCode) -> Server {
        do throws(StartError) {
            let metrics = MetricRegistry()
            metrics.add(writer)
            let ofPackages = PackageMetrics()
            MetricsSystem.bootstrap(ofPackages)
            metrics.add(ofPackages)
            let tracer = Tracer(settings)
            if let tracer { metrics.add(tracer) }
            return try await manager.awaiting { () throws(StartError) in
                try await Server.start(
                    settings, wings: Wing.all, observers: Observers([], tracer: tracer), metrics: metrics,
                    manager: manager, logger: logger)
            }
        } catch {
            throw end(for: error, settings, writer, logger)
        }
    }

    /// What has started this process; where it has opened sockets that nobody serves, that is told.
    private func serviceManager(
        _ settings: Settings, _ writer: LogWriter, _ logger: Logger
    ) throws(ExitCode) -> ServiceManager {
        do throws(StartError) {
            return try ServiceManager.ofProcess()
        } catch {
            throw end(for: error, settings, writer, logger)
        }
    }

    /// Says why the server does not start.
    private func end(for error: StartError, _ settings: Settings, _ writer: LogWriter, _ logger: Logger) -> ExitCode {
        switch settings.log.format {
        case .text:
            writer.flush(within: Self.lastLinesTime)
            StandardError.write("gatehouse: \(error)\n")
        case .json: logger.critical("the server does not start", metadata: ["reason": "\(error)"])
        }
        return ExitCode(1)
    }

    /// The configuration; where it is faulty, that is told.
    private func loaded() throws(ExitCode) -> (Settings, [EffectiveSetting], [SettingsNotice]) {
        switch Settings.loadOfProcess(file: options.file, wings: Wing.all.map(\.settings)) {
        case .valid(let settings, let effective, let notices): return (settings, effective, notices)
        case .faulty(let faults, let notices):
            tell(faults, notices)
            throw ExitCode(1)
        }
    }

    /// What writes the log, on a thread of its own.
    private func logWriter(_ log: Settings.Log, _ threshold: LogThreshold) throws(ExitCode) -> LogWriter {
        if let writer = LogWriter(descriptor: STDERR_FILENO, told: Self.dropped(log)) { return writer }
        switch log.format {
        case .text: StandardError.write("gatehouse: the system has no thread left for the log\n")
        case .json:
            Self.logger(.json, threshold, StandardError.write).critical(
                "the server does not start", metadata: ["reason": "the system has no thread left for the log"])
        }
        throw ExitCode(1)
    }

    /// Tells people, or the log collector that is there instead of them, what is wrong with the configuration.
    private func tell(_ faults: [SettingsError], _ notices: [SettingsNotice]) {
        guard Settings.logFormatOfProcess(file: options.file) == .json else {
            return StandardError.write(SettingsReport.text(faults, notices: notices))
        }
        let logger = Self.logger(.json, LogThreshold(.notice), StandardError.write)
        for fault in faults { logger.critical("the configuration is faulty", metadata: ["reason": "\(fault)"]) }
        for notice in notices { logger.notice("\(notice)") }
    }

    private static func logger(
        _ format: LogFormat, _ threshold: LogThreshold, _ sink: @escaping LogOutput.Sink
    ) -> Logger {
        Logger(label: "gatehouse") { _ in
            LogOutput(
                format: format, threshold: threshold, timestamp: LogOutput.currentTimestamp, sink: sink)
        }
    }

    /// Makes the line that says how many others are missing.
    private static func dropped(_ settings: Settings.Log) -> @Sendable (Int) -> [UInt8] {
        { count in
            LogOutput.line(
                .warning, "\(count) log lines were dropped", format: settings.format,
                timestamp: LogOutput.currentTimestamp)
        }
    }
}
