import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite struct `A server that is told to stop` {
    /// Runs `body` with a server in a process of its own and the port of its API for operators.
    private func with(
        lameDuckSeconds: Int, _ body: (ServerProcess, _ adminPort: UInt16, _ log: URL) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "stopping")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "gatehouse.yaml")
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, lameDuckSeconds: lameDuckSeconds)
            try Data(yaml.utf8).write(to: file)
            let log = folder.appending(path: "log")
            let server = try await ServerProcess(configuration: file, log: log)
            defer { server.kill() }
            var found: UInt16?
            try await eventually("the operators' port") {
                found = text(log).firstMatch(of: /admin listening address=127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }
                return found != nil
            }
            try await body(server, try #require(found), log)
        }
    }

    private func text(_ file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    private func isReady(_ port: UInt16) async throws -> Bool {
        try await LoopbackClient(port: port).send("GET", "/readyz").status == 200
    }

    @Test func `a server that is told to stop is not ready but accepts as before, until a second signal`() async throws
    {
        try await with(lameDuckSeconds: 3600) { server, adminPort, log in
            #expect(try await isReady(adminPort))
            server.signal(SIGTERM)
            try await eventually("a server that is not ready") { try await !isReady(adminPort) }
            for _ in 0..<3 {
                let answer = try await LoopbackClient(port: server.port).send("GET", "/healthz")
                #expect(answer.status == 200)
            }
            #expect(!text(log).contains("draining"))
            server.signal(SIGTERM)
            #expect(await server.process.ended() == .exited(0))
            #expect(text(log).contains("stopped"))
        }
    }

    @Test func `a server that is told to stop by its time drains without a second signal`() async throws {
        try await with(lameDuckSeconds: 1) { server, _, log in
            let clock = ContinuousClock()
            let start = clock.now
            server.signal(SIGTERM)
            #expect(await server.process.ended() == .exited(0))
            #expect(clock.now - start >= .seconds(1))
            #expect(text(log).contains("stopped"))
        }
    }

    @Test func `a server that is told to stop by somebody at the keyboard drains at once`() async throws {
        try await with(lameDuckSeconds: 3600) { server, _, log in
            server.signal(SIGINT)
            #expect(await server.process.ended() == .exited(0))
            #expect(text(log).contains("stopped"))
        }
    }
}
