import EventLoop
import HTTPServer
import HTTPTesting
import Testing

@Suite struct `Deadlines and limits of a server` {
    // Each sets only the limit it is about: on a busy machine the others would be reached too.
    private static let arrival = HTTPServerLimits(headerTimeout: .milliseconds(150), bodyTimeout: .milliseconds(150))
    private static let idleness = HTTPServerLimits(idleTimeout: .milliseconds(200))
    private static let all = HTTPServerLimits(
        headerTimeout: .milliseconds(100), bodyTimeout: .milliseconds(100), writeTimeout: .milliseconds(100))
    private static let reading = HTTPServerLimits(writeTimeout: .milliseconds(200))

    @Test(arguments: [
        "G", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ]) func `deadlines and limits of a server end a request that does not arrive in time with 408`(_ part: String)
        async throws
    {
        try await withServer(Self.arrival) { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(get("/"))
            #expect(try await client.answer().status == 200)
            let start = ContinuousClock.now
            await client.send(part)
            let answer = try await client.answer()
            #expect(answer.status == 408)
            #expect(answer.header("Connection") == "close")
            #expect(start.duration(to: .now) >= .milliseconds(140))
            #expect(try await client.rest().bytes.isEmpty)
        }
    }

    @Test func `deadlines and limits of a server are not put off by a client that sends a byte now and then`()
        async throws
    {
        try await withServer(Self.arrival) { server in
            let client = try HTTPTestConnection(to: server.address.port)
            for byte in get("/", "X: \(String(repeating: "a", count: 20))") {
                await client.send(String(byte))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await client.answer().status == 408)
        }
    }

    @Test(arguments: ["", "\r\n", get("/")]) func `close an idle connection silently`(_ before: String) async throws {
        try await withServer(Self.idleness) { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(before)
            if before == get("/") { _ = try await client.answer() }
            let rest = try await client.rest()
            #expect(rest.bytes.isEmpty)
            #expect(!rest.isReset)
        }
    }

    @Test func `deadlines and limits of a server do not run while the handler works`() async throws {
        try await withServer(Self.all) { request in
            try? await Task.sleep(for: .milliseconds(500))
            return await echo(request)
        } _: { server in
            let answer = try await HTTPTestConnection(to: server.address.port).exchange(get("/a"))
            #expect(answer.text == "GET /a ")
        }
    }

    @Test func `deadlines and limits of a server end an answer that the client does not read`() async throws {
        let body = [UInt8](repeating: 0x61, count: 20_000_000)
        try await withServer(Self.reading) { _ in
            HTTPResponse(status: .ok, body: body)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port, receiveBuffer: 4096)
            await client.send(get("/"))
            try await Task.sleep(for: .milliseconds(600))
            #expect(try await client.rest().bytes.count < body.count)
        }
    }

    @Test func `deadlines and limits of a server let a long answer through to a client that reads it`() async throws {
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        try await withServer { _ in
            HTTPResponse(status: .ok, body: body)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send(get("/1") + get("/2"))
            for _ in 1...2 { #expect(try await client.answer().body == body) }
        }
    }

    @Test func `stop the reading of requests while one is answered`() async throws {
        let mayFinish = Event()
        try await withServer { request in
            await mayFinish.wait()
            return HTTPResponse(status: .noContent)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            // What the system itself buffers on both sides is some megabytes.
            let taken = await blocking { client.flood(get("/"), limit: 200_000_000) }
            #expect(taken < 100_000_000)
            mayFinish.happen()
            #expect(try await client.answer().status == 204)
        }
    }
}
