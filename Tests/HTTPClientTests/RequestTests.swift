import HTTPClient
import Synchronization
import Testing

/// Sends a request and returns what the server read.
private func received(_ request: (ScriptedServer) throws -> OutboundRequest) async throws -> String {
    let seen = Mutex("")
    let server = try ScriptedServer { request in
        seen.withLock { $0 = request }
        return Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    }
    try await withClient { client in _ = try await client.send(request(server)) }
    return seen.withLock { $0 }
}

@Suite struct `A request` {
    @Test func `goes out with its path, query and header fields as they are`() async throws {
        let text = try await received { server in
            try .get(
                server, "/a/../b%2F?x=%20y", headers: [("Authorization", "Bearer abc"), ("X-Empty", "")])
        }
        #expect(text.hasPrefix("GET /a/../b%2F?x=%20y HTTP/1.1\r\n"))
        #expect(text.contains("\r\nAuthorization: Bearer abc\r\n"))
        #expect(text.contains("\r\nX-Empty:\r\n"))
        #expect(!text.contains("Cookie"))
    }

    @Test func `has room for long fields, and for many`() async throws {
        let fields = (0..<60).map { (name: "X-\($0)-" + String(repeating: "n", count: 500), value: "value \($0)") }
        let text = try await received { server in try .get(server, headers: fields) }
        for field in fields { #expect(text.contains("\r\n\(field.name): \(field.value)\r\n")) }
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [0, 1, 100_000, 2_000_000]) func `carries its body in one piece`(count: Int) async throws {
        let body = String(repeating: "a", count: count)
        let text = try await received { server in try .post(server, body) }
        #expect(text.hasPrefix("POST /token HTTP/1.1\r\n"))
        #expect(text.contains("\r\nContent-Length: \(count)\r\n"))
        #expect(text.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
        #expect(!text.contains("Expect"))
        #expect(text.hasSuffix("\r\n\r\n" + body))
    }

    @Test func `leaves nothing behind for the next one`() async throws {
        let seen = Mutex<[String]>([])
        let server = try ScriptedServer { request in
            seen.withLock { $0.append(request) }
            return Array("HTTP/1.1 200 OK\r\nX-Request: 1\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        try await withClient { client in
            _ = try await client.send(.post(server, "code=secret"))
            _ = try await client.send(.get(server))
            _ = try await client.send(.post(server, ""))
        }
        let requests = seen.withLock { $0 }
        #expect(requests.count == 3)
        #expect(requests[1].hasPrefix("GET / HTTP/1.1\r\n"))
        #expect(!requests[1].contains("Content-"))
        #expect(requests[2].contains("\r\nContent-Length: 0\r\n"))
        #expect(requests[2].hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [
        ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\u{0}b"), ("X\r\nY", "a"), ("X:", "a"), ("", "a"), ("X y", "a"),
    ])
    func `a request is refused when a value would become a field of its own`(name: String, value: String) async throws {
        let server = try ScriptedServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await withClient { client in
            await #expect(throws: HTTPClientError.malformedResponse) {
                try await client.send(.get(server, headers: [(name, value)]))
            }
        }
        #expect(server.connections == 0)
    }
}
