import ArgumentParser
import Glibc
import Logging
import Observability
import ServiceLifecycle
import Settings
import UnixSignals

/// `gatehouse serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the API until SIGTERM or SIGINT, then finish what runs and stop.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // OpenSSL and libcurl write to sockets too: a peer that is gone must be an error there, not our end.
        signal(SIGPIPE, SIG_IGN)
        let settings: Settings
        let notices: [SettingsNotice]
        switch Settings.loadOfProcess(file: options.file) {
        case .valid(let valid, _, let found): (settings, notices) = (valid, found)
        case .faulty(let faults, let notices):
            StandardError.write(SettingsReport.text(faults, notices: notices))
            throw ExitCode(1)
        }
        let logger = Self.logger(settings.log)
        for notice in notices { logger.notice("\(notice)") }
        let server: Server
        do throws(StartFailure) {
            server = try await Server.start(settings, logger: logger)
        } catch {
            StandardError.write("gatehouse: \(error)\n")
            throw ExitCode(1)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    private static func logger(_ settings: Settings.Log) -> Logger {
        var logger = Logger(label: "gatehouse") { _ in
            LogOutput(
                format: settings.format == .json ? .json : .text, level: settings.level.loggerLevel,
                timestamp: LogOutput.currentTimestamp, sink: LogOutput.standardError)
        }
        logger.logLevel = settings.level.loggerLevel
        return logger
    }
}

extension LogLevel {
    var loggerLevel: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
