import EventLoop
import HTTPServer
import HTTPTesting
import Synchronization
import Testing

@Suite struct `A server in conversation` {
    @Test func `answers one request after the other on one connection`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            for number in 1...3 {
                let answer = try await client.exchange(get("/\(number)"))
                #expect(answer.status == 200)
                #expect(answer.text == "GET /\(number) ")
                #expect(answer.header("Connection") == nil)
                #expect(answer.header("X-Request-ID")?.count == 15)
                #expect(answer.header("Date")?.hasSuffix(" GMT") == true)
            }
        }
    }

    @Test func `answers pipelined requests in order, one at a time`() async throws {
        let (started, mayFinish) = (Event(), Event())
        let log = Mutex<[String]>([])
        try await withServer { request in
            log.withLock { $0.append(request.path) }
            if request.path == "/1" {
                started.happen()
                await mayFinish.wait()
            }
            return await echo(request)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send((1...20).map { get("/\($0)") }.joined())
            await started.wait()
            #expect(log.withLock { $0 } == ["/1"])
            mayFinish.happen()
            for number in 1...20 {
                let text = try await client.answer().text
                #expect(text == "GET /\(number) ")
            }
        }
    }

    @Test func `runs the handler on the loop of the connection, before and after it has waited`() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        defer { loop.stop() }
        let handler = TestHandler { _ in
            let before = loop.isCurrent
            await Task.yield()
            try? await Task.sleep(for: .milliseconds(1))
            return HTTPResponse(status: before && loop.isCurrent ? .ok : .internalServerError)
        }
        let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: [loop], limits: HTTPServerLimits()) { _, _ in
            handler
        }
        try await server.start()
        #expect(try await HTTPTestConnection(to: server.address.port).exchange(get("/")).status == 200)
        await server.drain(within: .zero)
    }

    @Test func `tells the client to send the body it holds back`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            let head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
            let held = try await client.exchange(head)
            #expect(held.status == 100 && held.headers.isEmpty)
            #expect(try await client.exchange("hello").text == "POST /a hello")
            #expect(try await client.exchange(head + "hello").text == "POST /a hello")
        }
    }

    @Test func `refuses a body that is too long before it is sent`() async throws {
        try await withServer(HTTPServerLimits(maximumBodyBytes: 4)) { server in
            let client = try HTTPTestConnection(to: server.address.port)
            let answer = try await client.exchange(
                "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(answer.status == 413)
            #expect(answer.header("Connection") == "close")
        }
    }

    @Test func `answers HEAD as GET without the body`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n" + get("/b"))
            #expect(try await client.answer(toHead: true).header("Content-Length") == "8")
            #expect(try await client.answer().text == "GET /b ")
        }
    }

    @Test func `reads a chunked body that arrives in pieces`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            let text = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\n, y\r\n"
            for piece in [text, "2\r\no", "u\r\n0\r\n", "T: t\r\n\r", "\n"] { await client.send(piece) }
            #expect(try await client.answer().text == "POST /a hello, you")
            #expect(try await client.exchange(get("/b")).text == "GET /b ")
        }
    }

    @Test func `reads a request that arrives byte by byte`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            for byte in get("/slow", "Cookie: a=b") { await client.send(String(byte)) }
            #expect(try await client.answer().text == "GET /slow ")
        }
    }

    @Test func `takes the client's request identifier when it is harmless`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            #expect(try await client.exchange(get("/", "X-Request-ID: abc-1")).header("X-Request-ID") == "abc-1")
            #expect(try await client.exchange(get("/", "X-Request-ID: a b")).header("X-Request-ID")?.count == 15)
        }
    }

    @Test(arguments: [
        (get("/", "Connection: close"), "close"), ("GET / HTTP/1.0\r\n\r\n", "close"),
    ]) func `closes when the client asks for it`(_ request: String, connection: String) async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            #expect(try await client.exchange(request).header("Connection") == connection)
            let rest = try await client.rest()
            #expect(rest.bytes.isEmpty)
            #expect(!rest.isReset)
        }
    }

    @Test func `keeps a connection of HTTP 1.0 when the client asks for it`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            let request = "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            #expect(try await client.exchange(request).header("Connection") == "keep-alive")
            #expect(try await client.exchange(request).text == "GET /a ")
        }
    }

    @Test func `closes when the handler asks for it`() async throws {
        try await withServer { _ in
            var response = HTTPResponse(status: .ok)
            response.closesConnection = true
            return response
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            #expect(try await client.exchange(get("/")).header("Connection") == "close")
            #expect(try await client.rest().bytes.isEmpty)
        }
    }

    @Test func `compresses for a client that takes gzip`() async throws {
        let page = String(repeating: "all work and no play ", count: 100)
        try await withServer { _ in
            .html(.ok, page)
        } _: { server in
            let client = try HTTPTestConnection(to: server.address.port)
            let answer = try await client.exchange(get("/", "Accept-Encoding: br, gzip;q=0.8"))
            #expect(answer.header("Content-Encoding") == "gzip")
            #expect(answer.header("Vary") == "Accept-Encoding")
            #expect(answer.body.count < 200)
            #expect(gunzip(answer.body) == Array(page.utf8))
            #expect(try await client.exchange(get("/", "Accept-Encoding: gzip;q=0")).text == page)
        }
    }

    @Test func `answers garbage, such as a TLS handshake, and closes`() async throws {
        try await withServer { server in
            for garbage in ["\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}", "\u{00}", "GET\r\n\r\n", get("/") + "{\r\n\r\n"] {
                let client = try HTTPTestConnection(to: server.address.port)
                await client.send(garbage)
                let rest = try await client.rest()
                let text = String(decoding: rest.bytes, as: UTF8.self)
                #expect(text.contains("HTTP/1.1 400 Bad Request\r\n"))
                #expect(text.contains("\r\nConnection: close\r\n"))
                #expect(text.hasSuffix("refused"))
                #expect(!rest.isReset)
            }
        }
    }

    @Test func `lets a client read why it was refused although it sends on`() async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
            let isTaken = await blocking { client.write([UInt8](repeating: 0x62, count: 2_000_000)) }
            #expect(isTaken)
            #expect(try await client.answer().status == 413)
            client.endSending()
            let rest = try await client.rest()
            #expect(rest.bytes.isEmpty)
            #expect(!rest.isReset)
        }
    }

    @Test func `answers a thousand connections at once`() async throws {
        try await withServer(loops: 2) { server in
            let answered = try await blocking {
                let clients = try (0..<1000).map { _ in try HTTPTestConnection(to: server.address.port) }
                for (number, client) in clients.enumerated() { client.write(Array(get("/\(number)").utf8)) }
                return try clients.enumerated().count { number, client in
                    try client.readAnswer().text == "GET /\(number) "
                }
            }
            #expect(answered == 1000)
        }
    }
}
