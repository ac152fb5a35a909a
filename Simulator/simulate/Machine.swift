import CSimulation
import Composition
import EventLoop
import Foundation
import GatehouseTesting
import SimulatedCarriers
import Synchronization

/// The machine that the server runs on. It may be killed at any moment and started again.
final class Machine: Sendable {
    private struct State {
        var owner: Int32 = 0
        var server: Server?
        var failure: String?
    }

    static let port: UInt16 = 8080
    private static let patience: Duration = .seconds(60)
    private static let pause: Duration = .milliseconds(50)

    private let yaml: String
    private let story: Story
    private let state = Mutex(State())
    private let logs = Mutex<[RecordedLog]>([])

    init(_ simulation: Simulation, folder: URL, story: Story) {
        let patience = ["timeoutSeconds: 5", "signInTimeoutSeconds: 20"]
        yaml = TestConfiguration(port: Self.port, zenkey: patience, plain: patience).yaml(simulation, folder)
        self.story = story
    }

    var isRunning: Bool { state.withLock { $0.server != nil } }

    /// Starts the server, and waits until it listens.
    ///
    /// - Returns: why it does not start; nil where it does.
    func start() async -> String? {
        let owner = state.withLock { state in
            state.owner += 1
            (state.server, state.failure) = (nil, nil)
            return state.owner
        }
        let log = RecordedLog()
        logs.withLock { $0.append(log) }
        Task { [yaml] in
            simulation_set_owner(owner)
            do {
                let server = try await Server.start(yaml: yaml, log: log)
                state.withLock { if $0.owner == owner { $0.server = server } }
            } catch {
                state.withLock { if $0.owner == owner { $0.failure = "\(error)" } }
            }
        }
        let began = ContinuousClock.now
        while ContinuousClock.now - began < Self.patience {
            if isRunning {
                story.tell("the server listens")
                return nil
            }
            if let failure = state.withLock(\.failure) { return failure }
            try? await Task.sleep(for: Self.pause)
        }
        return "it does not come up"
    }

    /// Kills the server where it stands.
    func kill(losesPower: Bool) {
        let owner = state.withLock { state in
            state.server = nil
            return state.owner
        }
        simulation_kill(owner)
        let before = simulation_lost_sectors()
        simulation_crash_disk(losesPower)
        story.count(losesPower ? "power cuts" : "kills")
        let lost = simulation_lost_sectors() - before
        story.tell(losesPower ? "the power fails; \(lost) sectors are lost or torn" : "the server is killed")
    }

    /// Whose what the present server does is.
    var owner: Int32 { state.withLock(\.owner) }

    /// Takes note of a power failure that has come at a chosen call.
    func noteCrash() {
        state.withLock { $0.server = nil }
        story.tell("the power fails at the chosen call")
    }

    /// Stops it as operators do.
    func stop() async {
        let (server, owner) = state.withLock { ($0.server, $0.owner) }
        guard let server else { return }
        let end = Flag()
        Task {
            simulation_set_owner(owner)
            await server.stop()
            end.set()
        }
        // Its power may go meanwhile, and then it never ends.
        while !end.isSet, !simulation_has_crashed() { try? await Task.sleep(for: Self.pause) }
        // It may have been started again meanwhile.
        state.withLock { if $0.owner == owner { $0.server = nil } }
    }

    /// The last lines of the present server's log.
    var log: String { logs.withLock { String(($0.last?.text ?? "").suffix(4000)) } }
}
