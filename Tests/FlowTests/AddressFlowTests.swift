import EventLoop
import Foundation
import Glibc
import Settings
import SignIn
import Testing

@testable import gatehouse

@Suite struct `A server that listens` {
    /// A configuration of a server there, on a port that was free a moment ago.
    private func configuration(_ gatehouse: RunningGatehouse, host: String, port: UInt16) throws -> URL {
        let folder = gatehouse.folder.appending(path: "at-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "gatehouse.yaml")
        let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder).replacing(
            "http: {host: 127.0.0.1, port: 0,", with: "http: {host: '\(host)', port: \(port),")
        // On every address at once there is no name that could be made of it.
        try Data((yaml + "\nsession: {issuer: 'https://sign-in.example'}\n").utf8).write(to: file)
        return file
    }

    private static func freePort() throws -> UInt16 {
        try ListeningSocket(host: "127.0.0.1", port: 0, sharesPort: false).address.port
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.2", "0.0.0.0", "::", "::0", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost",
    ])
    func `is found by the health check wherever it listens`(host: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            let port = try Self.freePort()
            let file = try configuration(gatehouse, host: host, port: port)
            let log = file.deletingLastPathComponent().appending(path: "log")
            let before = try await CommandRun(["healthcheck", "--config", file.path])
            #expect(before.status == 1)
            #expect(before.errors == "The server does not answer.\n")
            let process = try ServerProcess.launch(["serve", "--config", file.path], log: log)
            let deadline = ContinuousClock.now + .seconds(20)
            while try !String(contentsOf: log, encoding: .utf8).contains(" listening "), ContinuousClock.now < deadline
            {
                try await Task.sleep(for: .milliseconds(10))
            }
            let run = try await CommandRun(["healthcheck", "--config", file.path])
            #expect(run.status == 0, "\(run.errors)")
            process.signal(SIGKILL)
            await process.ended()
        }
    }

    @Test func `at a name is found at each of its addresses`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let port = try Self.freePort()
            let file = try configuration(gatehouse, host: "localhost", port: port)
            let server = try await ServerProcess(
                configuration: file, log: file.deletingLastPathComponent().appending(path: "log"))
            defer { server.kill() }
            for address in try ListeningSocket.addresses(of: "localhost") {
                try Data(
                    RunningGatehouse.yaml(gatehouse.simulation, file.deletingLastPathComponent())
                        .replacing(
                            "http: {host: 127.0.0.1, port: 0,", with: "http: {host: '\(address)', port: \(port),"
                        ).utf8
                ).write(to: file)
                let run = try await CommandRun(["healthcheck", "--config", file.path])
                #expect(run.status == 0, "\(address): \(run.errors)")
            }
        }
    }

    @Test func `at an unknown port can't be checked, which is told`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let file = try configuration(gatehouse, host: "127.0.0.1", port: 0)
            let run = try await CommandRun(["healthcheck", "--config", file.path])
            #expect(run.status == 1)
            #expect(run.errors.contains("http.port is 0"))
        }
    }

    @Test func `at an IPv6 address is an issuer with brackets, as a URL has them`() throws {
        let loaded = Settings.load(
            yaml: """
                http: {host: '::1'}
                provider: {zenkey: {profile: zenkey, clientID: client, clientSecret: secret}}
                """, environment: [:])
        guard case .valid(let settings, _, _) = loaded else {
            Issue.record("the configuration is faulty: \(loaded)")
            return
        }
        let address = authority(of: settings.http.host, port: settings.http.port)
        #expect(SessionIssuer.Configuration(settings, address: address).issuer == "http://[::1]:8080")
    }

    @Test func `writes hosts as URLs do`() {
        #expect(authority(of: "::1", port: 8080) == "[::1]:8080")
        #expect(authority(of: "localhost", port: 8080) == "localhost:8080")
        #expect(authority(of: "127.0.0.1", port: 80) == "127.0.0.1:80")
    }
}
