import HTTPClient
import Testing

@Suite struct `The size of an answer` {
    private let policy = OutboundPolicy.local.with { $0.maximumBodyBytes = 100_000 }

    @Test func `the size of an answer may be the largest that is allowed`() async throws {
        let body = String(repeating: "x", count: 100_000)
        let server = try ScriptedServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + body)
        try await withClient { client in
            let response = try await client.send(.get(server, policy: policy))
            #expect(response.text == body)
        }
    }

    enum Framing: CaseIterable { case length, endOfConnection, chunks }

    @Test(arguments: Framing.allCases) func `the size of an answer is refused by one byte more, however it is framed`(
        framing: Framing
    )
        async throws
    {
        let body = String(repeating: "x", count: 100_001)
        let rest =
            switch framing {
            case .length: "Content-Length: 100001\r\n\r\n" + body
            case .endOfConnection: "\r\n" + body
            case .chunks:
                "Transfer-Encoding: chunked\r\n\r\n\(String(100_001, radix: 16))\r\n" + body + "\r\n0\r\n\r\n"
            }
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\n" + rest)
        }
        try await withClient { client in
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await client.send(.get(server, policy: policy))
            }
        }
    }

    @Test func `the size of an answer is refused by its length alone`() async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n")
            connection.waitForEnd()
        }
        try await withClient { client in
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await client.send(.get(server, policy: policy))
            }
        }
    }

    enum Bomb: CaseIterable { case zeros, emptyBlocks }

    @Test(arguments: Bomb.allCases) func `the size of an answer is counted before and after decompression`(bomb: Bomb)
        async throws
    {
        // The first is within the limit until it is decompressed, the second beyond it and yields nothing.
        let body =
            switch bomb {
            case .zeros: Gzip.zeros(atLeast: 10_000_000)
            case .emptyBlocks: Gzip.emptyBlocks(40_000)
            }
        #expect((body.count < 100_000) == (bomb == .zeros))
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("\(String(body.count, radix: 16))\r\n")
            connection.send(body)
            connection.send("\r\n0\r\n\r\n")
            connection.waitForEnd()
        }
        try await withClient { client in
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await client.send(.get(server, policy: policy))
            }
        }
    }

    @Test(arguments: [(1, 5000), (1, 500_000), (21, 1)])
    func `the size of an answer is bounded in its head too`(count: Int, length: Int) async throws {
        let fields = String(repeating: "X: " + String(repeating: "y", count: length) + "\r\n", count: count)
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\n" + fields + "\r\n")
            connection.waitForEnd()
        }
        try await withClient(limits: HTTPClientLimits(headerBytes: 4096, headerFields: 20)) { client in
            await #expect(throws: HTTPClientError.responseTooLarge) { try await client.send(.get(server)) }
        }
    }

    @Test func `counts interim answers and trailers with the head`() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", count: 200)
        let trailers =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X: y\r\n", count: 900)
        for text in [interim, trailers] {
            let server = try ScriptedServer { connection, _ in
                _ = connection.request()
                connection.send(text)
                connection.waitForEnd()
            }
            try await withClient(limits: HTTPClientLimits(headerBytes: 4096)) { client in
                await #expect(throws: HTTPClientError.responseTooLarge) { try await client.send(.get(server)) }
            }
        }
    }
}
