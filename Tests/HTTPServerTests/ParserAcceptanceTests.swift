import Testing

@testable import HTTPServer

@Suite struct `A request parser accepts` {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let requests: [String]

        init(_ name: String, _ text: String, _ requests: String...) {
            (testDescription, self.text, self.requests) = (name, text, requests)
        }
    }

    static let cases = [
        Case("a plain request", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /healthz"),
        Case("every method", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "PUT /"),
        Case("a query", "GET /a?b=c&d=%20/? HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a?b=c&d=%20/?"),
        Case("an empty query", "GET /a? HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a?"),
        Case(
            "every path character", "GET /-._~!$&'()*+,;=:@%41// HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /-._~!$&'()*+,;=:@%41//"),
        Case("a body by length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "POST /a|hello"),
        Case(
            "blanks around a length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length:\t  5 \r\n\r\nhello",
            "POST /a|hello"),
        Case(
            "no body where none is announced",
            "POST /a HTTP/1.1\r\nHost: a\r\n\r\nPUT /b HTTP/1.1\r\nHost: a\r\n\r\nPATCH /c HTTP/1.0\r\n\r\n",
            "POST /a", "PUT /b", "PATCH /c"),
        Case(
            "encoded control characters in a query", "GET /a?b=%0d%0A%00 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a?b=%0d%0A%00"),
        Case("an empty body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "POST /a"),
        Case("a body of GET", "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", "GET /a|hi"),
        Case(
            "chunks",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
            "POST /a|hello!"),
        Case(
            "chunked in another case", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-encoding:\tCHUNKED \r\n\r\n0\r\n\r\n",
            "POST /a"),
        Case(
            "upper-case and padded chunk sizes",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n00A\r\n0123456789\r\n000\r\n\r\n",
            "POST /a|0123456789"),
        Case(
            "chunk extensions",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b;c=\"d\"\r\nhi\r\n0;x\r\n\r\n",
            "POST /a|hi"),
        Case(
            "blanks in chunk extensions, and all that a quoted value may have",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\t; a = b ;c=\"; =\\\"\u{e9}\t\\\\\"\r\nhi\r\n0 ;x\r\n\r\n",
            "POST /a|hi"),
        Case(
            "trailers, which it drops",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nContent-MD5: 9\r\nX: y\r\n\r\n",
            "POST /a|hi"),
        Case(
            "requests one after the other",
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                + "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
                + "GET /4 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /1", "POST /2|abc", "POST /3|x", "GET /4"),
        Case("an empty line before the request", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /"),
        Case("two of them", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /"),
        Case("an absolute-form target", "GET http://h:80/a?b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a?b"),
        Case("one without a path", "GET HTTPS://h HTTP/1.1\r\nHost: a\r\n\r\n", "GET /"),
        Case("one with a query and no path", "GET http://h?q HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?q"),
        Case("OPTIONS about the server", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS *"),
        Case("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", "GET /"),
        Case("a later minor version", "GET / HTTP/1.7\r\nHost: a\r\n\r\n", "GET /"),
        Case("a host with a port", "GET / HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", "GET /"),
        Case("an IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "GET /"),
        Case("an empty value and bytes over 127", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\nY: \u{e9}\t \r\n\r\n", "GET /"),
        Case(
            "an expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
            "POST /|x"),
        Case("a request whose rest is missing, as nothing", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"),
    ]

    @Test(arguments: cases) func `what is well-formed, however it is split`(_ test: Case) {
        let (whole, differing) = parseEverySplit(test.text)
        #expect(whole == Outcome(requests: test.requests))
        #expect(differing == [])
    }

    @Test(arguments: HTTPMethod.allCases) func `a request parser accepts each method by its exact name`(
        _ method: HTTPMethod
    ) {
        let text = "\(method.rawValue) / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
        #expect(parse([Array(text.utf8)]).requests == ["\(method.rawValue) /"])
    }

    @Test func `a body, a target and a head of exactly the allowed length`() {
        let body = String(repeating: "b", count: 40)
        let target = "/" + String(repeating: "t", count: 59)
        var text = "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nX: "
        text += String(repeating: "x", count: 400 - text.utf8.count - 4) + "\r\n\r\n"
        #expect(text.utf8.count == 400)
        let (whole, differing) = parseEverySplit(text + body)
        #expect(whole == Outcome(requests: ["POST \(target)|\(body)"]))
        #expect(differing == [])
    }

    @Test func `anything when every limit is off`() {
        let off = ConnectionLimits(
            HTTPServerLimits(
                maximumConnections: 0, maximumHeaderBytes: 0, maximumHeaderFields: 0, maximumRequestTargetBytes: 0,
                maximumBodyBytes: 0, maximumPipelinedBytes: 0))
        let target = "/" + String(repeating: "t", count: 100_000)
        let body = String(repeating: "b", count: 100_000)
        let text = "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n\(body)"
        #expect(parse([Array(text.utf8)], off) == Outcome(requests: ["POST \(target)|\(body)"]))
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close ,y\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n", true),
        ("GET / HTTP/1.0\r\n\r\n", false),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true),
        ("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false),
    ]) func `what keeps the connection alive and what does not`(_ text: String, keepsAlive: Bool) throws {
        #expect(try parseOne(text)?.keepsAlive == keepsAlive)
    }

    @Test func `an absolute-form target's host in place of the Host field`() throws {
        let request = try #require(try parseOne("GET http://right:1/ HTTP/1.1\r\nhOsT: wrong\r\n\r\n"))
        let field = try #require(request.head.fields.first)
        #expect(request.head.text(field.value) == "right:1")
    }

    @Test func `an expectation, saying that the client waits only while none of the body is there`() throws {
        var parser = RequestParser()
        parser.append(
            Array("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8)[...])
        #expect(try parser.next(.small) == nil)
        #expect(parser.awaitsContinue)
        parser.append([0x61])
        #expect(try parser.next(.small) == nil)
        #expect(!parser.awaitsContinue)
    }

    @Test func `a request parser accepts nothing into its memory once all of it is handed on`() throws {
        var parser = RequestParser()
        for text in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"] {
            parser.append(Array(text.utf8)[...])
            #expect(try parser.next(.small) != nil)
            #expect(parser.bufferedBytes == 0)
            #expect(parser.stage == .idle)
        }
    }
}
