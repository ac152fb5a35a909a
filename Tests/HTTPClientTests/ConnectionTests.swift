import EventLoop
import HTTPClient
import Synchronization
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `A connection` {
    @Test func `a connection is used again for the next request`() async throws {
        let server = try ScriptedServer(answer: ok)
        try await withClient { client in
            for _ in 0..<20 {
                let status = try await client.send(.get(server)).status
                #expect(status == 200)
            }
        }
        #expect(server.connections == 1)
    }

    @Test func `a connection is not shared with a policy that would not have made it`() async throws {
        let server = try ScriptedServer(answer: ok)
        try await withClient { client in
            _ = try await client.send(.get(server))
            let strict = OutboundPolicy.local.with { $0.allowsPrivateAddresses = false }
            await #expect(throws: HTTPClientError.refusedAddress) {
                try await client.send(.get(server, policy: strict))
            }
        }
        #expect(server.connections == 1)
    }

    @Test func `a connection is refused to a private address behind a name`() async throws {
        let server = try ScriptedServer(answer: ok)
        let strict = OutboundPolicy.local.with { $0.allowsPrivateAddresses = false }
        try await withClient { client in
            await #expect(throws: HTTPClientError.refusedAddress) {
                try await client.send(.get("https://localhost:\(server.port)/", policy: strict))
            }
        }
        #expect(server.connections == 0)
    }

    @Test func `a connection that nobody accepts is an error of its own`() async throws {
        let reserved = try BoundSocket()
        try await withClient { client in
            await #expect(throws: HTTPClientError.couldNotConnect) {
                try await client.send(.get("http://127.0.0.1:\(reserved.port)/"))
            }
        }
    }

    @Test func `needs a name that can be resolved`() async throws {
        // A label of more than 63 bytes is refused by the resolver itself, without a network.
        let name = String(repeating: "a", count: 64)
        try await withClient { client in
            await #expect(throws: HTTPClientError.couldNotResolve) {
                try await client.send(.get("https://\(name).invalid/"))
            }
        }
    }

    @Test func `a connection that is idle and dead is replaced for a GET`() async throws {
        let server = try ScriptedServer { connection, number in
            _ = connection.request()
            connection.send(ok)
            // The first connection reads another request and then ends without an answer.
            if number > 0 { connection.waitForEnd() }
            _ = connection.request()
        }
        try await withClient { client in
            for _ in 0..<2 {
                let status = try await client.send(.get(server)).status
                #expect(status == 200)
            }
        }
        #expect(server.connections == 2)
    }

    @Test func `a connection that ends without an answer is not replaced for a POST`() async throws {
        let posts = Mutex(0)
        let server = try ScriptedServer { connection, _ in
            while let request = connection.request() {
                if request.hasPrefix("POST") {
                    posts.withLock { $0 += 1 }
                    break
                }
                connection.send(ok)
            }
        }
        try await withClient { client in
            _ = try await client.send(.get(server))
            await #expect(throws: HTTPClientError.connectionBroken(requestSent: true)) {
                try await client.send(.post(server, "code=once"))
            }
            // Once this is answered, a second POST would have been read.
            _ = try await client.send(.get(server))
        }
        #expect(posts.withLock { $0 } == 1)
    }

    @Test func `a connection that was closed while idle is not used, even for a POST`() async throws {
        let closed = Signal()
        let server = try ScriptedServer { connection, number in
            _ = connection.request()
            connection.send(ok)
            if number == 0 {
                connection.close()
                closed.happen()
            } else {
                connection.waitForEnd()
            }
        }
        try await withClient { client in
            _ = try await client.send(.get(server))
            await closed.wait()
            let status = try await client.send(.post(server, "a=b")).status
            #expect(status == 200)
        }
        #expect(server.connections == 2)
    }

    @Test func `a connection is closed when the client goes without a shutdown`() async throws {
        let ended = Signal()
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send(ok)
            connection.waitForEnd()
            ended.happen()
        }
        let loop = try EventLoop(label: "client")
        loop.start()
        defer { loop.stop() }
        _ = try await HTTPClient(loop: loop).send(.get(server))
        await ended.wait()
    }

    @Test(arguments: [0, 16]) func `serves five hundred requests at a time, within its bound`(bound: Int) async throws {
        let server = try ScriptedServer { request in
            let path = request.split(separator: " ")[1]
            return Array("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)".utf8)
        }
        let policy = OutboundPolicy.local.with { $0.connectionsPerHost = bound }
        try await withClient { client in
            let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        try await client.send(.get(server, "/\(number)", policy: policy)).text != "/\(number)"
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wrong == 0)
        }
        #expect(server.connections <= (bound == 0 ? 500 : bound))
    }
}
