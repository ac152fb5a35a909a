import Testing

@testable import HTTPServer

@Suite struct `A request parser refuses` {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let status: Int

        init(_ name: String, _ text: String, _ status: Int = 400) {
            (testDescription, self.text, self.status) = (name, text, status)
        }

        /// A request with these fields.
        static func fields(_ name: String, _ fields: String, _ status: Int = 400) -> Case {
            Case(name, "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\nhello", status)
        }

        /// A request with this target.
        static func target(_ name: String, _ target: String, _ status: Int = 400) -> Case {
            Case(name, "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", status)
        }

        /// A request with this chunked body.
        static func chunks(_ name: String, _ chunks: String, _ status: Int = 400) -> Case {
            Case(name, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)", status)
        }

        static func host(_ host: String) -> Case {
            Case("the host \(host)", "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        }
    }

    static let smuggling: [Case] = [
        .fields("both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
        .fields("both lengths the other way round", "Transfer-Encoding: chunked\r\nContent-Length: 5"),
        .fields("an unknown coding and a length", "Transfer-Encoding: gzip\r\nContent-Length: 5"),
        .fields("differing lengths", "Content-Length: 5\r\nContent-Length: 6"),
        .fields("a repeated length", "Content-Length: 5\r\nContent-Length: 5"),
        .fields("listed lengths", "Content-Length: 5, 5"),
        .fields("a length with a plus sign", "Content-Length: +5"),
        .fields("a negative length", "Content-Length: -5"),
        .fields("a length with a blank inside", "Content-Length: 5 5"),
        .fields("a hexadecimal length", "Content-Length: 0x5"),
        .fields("a decimal point", "Content-Length: 5.0"),
        .fields("a length without digits", "Content-Length:"),
        .fields("a length over 64 bits", "Content-Length: 18446744073709551621"),
        .fields("a length of letters", "Content-Length: five"),
        .fields("zeros before a length", "Content-Length: 005"),
        .fields("a length of two zeros", "Content-Length: 00"),
        .fields("a length with an underscore inside", "Content-Length: 1_0"),
        .fields("a length whose name has an underscore", "Content_Length: 5"),
        .fields("a transfer coding whose name has an underscore", "transfer_encoding: chunked\r\nContent-Length: 5"),
        .fields("two types", "Content-Type: text/plain\r\nContent-Type: text/html\r\nContent-Length: 5"),
        .fields("a blank before the colon", "Content-Length : 5"),
        .fields("a tab before the colon", "Transfer-Encoding\t: chunked\r\nContent-Length: 5"),
        .fields("a folded line", "X: a\r\n b\r\nContent-Length: 5"),
        .fields("a line folded with a tab", "X: a\r\n\tb\r\nContent-Length: 5"),
        .fields("a line ended by LF", "X: a\nContent-Length: 5"),
        .fields("a bare CR", "X: a\rContent-Length: 5"),
        .fields("a NUL", "X: a\0b\r\nContent-Length: 5"),
        .fields("a vertical tab", "Transfer-Encoding: \u{0B}chunked"),
        .fields("DEL", "X: a\u{7F}\r\nContent-Length: 5"),
        .fields("an empty field name", ": a\r\nContent-Length: 5"),
        .fields("a field without a colon", "Content-Length 5"),
        .fields("a name that is no token", "Content@Length: 5"),
        .fields("a name beyond ASCII", "Contént-Length: 5"),
        .fields("chunked twice", "Transfer-Encoding: chunked, chunked"),
        .fields("chunked twice in two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        .fields("chunked not last", "Transfer-Encoding: chunked, gzip"),
        .fields("chunked with a parameter", "Transfer-Encoding: chunked;a=b"),
        .fields("an empty coding", "Transfer-Encoding:"),
        .fields("an empty element", "Transfer-Encoding: chunked,"),
        .fields("an unknown coding", "Transfer-Encoding: gzip", 501),
        .fields("an unknown coding before chunked", "Transfer-Encoding: gzip, chunked", 501),
        .fields("identity", "Transfer-Encoding: identity", 501),
        .fields("a coding that looks like chunked", "Transfer-Encoding: xchunked", 501),
        .fields("a quoted coding", "Transfer-Encoding: \"chunked\"", 501),
        .fields("a blank line of blanks", "X: a\r\n \r\nContent-Length: 5"),
        Case("a blank before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        Case("a transfer coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case("the head's end as LF LF", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        Case("CR without LF at the head's end", "GET / HTTP/1.1\r\nHost: a\r\n\rX\r\n"),
    ]

    static let requestLines: [Case] = [
        Case("LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        Case("two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a space at the end", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
        Case("a space at the beginning", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a tab between", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("no version", "GET /\r\nHost: a\r\n\r\n"),
        Case("a lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n"),
        Case("a version of two digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"),
        Case("a version without a point", "GET / HTTP/11\r\nHost: a\r\n\r\n"),
        Case("HTTP/2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        Case("HTTP/0.9 by name", "GET / HTTP/0.9\r\n\r\n", 505),
        Case("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Case("an unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        Case("TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        Case("CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        Case("a method in lower case", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        Case("a method that is no token", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("three empty lines", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("an empty line of LF", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("an empty line of CR", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a TLS handshake", "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}"),
        .target("a relative target", "a"),
        .target("authority-form", "a:80"),
        .target("the asterisk for GET", "*"),
        .target("another scheme", "ftp://a/"),
        .target("an absolute target without a host", "http:///a"),
        .target("one with user information", "http://user@a/"),
        .target("one with a bad port", "http://a:80b/"),
        .target("a fragment", "/a#b"),
        .target("a control byte", "/\u{01}"),
        .target("a NUL", "/\0"),
        .target("a byte over 127", "/\u{e9}"),
        .target("a double quote", "/\"a\""),
        .target("angle brackets", "/<a>"),
        .target("a backslash", "/a\\b"),
        .target("braces", "/{a}"),
        .target("square brackets in the query", "/a?b[]=c"),
        .target("a pipe", "/a|b"),
        .target("a percent sign alone", "/%"),
        .target("half a percent-encoding", "/%4"),
        .target("a percent-encoding of other letters", "/%zz"),
        .target("the same in the query", "/?%g0"),
        .target("an encoded NUL in the path", "/%00"),
        .target("an encoded line's end in the path", "/a%0d%0AX:b"),
        .target("an encoded DEL in the path", "/%7F"),
        .target("too long a target", "/" + String(repeating: "a", count: 60), 414),
        .target("much too long a target", "/" + String(repeating: "a", count: 500), 414),
        Case("an endless method", String(repeating: "A", count: 200)),
        Case("HTTP/1.1 without Host", "GET / HTTP/1.1\r\n\r\n"),
        Case("Host twice", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        Case("Host twice in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n"),
        Case("no host but an absolute target", "GET http://a/ HTTP/1.1\r\n\r\n"),
        .host(""), .host("a b"), .host("a/b"), .host("a, b"), .host("user@a"), .host("a:" + "99999"), .host("a:-1"),
        .host("[::1"), .host("[::g]"), .host("[]"), .host("::1"), .host("a%2"), .host(":80"), .host("a?b"),
    ]

    static let bodies: [Case] = [
        .fields("too long a body", "Content-Length: 41", 413),
        .fields("another expectation", "Expect: 200-ok\r\nContent-Length: 5", 417),
        .fields("too many fields", String(repeating: "X: a\r\n", count: 9) + "Content-Length: 5", 431),
        .fields("too long a head", "X: " + String(repeating: "a", count: 400) + "\r\nContent-Length: 5", 431),
        .chunks("a negative chunk size", "-1\r\n"),
        .chunks("a chunk size with a plus sign", "+1\r\nx\r\n0\r\n\r\n"),
        .chunks("a chunk size with 0x", "0x1\r\nx\r\n0\r\n\r\n"),
        .chunks("a blank before the chunk size", " 1\r\nx\r\n0\r\n\r\n"),
        .chunks("a blank after the chunk size", "1 \r\nx\r\n0\r\n\r\n"),
        .chunks("no chunk size", "\r\nx\r\n0\r\n\r\n"),
        .chunks("an extension without a size", ";a\r\nx\r\n0\r\n\r\n"),
        .chunks("a chunk size over 64 bits", "10000000000000001\r\nx\r\n0\r\n\r\n"),
        .chunks("the largest chunk size", "FFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n"),
        .chunks("a chunk size of the largest number", "7FFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n", 413),
        .chunks("a chunk size of 17 zeros", "00000000000000001\r\nx\r\n0\r\n\r\n"),
        .chunks("a chunk longer than its size", "1\r\nxy\r\n0\r\n\r\n"),
        .chunks("a chunk shorter than its size", "3\r\nx\r\n0\r\n\r\n"),
        .chunks("a chunk ended by LF", "1\r\nx\n0\r\n\r\n"),
        .chunks("a chunk ended by CR", "1\r\nx\r0\r\n\r\n"),
        .chunks("a chunk size ended by LF", "1\nx\r\n0\r\n\r\n"),
        .chunks("an extension without a name", "1;\r\nx\r\n0\r\n\r\n"),
        .chunks("blanks where its name should be", "1; \r\nx\r\n0\r\n\r\n"),
        .chunks("an extension's name that is no token", "1;[=x\r\nx\r\n0\r\n\r\n"),
        .chunks("two semicolons", "1;;a\r\nx\r\n0\r\n\r\n"),
        .chunks("an extension that ends in a semicolon", "1;a;\r\nx\r\n0\r\n\r\n"),
        .chunks("an extension without a value", "1;a=\r\nx\r\n0\r\n\r\n"),
        .chunks("a blank at an extension's end", "1;a \r\nx\r\n0\r\n\r\n"),
        .chunks("two words in an extension", "1;a b\r\nx\r\n0\r\n\r\n"),
        .chunks("a value that is no token", "1;a=b@\r\nx\r\n0\r\n\r\n"),
        .chunks("a quoted value without an end", "1;a=\"b\r\nx\r\n0\r\n\r\n"),
        .chunks("a quoted value whose end is escaped", "1;a=\"b\\\"\r\nx\r\n0\r\n\r\n"),
        .chunks("something after a quoted value", "1;a=\"b\"c\r\nx\r\n0\r\n\r\n"),
        .chunks("a bad extension of the last chunk", "0;=\r\n\r\n"),
        .chunks("a length in a trailer", "0\r\nContent-Length: 5\r\n\r\n"),
        .chunks("a transfer coding in a trailer", "0\r\ntransfer-encoding: chunked\r\n\r\n"),
        .chunks("a host in a trailer", "0\r\nHost: b\r\n\r\n"),
        .chunks("credentials in a trailer", "0\r\nAuthorization: Bearer b\r\n\r\n"),
        .chunks("a type in a trailer", "0\r\nContent-Type: text/plain\r\n\r\n"),
        .chunks("LF inside an extension", "1;a\nb\r\nx\r\n0\r\n\r\n"),
        .chunks("a control byte in an extension", "1;a\u{01}\r\nx\r\n0\r\n\r\n"),
        .chunks("a bare CR in an extension", "1;a\rb\r\nx\r\n0\r\n\r\n"),
        .chunks("endless extensions", "1;" + String(repeating: "a", count: 500) + "\r\nx\r\n0\r\n\r\n"),
        .chunks(
            "extensions that add up", String(repeating: "1;\(String(repeating: "a", count: 99))\r\nx\r\n", count: 6)),
        .chunks("too long a chunk", "29\r\n", 413),
        .chunks(
            "chunks that add up to too long a body", "20\r\n" + String(repeating: "b", count: 32) + "\r\n9\r\n", 413),
        .chunks("a folded trailer", "0\r\nX: a\r\n b\r\n\r\n"),
        .chunks("a trailer without a colon", "0\r\nX\r\n\r\n"),
        .chunks("a trailer ended by LF", "0\r\nX: a\n\r\n"),
        .chunks("too long a trailer section", "0\r\nX: " + String(repeating: "a", count: 500) + "\r\n\r\n", 431),
        .chunks("too many trailers", "0\r\n" + String(repeating: "X: a\r\n", count: 11) + "\r\n", 431),
    ]

    @Test(arguments: smuggling + requestLines + bodies)
    func `what RFC 9112 forbids or a limit forbids, however it is split`(_ test: Case) {
        let (whole, differing) = parseEverySplit(test.text)
        #expect(whole.violation?.status == HTTPStatus(test.status))
        #expect(whole.requests == [])
        #expect(differing == [])
    }

    @Test(arguments: UInt8(0)...31) func `a request parser refuses every control byte in a value but tab`(_ byte: UInt8)
    {
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\nX: a".utf8) + [byte] + Array("b\r\n\r\n".utf8)
        let outcome = parse([head])
        #expect((outcome.violation == nil) == (byte == 9))
    }

    @Test func `what follows a good request, after handing that on`() {
        let (whole, differing) = parseEverySplit("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\nHost: a\r\n\r\n")
        #expect(whole.requests == ["GET /1"])
        #expect(whole.violation?.status == .badRequest)
        #expect(differing == [])
    }

    @Test func `a head that is limited more tightly than its target`() {
        let tight = ConnectionLimits(HTTPServerLimits(maximumHeaderBytes: 50, maximumRequestTargetBytes: 1000))
        let (whole, differing) = parseEverySplit("GET /\(String(repeating: "a", count: 80)) HTTP/1.1\r\n", tight)
        #expect(whole.violation == .headTooLarge)
        #expect(differing == [])
    }
}
