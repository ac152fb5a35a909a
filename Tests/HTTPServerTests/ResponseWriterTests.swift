import Testing

@testable import HTTPServer

@Suite struct `A response writer` {
    private func write(
        _ response: HTTPResponse, dropsBody: Bool = false, version10: Bool = false, gzip: Bool = false,
        closes: Bool = false, commonFields: String = "", transportFields: String = ""
    ) -> String {
        let context = ResponseContext(
            requestID: "r1", dropsBody: dropsBody, isVersion10: version10, acceptsGzip: gzip, closes: closes)
        var output: [UInt8] = []
        let body = ResponseWriter.write(
            response, context, gzip: gzip ? Array("zipped".utf8) : nil, date: Array("Date: D\r\n".utf8),
            commonFields: Array(commonFields.utf8), transportFields: Array(transportFields.utf8), into: &output)
        return String(decoding: output + body, as: UTF8.self)
    }

    @Test func `writes an answer as it goes over the wire`() {
        #expect(
            write(.json(.ok, Array("{}".utf8)))
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: D\r\nX-Request-ID: r1\r\n"
                + "Content-Length: 2\r\n\r\n{}")
        #expect(
            write(.redirect(to: "/a"), closes: true)
                == "HTTP/1.1 303 See Other\r\nLocation: /a\r\nDate: D\r\nX-Request-ID: r1\r\n"
                + "Content-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test func `adds the common fields to every answer but one that has its own`() {
        var response = HTTPResponse.json(.ok, [])
        #expect(write(response, commonFields: "Common: 1\r\n").contains("\r\nCommon: 1\r\n"))
        response.hasCommonFields = false
        #expect(!write(response, commonFields: "Common: 1\r\n").contains("Common"))
        #expect(write(response, transportFields: "Every: 1\r\n").contains("\r\nEvery: 1\r\n"))
    }

    @Test func `says to a client of HTTP 1.0 that the connection stays`() {
        #expect(write(.json(.ok, []), version10: true).contains("\r\nConnection: keep-alive\r\n"))
        #expect(write(.json(.ok, []), version10: true, closes: true).contains("\r\nConnection: close\r\n"))
    }

    @Test func `gives HEAD the length of the body without the body`() {
        let text = write(.html(.ok, "hello"), dropsBody: true)
        #expect(text.contains("Content-Length: 5\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [204, 304]) func `writes neither length nor body where the status forbids one`(_ code: Int) {
        let text = write(HTTPResponse(status: HTTPStatus(code), body: [0x61]))
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test func `compresses for who takes it, and tells caches either way`() {
        let response = HTTPResponse.html(.ok, String(repeating: "a", count: 1024))
        let zipped = write(response, gzip: true)
        #expect(zipped.contains("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n"))
        #expect(zipped.contains("Content-Length: 6\r\n"))
        #expect(zipped.hasSuffix("\r\n\r\nzipped"))
        let plain = write(response)
        #expect(plain.contains("Vary: Accept-Encoding\r\n"))
        #expect(!plain.contains("Content-Encoding"))
        #expect(!write(.html(.ok, "short"), gzip: true).contains("Vary"))
    }

    @Test func `lets no header end its line or say what the connection says`() {
        let text = write(
            HTTPResponse(
                status: .ok,
                headers: [
                    ("X-A", "a\r\nX-B: b\0"), ("Bad Name", "c"), ("", "d"), ("content-length", "99"),
                    ("Transfer-Encoding", "chunked"), ("Connection", "upgrade"), ("date", "never"),
                ]))
        #expect(
            text == "HTTP/1.1 200 OK\r\nX-A: a  X-B: b \r\nDate: D\r\nX-Request-ID: r1\r\nContent-Length: 0\r\n\r\n")
    }
}
