import CSimulation
import Composition
import EventLoop
import Foundation
import GatehouseTesting
import ServiceLifecycle
import SimulatedCarriers
import Synchronization

/// Numbers for what can be killed by itself.
enum Owners {
    private static let count = Atomic<Int32>(0)

    static var last: Int32 { count.load(ordering: .relaxed) }
    static func next() -> Int32 { count.add(1, ordering: .relaxed).newValue }
}

/// A machine that a server runs on. It may be killed at any moment and started again.
final class Machine: Sendable {
    private struct State {
        var owner: Int32 = 0
        /// What runs the server, as the program has it.
        var group: ServiceGroup?
        var hasEnded = false
        var failure: String?
    }

    /// That of the first one; the others have those behind it.
    private static let firstPort: UInt16 = 8080
    private static let patience: Duration = .seconds(60)
    private static let pause: Duration = .milliseconds(50)

    let number: Int
    let port: UInt16
    let yaml: String
    /// Whether what it stores is on its own disk.
    private let keepsStore: Bool
    private let staff: Operator
    private let story: Story
    private let state = Mutex(State())
    private let logs = Mutex<[RecordedLog]>([])

    /// The YAML lines of the provider by whose SDK people sign in.
    private static let google = [
        "profile: openid", "clientID: \(Simulation.serverClient(at: .google))", "clientSecret: demo-secret-google",
        "audiences: [\(Simulation.appClients(at: .google).joined(separator: ", "))]", "issuer: '{google}'",
        "redirectURIs: ['com.example.app:/callback']", "nativeTokens: true", "requirePKCE: false", "userinfo: false",
    ]

    /// - Parameters:
    ///   - masterKey: of a store that instances share; nil for a file of its own.
    ///   - takesTickets: whether people register whom nobody knows yet.
    init(
        _ number: Int, _ simulation: Simulation, folder: URL, masterKey: String?, takesTickets: Bool, staff: Operator,
        story: Story
    ) {
        (self.number, port, self.staff) = (number, Self.firstPort + UInt16(number), staff)
        let patience = ["timeoutSeconds: 5", "signInTimeoutSeconds: 20"]
        let storage = masterKey.map {
            """
            url: 'postgres://\(Engine.user)@127.0.0.1:\(Engine.port)/postgres?sslmode=disable', masterKeyFile: '\($0)', \
            create: true
            """
        }
        yaml = TestConfiguration(
            top: """
                session: {issuer: 'http://127.0.0.1:\(Self.firstPort)'}
                \(takesTickets ? "registration: ticket" : "")
                \(BrowserSignIn.configuration)
                """, port: port, zenkey: patience, plain: patience + ["keepTokens: true"],
            others: ["google": Self.google], storage: storage
        ).yaml(simulation, folder)
        keepsStore = masterKey == nil
        self.story = story
    }

    var isRunning: Bool { state.withLock { $0.group != nil && !$0.hasEnded } }

    private var name: String { "server \(number)" }

    /// Starts the server, and waits until it listens.
    ///
    /// - Returns: why it does not start; nil where it does.
    func start() async -> String? {
        let owner = Owners.next()
        state.withLock { $0 = State(owner: owner) }
        let log = RecordedLog()
        logs.withLock { $0.append(log) }
        Task { [yaml] in
            simulation_set_owner(owner)
            do {
                let server = try await Server.start(yaml: yaml, log: log)
                let group = ServiceGroup(services: [server], logger: log.logger)
                state.withLock { if $0.owner == owner { $0.group = group } }
                try await group.run()
                state.withLock { if $0.owner == owner { $0.hasEnded = true } }
            } catch {
                state.withLock { if $0.owner == owner { $0.failure = "\(error)" } }
            }
        }
        let began = ContinuousClock.now
        while ContinuousClock.now - began < Self.patience {
            if isRunning {
                story.tell("\(name) listens")
                return nil
            }
            if let failure = state.withLock(\.failure) { return failure }
            try? await Task.sleep(for: Self.pause)
        }
        // It may still be about to.
        simulation_kill(owner)
        return "it does not come up: \(self.log)"
    }

    /// Kills the server where it stands.
    func kill(losesPower: Bool) {
        let owner = state.withLock { state in
            state.group = nil
            return state.owner
        }
        simulation_kill(owner)
        guard keepsStore else {
            story.count("kills")
            return story.tell("\(name) is killed")
        }
        end(losesPower: losesPower)
    }

    /// Ends all that runs on it, and with its power what its disk has not synced.
    func end(losesPower: Bool) {
        staff.end()
        let before = simulation_lost_sectors()
        simulation_crash_disk(losesPower)
        story.count(losesPower ? "power cuts" : "kills")
        let lost = simulation_lost_sectors() - before
        story.tell(losesPower ? "the power fails; \(lost) sectors are lost or torn" : "\(name) is killed")
    }

    /// Whose what the present server does is.
    var owner: Int32 { state.withLock(\.owner) }

    /// Has it stand still for a time, with all its connections.
    func pause(for time: Duration) async {
        let owner = owner
        simulation_pause(owner, true)
        story.count("pauses")
        story.tell("\(name) stands still")
        try? await Task.sleep(for: time)
        simulation_pause(owner, false)
    }

    /// Takes note of a power failure that has come at a chosen call.
    func noteCrash() {
        state.withLock { $0.group = nil }
        story.tell("the power fails at the chosen call")
    }

    /// Stops it as operators do.
    func stop() async {
        let (group, owner) = state.withLock { ($0.group, $0.owner) }
        guard let group else { return }
        await group.triggerGracefulShutdown()
        // Its power may go meanwhile, and then it never ends.
        let hadCrashed = simulation_has_crashed()
        let began = ContinuousClock.now
        while state.withLock({ $0.owner == owner && $0.group != nil && !$0.hasEnded }) {
            if !hadCrashed, simulation_has_crashed() { return }
            if ContinuousClock.now - began > Self.patience {
                simulation_kill(owner)
                story.find("\(name) does not stop")
                break
            }
            try? await Task.sleep(for: Self.pause)
        }
        // It may have been started again meanwhile.
        state.withLock { if $0.owner == owner { $0.group = nil } }
    }

    /// The last lines of the present server's log.
    var log: String { logs.withLock { String(($0.last?.text ?? "").suffix(4000)) } }
}
