import HTTPClient
import Synchronization
import Syntax
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite(.enabled(if: TestAuthority.isAvailable, "needs the openssl command")) struct `Messages inside of TLS` {
    private let authority: TestAuthority
    private let policy: OutboundPolicy

    init() throws {
        let authority = try TestAuthority()
        self.authority = authority
        policy = .local.with { $0.caFile = authority.anchors }
    }

    private func request(_ server: ScriptedServer, _ method: OutboundMethod = .get, _ body: String = "") throws
        -> OutboundRequest
    {
        OutboundRequest(
            method: method, url: try EndpointURL("https://localhost:\(server.port)/", allowLoopbackHTTP: true),
            body: Array(body.utf8), timeout: .seconds(30), policy: policy)
    }

    @Test func `a TLS connection is used again for the next request`() async throws {
        let bodies = Mutex<[String]>([])
        let server = try ScriptedServer(tls: authority) { request in
            bodies.withLock { $0.append(request.split(separator: "\r\n\r\n").dropFirst().joined()) }
            return Array(ok.utf8)
        }
        try await withClient { client in
            for number in 0..<10 {
                let posted = try await client.send(request(server, .post, "number=\(number)"))
                let gotten = try await client.send(request(server))
                #expect(posted.text == "ok" && gotten.text == "ok")
            }
        }
        #expect(server.connections == 1)
        let posted = bodies.withLock { $0.filter { !$0.isEmpty } }
        #expect(posted == (0..<10).map { "number=\($0)" })
    }

    @Test func `reads to its end what came in one go, and asks again on the same connection`() async throws {
        // More than a record of TLS holds, and than the client reads at once: the socket tells of none of the rest.
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 700_000)
        let server = try ScriptedServer(tls: authority) { _ in
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        }
        try await withClient { client in
            for _ in 0..<5 {
                let response = try await client.send(request(server))
                #expect(response.body == body)
            }
        }
        #expect(server.connections == 1)
    }

    @Test func `sends a body that the server takes slowly`() async throws {
        let server = try ScriptedServer(tls: authority) { request in
            let count = request.utf8.count { $0 == UInt8(ascii: "~") }
            return Array("HTTP/1.1 200 OK\r\nContent-Length: \("\(count)".count)\r\n\r\n\(count)".utf8)
        }
        // More than the buffers of both sockets take.
        let body = String(repeating: "~", count: 8_000_000)
        try await withClient { client in
            for _ in 0..<2 {
                let response = try await client.send(request(server, .post, body))
                #expect(response.text == "8000000")
            }
        }
        #expect(server.connections == 1)
    }

    @Test func `reads an answer of which every byte has a record of its own`() async throws {
        let server = try ScriptedServer(tls: authority) { connection, _ in
            while connection.request() != nil { connection.sendByteByByte(ok) }
        }
        try await withClient { client in
            for _ in 0..<3 {
                let response = try await client.send(request(server))
                #expect(response.text == "ok")
            }
        }
        #expect(server.connections == 1)
    }

    @Test func `takes a body that ends with the connection, and none that was cut off`() async throws {
        let server = try ScriptedServer(tls: authority) { connection, number in
            _ = connection.request()
            if number == 0 { return connection.send("HTTP/1.1 200 OK\r\n\r\nall of it") }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it")
            if number == 1 { connection.cut() }
        }
        try await withClient { client in
            let response = try await client.send(request(server, .post))
            #expect(response.text == "all of it")
            for _ in 0..<2 {
                await #expect(throws: HTTPClientError.connectionBroken(requestSent: true)) {
                    try await client.send(request(server, .post))
                }
            }
        }
        #expect(server.connections == 3)
    }

    @Test func `a TLS connection that the server has ended carries no other request`() async throws {
        let ended = Signal()
        let server = try ScriptedServer(tls: authority) { connection, number in
            guard connection.request() != nil else { return }
            connection.send(ok)
            if number == 0 {
                connection.close()
                ended.happen()
            }
        }
        try await withClient { client in
            _ = try await client.send(request(server))
            await ended.wait()
            // Nobody would send a POST a second time.
            let response = try await client.send(request(server, .post, "a=b"))
            #expect(response.text == "ok")
        }
        #expect(server.connections == 2)
    }

    @Test func `a TLS connection on which the server speaks unasked carries no other request`() async throws {
        let spoken = Signal()
        let server = try ScriptedServer(tls: authority) { connection, number in
            guard connection.request() != nil else { return }
            connection.send(ok)
            // Made for who would take it as the answer to the next request.
            if number == 0 { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil") }
            spoken.happen()
            connection.waitForEnd()
        }
        try await withClient { client in
            _ = try await client.send(request(server))
            await spoken.wait()
            let response = try await client.send(request(server, .post, "a=b"))
            #expect(response.text == "ok")
        }
        #expect(server.connections == 2)
    }
}
