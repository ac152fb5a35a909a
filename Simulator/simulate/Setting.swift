import CSimulation
import EventLoop
import Foundation
import SimulatedCarriers

/// Where a story plays: carriers, a machine and its disk, and what phones share.
struct Setting: Sendable {
    let machine: Machine
    let crowd: Crowd

    /// Makes one, and takes it away at the end.
    static func with(_ story: Story, _ body: (Setting) async -> Void) async {
        let folder = URL(filePath: "/dev/shm/gatehouse-simulation-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            unsafe simulation_set_disk(folder.path)
            let loop = try EventLoop(label: "providers")
            loop.start()
            let simulation = try Simulation(ports: .kernelChosen, loops: [loop], clients: SimulatedClient.demo())
            try await simulation.start()
            let machine = Machine(simulation, folder: folder, story: story)
            await body(Setting(machine: machine, crowd: Crowd(simulation: simulation, story: story)))
            await machine.stop()
            await simulation.stop()
            loop.stop()
        } catch {
            story.find("the world can't begin: \(error)")
        }
    }
}
