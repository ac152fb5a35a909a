import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import Testing

@Suite struct `The log of a server that nobody reads` {
    @Test func `leaves it serving, and stopping in order`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "unread")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "gatehouse.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, folder).utf8).write(to: file)
            let pipe = Pipe()
            let server = try await ServerProcess(configuration: file, pipe: pipe)
            // F_SETPIPE_SZ, which Glibc does not show: the least a pipe holds, so that it is full after some fifty
            // requests.
            #expect(fcntl(pipe.fileHandleForReading.fileDescriptor, 1031, 4096) >= 0)
            for number in 0..<300 {
                guard (try? await LoopbackClient(port: server.port).send("GET", "/healthz"))?.status == 200 else {
                    Issue.record("request \(number) was not answered")
                    break
                }
            }
            server.signal(SIGTERM)
            #expect(try await server.ends(within: .seconds(20)))
            #expect(await server.process.ended() == .exited(0))
            withExtendedLifetime(pipe) {}
        }
    }
}
