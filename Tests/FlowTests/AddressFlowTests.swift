import EventLoop
import Foundation
import GatehouseTesting
import Glibc
import Settings
import SignIn
import Syntax
import Testing

@testable import Composition
@testable import Operations

/// A port that is taken and where nobody listens: connections to it are refused. Its maker closes it.
private struct SilentPort {
    let port: UInt16
    let descriptor: Int32

    init(family: Int32, length: Int) throws {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(family)
        if family == AF_INET {
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0[4...].copyBytes(from: [127, 0, 0, 1]) }
        } else {
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0[23] = 1 }
        }
        var size = socklen_t(length)
        let number = descriptor
        let result = unsafe withUnsafeMutablePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, size) | getsockname(number, $0, &size)
            }
        }
        try #require(result == 0)
        port = unsafe withUnsafeBytes(of: storage) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }
}

@Suite struct `A server that listens` {
    /// A configuration of a server there.
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

    /// Starts a server there, at a port of the kernel's choice, and writes a configuration that names it.
    private func serve(
        _ gatehouse: RunningGatehouse, at host: String, checkedAt checked: [String], _ check: (URL) async throws -> Void
    ) async throws {
        let file = try configuration(gatehouse, host: host, port: 0)
        let server = try await ServerProcess(
            configuration: file, log: file.deletingLastPathComponent().appending(path: "log"))
        defer { server.kill() }
        for host in checked {
            try await check(configuration(gatehouse, host: host, port: server.port))
        }
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.2", "0.0.0.0", "::", "::0", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost",
    ])
    func `a server that listens is found by the health check wherever it listens`(host: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            try await serve(gatehouse, at: host, checkedAt: [host]) { file in
                let run = try await CommandRun(["healthcheck", "--config", file.path])
                #expect(run.status == 0, "\(run.errors)")
            }
        }
    }

    @Test func `a server that listens at a name is found at each of its addresses`() async throws {
        try await RunningGatehouse.with { gatehouse in
            try await serve(
                gatehouse, at: "localhost", checkedAt: ListeningSocket.addresses(of: "localhost")
            ) { file in
                let run = try await CommandRun(["healthcheck", "--config", file.path])
                #expect(run.status == 0, "\(file.path): \(run.errors)")
            }
        }
    }

    @Test(arguments: [("127.0.0.1", AF_INET, 16), ("::1", AF_INET6, 28)])
    func `a server that listens is missed by the health check where it is not`(host: String, family: Int32, length: Int)
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            let silent = try SilentPort(family: family, length: length)
            defer { close(silent.descriptor) }
            let run = try await CommandRun([
                "healthcheck", "--config", configuration(gatehouse, host: host, port: silent.port).path,
            ])
            #expect(run.status == 1)
            #expect(run.errors == "The server does not answer at \(host), port \(silent.port) (http.port).\n")
        }
    }

    @Test func `a server that listens at an unknown port can't be checked, which is told`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let file = try configuration(gatehouse, host: "127.0.0.1", port: 0)
            let run = try await CommandRun(["healthcheck", "--config", file.path])
            #expect(run.status == 1)
            #expect(run.errors.contains("http.port is 0"))
        }
    }

    @Test func `a server that listens at an IPv6 address is an issuer with brackets, as a URL has them`() throws {
        let loaded = Settings.load(
            yaml: """
                http: {host: '::1'}
                providers: [zenkey]
                provider: {zenkey: {profile: zenkey, clientID: client, clientSecret: secret}}
                """, environment: [:])
        guard case .valid(let settings, _, _) = loaded else {
            Issue.record("the configuration is faulty: \(loaded)")
            return
        }
        let address = Authority.text(host: settings.http.host, port: settings.http.port)
        #expect(TokenIssuer.Configuration(settings, address: address).issuer.text == "http://[::1]:8080")
    }
}
