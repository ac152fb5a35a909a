import Composition
import Foundation
import GatehouseTesting
import SimulatedCarriers
import Telemetry
import Wings

/// Where each test changes what it is about; see ``TestConfiguration``.
extension RunningGatehouse {
    typealias Limits = TestConfiguration.Limits

    /// Starts a service and its providers, runs `body`, and stops both.
    static func with(
        top: String = "", http: String = "", zenkey: [String] = [], plain: [String] = [],
        telenor: [String: [String]] = [:], others: [String: [String]] = [:], limits: Limits = Limits(),
        latency: Duration = .zero, codeLifetime: Int64? = nil,
        environment: [String: String] = [:], adminToken: String? = nil, wings: [Wing] = Wing.all,
        observers: Observers = .none,
        _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        let configuration = TestConfiguration(
            top: top, http: http, zenkey: zenkey, plain: plain, telenor: telenor, others: others, limits: limits,
            adminToken: adminToken)
        let running = try await start(
            configuration, latency: latency, codeLifetime: codeLifetime, environment: try await shared(environment),
            wings: wings, observers: observers)
        try await running.run(body)
    }

    /// Starts another server.
    static func start(
        _ yaml: String, _ log: RecordedLog, _ environment: [String: String], wings: [Wing] = Wing.all,
        observers: Observers = .none
    ) async throws -> Server {
        try await Server.start(
            yaml: yaml, environment: try await shared(environment), wings: wings, observers: observers, log: log)
    }

    static func yaml(
        _ simulation: Simulation, _ folder: URL, top: String = "", http: String = "", port: UInt16 = 0,
        zenkey: [String] = [], plain: [String] = [], telenor: [String: [String]] = [:],
        others: [String: [String]] = [:], limits: Limits = Limits(),
        adminToken: String? = nil, lameDuckSeconds: Int = 0
    ) -> String {
        TestConfiguration(
            top: top, http: http, port: port, zenkey: zenkey, plain: plain, telenor: telenor, others: others,
            limits: limits, adminToken: adminToken, lameDuckSeconds: lameDuckSeconds
        ).yaml(simulation, folder)
    }

    /// The variables of a test, and those of the store that all tests have.
    private static func shared(_ environment: [String: String]) async throws -> [String: String] {
        environment.merging(try await SharedStore.environment()) { own, _ in own }
    }
}
