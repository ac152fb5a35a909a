import EventLoop
import Foundation
import Glibc
import HTTPClient
import Testing

@Suite(.enabled(if: TestAuthority.isAvailable, "needs the openssl command")) struct `Trust anchors` {
    private let trust = TrustStore()

    /// Clients that share their trust anchors, each on a loop of its own.
    private func withClients(_ count: Int, _ body: ([HTTPClient]) async throws -> Void) async throws {
        let loops = try (0..<count).map { try EventLoop(label: "client \($0)") }
        for loop in loops { loop.start() }
        let clients = await HTTPClient.clients(of: loops, trust: trust)
        do { try await body(clients) } catch { Issue.record(error) }
        for client in clients { await client.shutDown() }
        for loop in loops { loop.stop() }
    }

    @Test func `trust anchors are read off the loop, once for all loops`() async throws {
        let authority = try TestAuthority()
        let (server, port) = try authority.serve()
        let plain = try ScriptedServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        // A reader of this file waits until somebody writes it, and it can be read once only.
        let pipe = authority.folder + "/pipe.pem"
        let made = unsafe mkfifo(pipe, 0o600)
        try #require(made == 0)
        let policy = OutboundPolicy.local.with { $0.caFile = pipe }
        try await withClients(2) { clients in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in clients {
                    group.addTask {
                        try await client.send(.get("https://localhost:\(port)/", policy: policy)).status
                    }
                }
                // Both loops go on meanwhile.
                for client in clients {
                    let status = try await client.send(.get(plain)).status
                    #expect(status == 200)
                }
                // Opening it waits for the reader, so it is done on a thread of its own.
                let anchors = try Data(contentsOf: URL(filePath: authority.anchors))
                Thread.detachNewThread { try? anchors.write(to: URL(filePath: pipe), options: []) }
                for try await status in group { #expect(status == 200) }
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test
    func
        `trust anchors are used as they are now once they have been read again, by every loop and for every connection`()
        async throws
    {
        let (first, second) = (try TestAuthority(), try TestAuthority())
        let (server, port) = try first.serve()
        let (other, otherPort) = try second.serve()
        let file = first.folder + "/pipe.pem"
        try FileManager.default.copyItem(atPath: first.anchors, toPath: file)
        let policy = OutboundPolicy.local.with { $0.caFile = file }
        func status(_ client: HTTPClient, _ port: String) async throws(HTTPClientError) -> Int {
            guard let request = try? OutboundRequest.get("https://localhost:\(port)/", policy: policy) else { return 0 }
            return try await client.send(request).status
        }
        #expect(await trust.load([file]) == [])
        try await withClients(2) { clients in
            for client in clients {
                #expect(try await status(client, port) == 200)
                await #expect(throws: HTTPClientError.tlsFailed) { try await status(client, otherPort) }
            }
            try Data(contentsOf: URL(filePath: second.anchors)).write(to: URL(filePath: file))
            #expect(await trust.reload() == [])
            for client in clients {
                // Neither its connection nor its TLS session serves any more.
                await #expect(throws: HTTPClientError.tlsFailed) { try await status(client, port) }
                #expect(try await status(client, otherPort) == 200)
            }
            try Data("nothing".utf8).write(to: URL(filePath: file))
            #expect(await trust.reload() == [file])
            #expect(try await status(clients[0], otherPort) == 200)
        }
        withExtendedLifetime((server, other)) {}
    }

    @Test func `trust anchors that can't be read are told, and read when they can be`() async throws {
        let authority = try TestAuthority()
        let (server, port) = try authority.serve()
        let file = authority.folder + "/pipe.pem"
        let policy = OutboundPolicy.local.with { $0.caFile = file }
        #expect(await trust.load([file, nil]) == [file])
        try await withClients(1) { clients in
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await clients[0].send(.get("https://localhost:\(port)/", policy: policy))
            }
            try FileManager.default.copyItem(atPath: authority.anchors, toPath: file)
            #expect(try await clients[0].send(.get("https://localhost:\(port)/", policy: policy)).status == 200)
        }
        withExtendedLifetime(server) {}
    }
}
