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
        // A file that reaches the limit of its size is an error of that write, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        let settings: Settings
        let effective: [EffectiveSetting]
        let notices: [SettingsNotice]
        switch Settings.loadOfProcess(file: options.file) {
        case .valid(let valid, let shown, let found): (settings, effective, notices) = (valid, shown, found)
        case .faulty(let faults, let notices):
            tell(faults, notices)
            throw ExitCode(1)
        }
        let threshold = LogThreshold(settings.log.level.loggerLevel)
        let logger = Self.logger(settings.log.format, threshold)
        for notice in notices { logger.notice("\(notice)") }
        if let limit = DescriptorLimit.raise(), let connections = settings.http.connections, limit < connections {
            logger.warning(
                "fewer descriptors than http.connections; raise the hard limit of open files",
                metadata: [
                    "descriptors": .stringConvertible(limit), "connections": .stringConvertible(connections),
                ])
        }
        let server: Server
        do throws(StartFailure) {
            server = try await Server.start(settings, logger: logger)
        } catch {
            switch settings.log.format {
            case .text: StandardError.write("gatehouse: \(error)\n")
            case .json: logger.critical("the server does not start", metadata: ["reason": "\(error)"])
            }
            throw ExitCode(1)
        }
        let reloading = Reloading(
            file: options.file, effective: effective, providers: server.providers, apiKeys: server.apiKeys,
            admin: server.admin,
            threshold: threshold,
            logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server), .init(service: reloading)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    /// Tells people, or the log collector that is there instead of them, what is wrong with the configuration.
    private func tell(_ faults: [SettingsFault], _ notices: [SettingsNotice]) {
        guard Settings.logFormatOfProcess(file: options.file) == .json else {
            return StandardError.write(SettingsReport.text(faults, notices: notices))
        }
        let logger = Self.logger(.json, LogThreshold(.notice))
        for fault in faults { logger.critical("the configuration is faulty", metadata: ["reason": "\(fault)"]) }
        for notice in notices { logger.notice("\(notice)") }
    }

    private static func logger(_ format: LogFormat, _ threshold: LogThreshold) -> Logger {
        Logger(label: "gatehouse") { _ in
            LogOutput(
                format: format == .json ? .json : .text, threshold: threshold,
                timestamp: LogOutput.currentTimestamp, sink: LogOutput.standardError)
        }
    }
}

extension LogLevel {
    var loggerLevel: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
