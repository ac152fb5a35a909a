package import Composition
import EventLoop
public import Foundation
import HTTPTesting
import Settings
public import SimulatedCarriers
package import Telemetry
package import Wings

/// A whole Gatehouse with simulated providers, in this process, for the tests of an app.
///
/// ```swift
/// let gatehouse = try await RunningGatehouse.start()
/// let approved = try await gatehouse.authorize("ada")
/// // The app signs in at gatehouse.baseURL with approved.code, approved.codeVerifier and the rest.
/// await gatehouse.stop()
/// ```
///
/// It listens on ports of the kernel's choice and keeps its users in a folder of its own, so that any number of them
/// run beside each other. It has two providers: the section `zenkey`, with two carriers behind it, and `plain`, an
/// OpenID Provider.
public final class RunningGatehouse: Sendable {
    /// The app's client ID at the carriers.
    public static let clientID = "ccid-0123456789abcdef"
    /// And its redirect URI there.
    public static let redirectURI = "ccid-0123456789abcdef://com.xci.provider.sdk"
    /// What browsers call the service, where a test has one: nothing listens there, and the test takes each address to
    /// ``baseURL`` instead.
    package static let browserOrigin = "http://127.0.0.1:1"

    /// Where the app finds the service, such as `http://127.0.0.1:49152`.
    public let baseURL: URL
    /// Where its operators do: `/metrics`, `/admin/users`.
    public let operatorURL: URL
    /// The providers. A test may have them fail: `simulation.misbehave(.answer(.serviceUnavailable), at: .token)`.
    public let simulation: Simulation
    /// What the service has logged.
    public let log: RecordedLog
    package let server: Server
    /// Where the API listens.
    package let port: UInt16
    /// Where the API for operators listens.
    package let adminPort: UInt16
    /// Where its users are.
    package let folder: URL
    private let loop: EventLoop

    /// Starts the service and its providers. Stop them at the end, or use ``withGatehouse(configuration:_:)``.
    ///
    /// - Parameter configuration: more lines of the YAML configuration, such as `registration: ticket`.
    /// - Throws: ``GatehouseTestingError/configuration(_:)`` for lines that are wrong.
    public static func start(configuration: String = "") async throws -> RunningGatehouse {
        try await start(TestConfiguration(top: configuration))
    }

    /// Stops the service and its providers, and removes its users.
    public func stop() async {
        await server.stop()
        await simulation.stop()
        loop.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs `body`, and stops then, whatever comes of it.
    package func run<Value>(_ body: (RunningGatehouse) async throws -> Value) async throws -> Value {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(self)) } catch { outcome = .failure(error) }
        await stop()
        return try outcome.get()
    }

    /// - Parameters:
    ///   - latency: how long each call to a provider takes.
    ///   - codeLifetime: of the providers' codes, in seconds; nil for what is usual.
    ///   - environment: the variables of the configuration.
    package static func start(
        _ configuration: TestConfiguration, latency: Duration = .zero, codeLifetime: Int64? = nil,
        environment: [String: String] = [:], wings: [Wing] = Wing.all, observers: Observers = .none
    ) async throws -> RunningGatehouse {
        let loop = try EventLoop(label: "simulation")
        loop.start()
        let simulation = try Simulation(
            ports: .kernelChosen, loops: [loop], clients: configuration.clients(calledBackAt: browserOrigin),
            latency: latency, codeLifetime: codeLifetime)
        try await simulation.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID().uuidString)")
        let log = RecordedLog()
        do {
            let server = try await Server.start(
                yaml: configuration.yaml(simulation, folder), environment: environment, wings: wings,
                observers: observers, log: log)
            return try RunningGatehouse(simulation, server, log, folder, loop)
        } catch {
            await simulation.stop()
            loop.stop()
            throw error
        }
    }

    private init(
        _ simulation: Simulation, _ server: Server, _ log: RecordedLog, _ folder: URL, _ loop: EventLoop
    ) throws {
        func url(_ port: UInt16) throws -> URL {
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
            return url
        }
        port = server.address.port
        adminPort = server.adminAddress.port
        baseURL = try url(port)
        operatorURL = try url(adminPort)
        self.simulation = simulation
        self.server = server
        self.log = log
        self.folder = folder
        self.loop = loop
    }
}

/// Starts a service and its providers for an app's test, runs `body`, and stops both, whatever comes of it.
///
/// - Parameter configuration: as for ``RunningGatehouse/start(configuration:)``.
public func withGatehouse<Value>(
    configuration: String = "", _ body: (RunningGatehouse) async throws -> Value
) async throws -> Value {
    try await RunningGatehouse.start(configuration: configuration).run(body)
}

/// Why a service is not started, or nobody is signed in.
public enum GatehouseTestingError: Error {
    /// What is wrong with the configuration.
    case configuration(String)
    /// The provider has sent no code back to the app, but this.
    case noCode(String)
}
