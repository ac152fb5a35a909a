import CSimulation
import EventLoop
import Foundation
import SimulatedCarriers

/// Where a story plays: carriers, machines and their disk or engine, and what phones share.
struct Setting: Sendable {
    private static let masterKey = "VGhlIG1hc3RlciBrZXkgb2YgYSBzaW11bGF0ZWQgd28"

    let machines: [Machine]
    /// What instances share; nil where there is one server with a file.
    let engine: Engine?
    let crowd: Crowd
    /// Where the disk is.
    let folder: URL

    /// The only one.
    var machine: Machine { machines[0] }

    /// Makes one, and takes it away at the end.
    ///
    /// - Parameter instances: how many servers share a database; nil for one server with a file.
    static func with(_ story: Story, instances: Int? = nil, _ body: (Setting) async -> Void) async {
        let folder = URL(filePath: "/dev/shm/gatehouse-simulation-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            unsafe simulation_set_disk(folder.path)
            let engine = try instances.map { _ in try Engine(in: folder.path + "/engine", story: story) }
            engine?.start()
            let loop = try EventLoop(label: "providers")
            loop.start()
            let simulation = try Simulation(ports: .kernelChosen, loops: [loop], clients: SimulatedClient.demo())
            try await simulation.start()
            let masterKey = try engine.map { _ in
                let file = folder.appending(path: "master.key")
                try Data(Self.masterKey.utf8).write(to: file)
                return file.path
            }
            let machines = (0..<(instances ?? 1)).map {
                Machine($0, simulation, folder: folder, masterKey: masterKey, story: story)
            }
            let crowd = Crowd(simulation: simulation, story: story, ports: machines.map(\.port))
            await body(Setting(machines: machines, engine: engine, crowd: crowd, folder: folder))
            for machine in machines { await machine.stop() }
            await simulation.stop()
            loop.stop()
            engine?.stop()
        } catch {
            story.find("the world can't begin: \(error)")
        }
    }
}
