import EventLoop
import HTTPServer
import HTTPTesting
import Testing

@Suite struct `A server that is probed` {
    @Test(arguments: Probe.requestLines + Probe.fields + Probe.lengths + Probe.codings + Probe.chunked)
    func `answers over its socket what the RFCs have it answer, and nothing that was smuggled`(
        _ probe: Probe
    ) async throws {
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            switch probe.outcome {
            case .answers(let bodies):
                // What follows is read as a request, so nothing of the body was left, and nothing more was taken.
                await client.send(probe.bytes + Array(get("/next").utf8))
                try await expect(bodies + ["GET /next "], of: client)
            case .answersAndEnds(let bodies):
                await client.send(probe.bytes + Array(get("/next").utf8))
                try await expect(bodies, of: client)
                #expect(try await client.rest().bytes.isEmpty)
            case .refuses(let status):
                await client.send(probe.bytes + Array(get("/next").utf8))
                #expect(try await client.answer().status == status)
                #expect(try await client.rest().bytes.isEmpty)
            }
        }
    }

    private func expect(_ bodies: [String], of client: HTTPTestConnection) async throws {
        for body in bodies {
            let answer = try await client.answer()
            #expect(answer.status == 200)
            #expect(answer.text == body)
        }
    }

    static let pieces = [
        "G", "GET ", "GET /hello", "GET /hello ", "GET /hello HTTP", "GET /hello HTTP/1.1", "GET /hello HTTP/1.1\r",
        "GET /hello HTTP/1.1\r\n", "GET /hello HTTP/1.1\r\nHos", "GET /hello HTTP/1.1\r\nHost:",
        "GET /hello HTTP/1.1\r\nHost: ", "GET /hello HTTP/1.1\r\nHost: localhost",
        "GET /hello HTTP/1.1\r\nHost: localhost\r", "GET /hello HTTP/1.1\r\nHost: localhost\r\n",
        "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r",
    ]

    @Test(arguments: pieces) func `waits for the rest of a request`(_ piece: String) async throws {
        let whole = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await withServer { server in
            let client = try HTTPTestConnection(to: server.address.port)
            let other = try HTTPTestConnection(to: server.address.port)
            await client.send(piece)
            // By the time that another one has its answer, this one would have had one.
            #expect(try await other.exchange(get("/other")).status == 200)
            await client.send(Array(whole.utf8.dropFirst(piece.utf8.count)))
            #expect(try await client.answer().text == "GET /hello ")
        }
    }

    @Test func `takes a request that ends before its body is there for none`() async throws {
        for sent in [
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        ] {
            try await withServer { server in
                let client = try HTTPTestConnection(to: server.address.port)
                await client.send(sent)
                client.endSending()
                let rest = try await client.rest()
                #expect(!String(decoding: rest.bytes, as: UTF8.self).contains("200 OK"))
            }
        }
    }

    @Test func `sends no body with the answer to HEAD, and no length with 204`() async throws {
        try await withServer(answer: { request in
            HTTPResponse(status: request.method == .options ? .noContent : .ok, body: Array("hello".utf8))
        }) { server in
            let client = try HTTPTestConnection(to: server.address.port)
            await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await client.answer(toHead: true)
            #expect(head.status == 200 && head.header("Content-Length") == "5")
            let options = try await client.exchange("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(options.status == 204 && options.header("Content-Length") == nil)
            #expect(options.header("Date") != nil)
        }
    }
}
