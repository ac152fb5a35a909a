import Testing

@testable import HTTPClient

/// What is left of an answer when it is read in these pieces.
private func read(_ pieces: [[UInt8]], maximumBodyBytes: Int = 100) throws(HTTPClientError) -> OutboundResponse? {
    var parser = ResponseParser(limits: HTTPClientLimits(headerBytes: 300), maximumBodyBytes: maximumBodyBytes)
    for piece in pieces {
        if case .finished = try parser.receive(piece.span) { return try parser.response() }
    }
    try parser.endOfStream()
    return try parser.response()
}

@Suite struct `The parser of answers` {
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200\r\nx:y\r\nTransfer-Encoding: Chunked\r\n\r\n0003;a=\"b\"\r\nhel\r\n2 \r\nlo\r\n0\r\nX: late\r\n\r\n",
        "HTTP/1.1 200 OK\nX: y\nContent-Length: 5\n\nhello",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nX: z\r\n\r\nHTTP/1.0 200 OK\r\nX: y\r\n\r\nhello",
    ])
    func `finds the same answer wherever it is split`(text: String) throws {
        let bytes = Array(text.utf8)
        for split in 1..<bytes.count {
            let response = try #require(try read([Array(bytes[..<split]), Array(bytes[split...])]))
            #expect(response.status == 200)
            #expect(response.header("x") == "y")
            #expect(String(decoding: response.body, as: UTF8.self) == "hello")
        }
    }

    @Test func `undoes deflate as well as gzip`() throws {
        // zlib's own format (RFC 1950) around one stored block.
        let deflated: [UInt8] = [0x78, 0x01, 1, 2, 0, 0xFD, 0xFF] + Array("ok".utf8) + [0x01, 0x4B, 0x00, 0xDB]
        for (coding, body) in [("deflate", deflated), ("GZIP", Gzip.stored(Array("ok".utf8)))] {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
            let response = try read([Array(head.utf8) + body])
            #expect(response?.body == Array("ok".utf8))
        }
    }

    @Test(arguments: ["less", "more"]) func `refuses a compressed body that is not one whole stream`(kind: String) {
        let whole = Gzip.stored(Array("ok".utf8))
        let body = kind == "less" ? whole.dropLast() : whole + [0]
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        #expect(throws: HTTPClientError.malformedResponse) { try read([Array(head.utf8) + body]) }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n", HTTPClientError.responseTooLarge),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\n", .responseTooLarge),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n", .responseTooLarge),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .responseTooLarge),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .responseTooLarge),
        ("HTTP/1.1 200 OK\r\n\r\nhello", .responseTooLarge),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 300))", .responseTooLarge),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "y", count: 300))",
            .malformedResponse
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;a\r\n", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", .malformedResponse),
        ("HTTP/1.1 20 OK\r\n", .malformedResponse), ("HTTP/1.1 2000 OK\r\n", .malformedResponse),
        ("HTTP/1.x 200 OK\r\n", .malformedResponse), ("http/1.1 200 OK\r\n", .malformedResponse),
        ("HTTP/1.1 099 OK\r\n", .malformedResponse),
    ])
    func `refuses what is too large or can be read in two ways, however it comes`(
        text: String, expected: HTTPClientError
    ) {
        let bytes = Array(text.utf8)
        #expect(throws: expected) { try read([bytes], maximumBodyBytes: 4) }
        #expect(throws: expected) { try read(bytes.map { [$0] }, maximumBodyBytes: 4) }
    }

    @Test func `takes an empty body as whole at once`() throws {
        for field in ["Content-Length: 0", "Content-Length: 0\r\nContent-Encoding: gzip"] {
            let response = try #require(try read([Array("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8)]))
            #expect(response.body.isEmpty)
        }
    }
}
