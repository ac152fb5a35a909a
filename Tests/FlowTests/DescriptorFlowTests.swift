import Foundation
import Glibc
import JSON
import SimulatedCarriers
import Testing

@testable import gatehouse

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

    private func signIn(_ gatehouse: RunningGatehouse, _ server: ServerProcess) async throws -> RawHTTP.Answer {
        let app = try await gatehouse.authorize("ada")
        return try await RawHTTP.send(
            "POST", "/auth/signin", port: server.port, headers: ["Content-Type": "application/json"],
            body: app.body().serialized)
    }

    @Test func `leaves descriptors for sign-ins, and the log tells the limit`() async throws {
        try await with(descriptors: 200) { gatehouse, server, log in
            #expect(log().contains(/fewer descriptors than http\.connections .*configured=20000 .*descriptors=200/))
            let silent = try (0..<260).map { _ in try SilentConnection(to: server.port) }
            for _ in 0..<5 {
                let answer = try await signIn(gatehouse, server)
                #expect(answer.status == 200, "\(answer.text)")
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func `gives the descriptors of its oldest to the newest when none are left`() async throws {
        try await with(descriptors: 1024) { _, server, _ in
            let early = try SilentConnection(to: server.port)
            #expect(try early.status() == 200)
            // Somebody takes away what was there at the start.
            let used = try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(server.process.identifier)/fd")
            let change = try ChildProcess(
                URL(filePath: "/usr/bin/prlimit"),
                ["--pid", "\(server.process.identifier)", "--nofile=\(used.count + 20):"])
            try #require(await change.ended() == .exited(0))
            var connections: [SilentConnection] = []
            for _ in 0..<60 {
                connections.append(try SilentConnection(to: server.port))
                #expect(try connections[connections.count - 1].status() == 200)
            }
            #expect(try early.hasEnded())
        }
    }

    @Test(arguments: [
        (200, 2, 20_000, 56), (1024, 2, 20_000, 623), (20_000, 2, 20_000, 19_224), (1_048_576, 64, 20_000, 20_000),
        (65_536, 2, 100, 100), (65_536, 2, nil, 64_760), (10, 2, 20_000, 1),
    ])
    func `never has more than descriptors allow`(_ descriptors: Int, _ loops: Int, configured: Int?, clients: Int) {
        func shares(_ descriptors: Int?) -> DescriptorShares {
            DescriptorShares(connections: configured, calls: 128, descriptors: descriptors, loops: loops)
        }
        #expect(shares(descriptors).clients == clients)
        #expect(shares(nil).clients == configured ?? 0)
    }
}

/// A connection on which nothing is said unless it is told to.
private final class SilentConnection {
    private let descriptor: Int32

    init(to port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, 16) }
        }
        try #require(connected == 0)
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Asks for something; the status of the answer, or nil when none comes.
    func status() throws -> Int? {
        let request = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let sent = unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        try #require(sent == request.count)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count < 12 ? nil : Int(String(decoding: buffer[9..<12], as: UTF8.self))
    }

    /// Whether the other side has closed.
    func hasEnded() throws -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, 0) == 0
    }
}
