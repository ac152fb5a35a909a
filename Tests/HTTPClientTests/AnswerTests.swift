import HTTPClient
import Testing

@Suite struct `An answer` {
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One:  1 \r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-One: 1\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nX-One: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\nx-oNE: 1\r\n\r\nhello",
    ])
    func `an answer is put together from single bytes`(text: String) async throws {
        let server = try ScriptedServer { connection, _ in
            while connection.request() != nil { connection.sendByteByByte(text) }
        }
        try await withClient { client in
            for _ in 0..<2 {
                let response = try await client.send(.get(server))
                #expect(response.status == 200)
                #expect(response.text == "hello")
                #expect(response.header("x-one") == "1")
                #expect(response.header("X-ONE") == "1")
                #expect(response.header("X-Two") == nil)
            }
        }
        #expect(server.connections == 1)
    }

    @Test func `ends with the connection when it has no length`() async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.0 200 OK\r\n\r\nhello")
        }
        try await withClient { client in
            let text = try await client.send(.get(server)).text
            #expect(text == "hello")
        }
    }

    @Test(arguments: [204, 304]) func `an answer may have no body`(status: Int) async throws {
        let server = try ScriptedServer(answer: "HTTP/1.1 \(status) Nothing\r\nETag: \"a\"\r\n\r\n")
        try await withClient { client in
            for _ in 0..<2 {
                let response = try await client.send(.get(server))
                #expect(response.status == status)
                #expect(response.body.isEmpty)
                #expect(response.header("etag") == "\"a\"")
            }
        }
        #expect(server.connections == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func `an answer is not followed elsewhere`(status: Int) async throws {
        let elsewhere = try ScriptedServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let location = "http://127.0.0.1:\(elsewhere.port)/"
        let server = try ScriptedServer(
            answer: "HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        try await withClient { client in
            let response = try await client.send(.get(server))
            #expect(response.status == status)
            #expect(response.header("location") == location)
        }
        #expect(elsewhere.connections == 0)
    }

    @Test func `keeps nothing of its trailers`() async throws {
        let server = try ScriptedServer(
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Late: 1\r\n\r\n")
        try await withClient { client in
            let response = try await client.send(.get(server))
            #expect(response.text == "a")
            #expect(response.header("x-late") == nil)
        }
    }

    @Test func `an answer is decompressed`() async throws {
        let body = Gzip.stored(Array("hello, gzip".utf8))
        let server = try ScriptedServer { request in
            #expect(request.contains("Accept-Encoding: gzip, deflate\r\n"))
            return Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
                + body
        }
        try await withClient { client in
            let text = try await client.send(.get(server)).text
            #expect(text == "hello, gzip")
        }
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\rY: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nBlank : 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 14\r\n\r\nthis isn't gzip",
        "HTTP/2.7 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n folded: first\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na",
        "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200OK\r\n\r\n", " HTTP/1.1 200 OK\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ])
    func `an answer is refused when it is malformed`(text: String) async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send(text)
        }
        try await withClient { client in
            await #expect(throws: HTTPClientError.malformedResponse) { try await client.send(.get(server)) }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 103 Early\r\n\r\n",
    ])
    func `an answer is a broken connection when it breaks off`(text: String) async throws {
        let server = try ScriptedServer { connection, _ in
            _ = connection.request()
            connection.send(text)
        }
        try await withClient { client in
            await #expect(throws: HTTPClientError.connectionBroken(requestSent: true)) {
                try await client.send(.get(server))
            }
        }
    }

    @Test func `joins the lines of a folded field`() async throws {
        let server = try ScriptedServer(
            answer: "HTTP/1.1 200 OK\r\nX: a\r\n \t b \r\nY: c\r\nContent-Length: 0\r\n\r\n")
        try await withClient { client in
            let response = try await client.send(.get(server))
            #expect(response.header("x") == "a b")
            #expect(response.header("y") == "c")
        }
    }
}

@Suite struct `A connection after an answer` {
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: x,\t Close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        // A reader that goes by the other length takes part of this for the next answer.
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nforged",
    ])
    func `is not used again`(text: String) async throws {
        let server = try ScriptedServer(answer: text)
        try await withClient { client in
            for _ in 0..<2 {
                let answer = try await client.send(.get(server)).text
                #expect(answer == "ok")
            }
        }
        #expect(server.connections == 2)
    }

    @Test func `is used again where an old server says so`() async throws {
        let server = try ScriptedServer(
            answer: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok")
        try await withClient { client in
            for _ in 0..<2 { _ = try await client.send(.get(server)) }
        }
        #expect(server.connections == 1)
    }

    @Test func `carries nothing that its server has said unasked`() async throws {
        let server = try ScriptedServer { connection, number in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            if number == 0 { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged") }
            connection.waitForEnd()
        }
        try await withClient { client in
            for _ in 0..<2 {
                let answer = try await client.send(.get(server)).text
                #expect(answer == "ok")
            }
        }
        #expect(server.connections == 2)
    }
}
