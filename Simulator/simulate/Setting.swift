import CSimulation
import EventLoop
import Foundation
import SimulatedCarriers

/// Where a story plays: carriers, machines and their disk or engine, and what phones share.
struct Setting: Sendable {
    /// Where the carriers send browsers back to.
    private static let callback = "http://127.0.0.1:8080/auth/zenkey/callback"
    private static let masterKey = "VGhlIG1hc3RlciBrZXkgb2YgYSBzaW11bGF0ZWQgd28"

    let machines: [Machine]
    /// What instances share; nil where there is one server with a file.
    let engine: Engine?
    let crowd: Crowd
    let staff: Operator
    let backups = Backups()
    /// Where the disk is.
    let folder: URL

    /// Where a file of that name is on the disk.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The only one.
    var machine: Machine { machines[0] }

    /// Makes one, and takes it away at the end.
    ///
    /// - Parameters:
    ///   - instances: how many servers share a database; nil for one server with a file.
    ///   - takesTickets: whether people register whom nobody knows yet.
    ///   - isPrompt: whether servers and connections never stand still.
    static func with(
        _ story: Story, instances: Int? = nil, takesTickets: Bool = false, isPrompt: Bool = true,
        _ body: (Setting) async -> Void
    ) async {
        let folder = URL(filePath: "/dev/shm/gatehouse-simulation-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let engine = try instances.map { _ in try Engine(in: folder.path + "/engine", story: story) }
            engine?.start()
            let loop = try EventLoop(label: "providers")
            loop.start()
            let simulation = try Simulation(
                ports: .kernelChosen, loops: [loop], clients: SimulatedClient.demo(redirectURIs: [Self.callback]))
            try await simulation.start()
            let masterKey = try engine.map { _ in
                let file = folder.appending(path: "master.key")
                try Data(Self.masterKey.utf8).write(to: file)
                return file.path
            }
            let staff = Operator(configuration: folder.appending(path: "gatehouse.yaml").path, story: story)
            let machines = (0..<(instances ?? 1)).map {
                Machine(
                    $0, simulation, folder: folder, masterKey: masterKey, takesTickets: takesTickets, staff: staff,
                    story: story)
            }
            try Data(machines[0].yaml.utf8).write(to: URL(filePath: staff.configuration))
            // What was there before lasts.
            unsafe simulation_set_disk(folder.path)
            let crowd = Crowd(
                simulation: simulation, story: story, ports: machines.map(\.port), takesTickets: takesTickets,
                isPrompt: isPrompt)
            await body(Setting(machines: machines, engine: engine, crowd: crowd, staff: staff, folder: folder))
            for machine in machines { await machine.stop() }
            await simulation.stop()
            loop.stop()
            engine?.stop()
        } catch {
            story.find("the world can't begin: \(error)")
        }
    }
}
