import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A crowd that only holds connections open` {
    /// Runs `body` with a server that may have few descriptors.
    private func with(
        descriptors: Int, _ body: (RunningGatehouse, ServerProcess, _ log: () -> String) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "crowded")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "gatehouse.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, folder).utf8).write(to: file)
            let log = folder.appending(path: "log")
            let server = try await ServerProcess(configuration: file, log: log, descriptors: descriptors)
            defer { server.kill() }
            try await body(gatehouse, server) { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
        }
    }

    private func signIn(_ gatehouse: RunningGatehouse, _ server: ServerProcess) async throws -> HTTPTestAnswer {
        let app = try await gatehouse.authorize("ada")
        return try await LoopbackClient(port: server.port).send(
            "POST", "/auth/signin", headers: ["Content-Type": "application/json"],
            body: app.body().serialized)
    }

    private func status(on connection: HTTPTestConnection) throws -> Int {
        connection.write(HTTPTestRequest("GET", "/healthz").bytes(to: "127.0.0.1", isLast: false))
        return try connection.readAnswer().status
    }

    @Test func `leaves descriptors for sign-ins, and the log tells the limit`() async throws {
        try await with(descriptors: 200) { gatehouse, server, log in
            #expect(log().contains(/fewer descriptors than http\.connections .*configured=20000 .*descriptors=200/))
            let silent = try (0..<260).map { _ in try HTTPTestConnection(to: server.port) }
            for _ in 0..<5 {
                let answer = try await signIn(gatehouse, server)
                #expect(answer.status == 200, "\(answer.text)")
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func `gives the descriptors of its oldest to the newest when none are left`() async throws {
        try await with(descriptors: 1024) { _, server, _ in
            let early = try HTTPTestConnection(to: server.port)
            #expect(try status(on: early) == 200)
            // Somebody takes away what was there at the start.
            let used = try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(server.process.identifier)/fd")
            let change = try ChildProcess(
                URL(filePath: "/usr/bin/prlimit"),
                ["--pid", "\(server.process.identifier)", "--nofile=\(used.count + 20):"])
            try #require(await change.ended() == .exited(0))
            var connections: [HTTPTestConnection] = []
            for _ in 0..<60 {
                connections.append(try HTTPTestConnection(to: server.port))
                #expect(try status(on: connections[connections.count - 1]) == 200)
            }
            #expect(try early.read().isEmpty)
        }
    }

    @Test(arguments: [
        (200, 2, 20_000, 56), (1024, 2, 20_000, 623), (20_000, 2, 20_000, 19_224), (1_048_576, 64, 20_000, 20_000),
        (65_536, 2, 100, 100), (65_536, 2, nil, 64_760), (10, 2, 20_000, 1),
    ])
    func `a crowd that only holds connections open never has more than descriptors allow`(
        _ descriptors: Int, _ loops: Int, configured: Int?, clients: Int
    ) {
        func shares(_ descriptors: Int?) -> DescriptorShares {
            DescriptorShares(connections: configured, calls: 128, descriptors: descriptors, loops: loops)
        }
        #expect(shares(descriptors).clients == clients)
        #expect(shares(nil).clients == configured ?? 0)
    }
}
