package import Composition
package import Settings
package import Telemetry
package import Wings

extension Settings {
    private static let fileName = "test.yaml"

    /// Reads a configuration that is in memory, and the files it names from where they are.
    package static func load(
        yaml: String, environment: [String: String] = [:], wings: [Wing] = Wing.all
    ) -> LoadedSettings {
        load(file: fileName, environment: environment, wings: wings.map(\.settings)) {
            path throws(SettingsFileError) in
            path == fileName ? Array(yaml.utf8) : try bytes(of: path)
        }
    }
}

extension Server {
    /// Starts a server with a configuration that is in memory.
    ///
    /// - Throws: ``GatehouseTestingError/configuration(_:)``; `StartError`.
    package static func start(
        yaml: String, environment: [String: String] = [:], wings: [Wing] = Wing.all, observers: Observers = .none,
        log: RecordedLog
    ) async throws -> Server {
        switch Settings.load(yaml: yaml, environment: environment, wings: wings) {
        case .valid(let settings, _, _):
            try await start(
                settings, wings: wings, observers: observers, metrics: MetricRegistry(), logger: log.logger)
        case .faulty(let faults, _):
            throw GatehouseTestingError.configuration(SettingsReport.text(faults, notices: []))
        }
    }
}
