import Syntax
import Testing

@Suite struct `An endpoint's URL` {
    @Test func `an endpoint's URL is taken apart`() throws {
        let url = try EndpointURL("HTTPS://Carrier.Example:8443/a%20b/c?x=/?&y", allowLoopbackHTTP: false)
        #expect(url.text == "HTTPS://Carrier.Example:8443/a%20b/c?x=/?&y")
        #expect(url.scheme == "https")
        #expect(url.host == "carrier.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a%20b/c")
    }

    @Test(arguments: [
        ("https://a.example", 443, "a.example", ""), ("https://a.example?x", 443, "a.example", ""),
        ("https://[2001:DB8::1]/x", 443, "2001:db8::1", "/x"), ("https://[::1]:1/", 1, "::1", "/"),
        ("http://127.0.0.1/", 80, "127.0.0.1", "/"), ("http://[::1]:8080", 8080, "::1", ""),
        ("https://xn--bcher-kva.example/", 443, "xn--bcher-kva.example", "/"), ("https://a_b/", 443, "a_b", "/"),
    ])
    func `an endpoint's URL has a host, a port and a path`(text: String, port: UInt16, host: String, path: String)
        throws
    {
        let url = try EndpointURL(text, allowLoopbackHTTP: true)
        #expect(url.port == port)
        #expect(url.host == host)
        #expect(url.path == path)
    }

    @Test(arguments: [
        ("", EndpointURLError.notAbsolute), ("a.example", .notAbsolute), ("//a.example/", .notAbsolute),
        ("https:/a.example", .notAbsolute), ("https:a.example", .notAbsolute), ("://a.example", .notAbsolute),
        ("ftp://a.example/", .schemeNotAllowed), ("file:///etc/passwd", .schemeNotAllowed),
        ("http://a.example/", .schemeNotAllowed), ("http://localhost/", .schemeNotAllowed),
        ("http://10.0.0.1/", .schemeNotAllowed), ("http://[::2]/", .schemeNotAllowed),
        ("https://user@a.example/", .hasUserInformation), ("https://a:b@c/", .hasUserInformation),
        ("https://a.example/#", .hasFragment), ("https://a.example#x", .hasFragment),
        ("https:///", .malformedHost), ("https://[2001:db8::1\u{0}.carrier.example]/", .malformedHost),
        ("https://", .malformedHost), ("https://:443/", .malformedHost),
        ("https://a..example/", .malformedHost), ("https://a.example./", .malformedHost),
        ("https://a%2eexample/", .malformedHost), ("https://a example/", .malformedHost),
        ("https://a.example\\@b/", .hasUserInformation), ("https://a.example\\b/", .malformedHost),
        ("https://bücher.example/", .malformedHost), ("https://2130706433/", .malformedHost),
        ("https://127.1/", .malformedHost), ("https://0x7f.0.0.1/", .malformedHost),
        ("https://0x7f000001/", .malformedHost), ("https://127.0.0.01/", .malformedHost),
        ("https://256.0.0.1/", .malformedHost), ("https://[::1/", .malformedHost),
        ("https://[fe80::1%25eth0]/", .malformedHost), ("https://[127.0.0.1]/", .malformedHost),
        ("https://a.example\r\n/", .malformedHost), ("https://a\u{0}b/", .malformedHost),
        ("https://a.example:/", .malformedPort), ("https://a.example:0/", .malformedPort),
        ("https://a.example:65536/", .malformedPort), ("https://a.example:-1/", .malformedPort),
        ("https://a.example:+1/", .malformedPort), ("https://a.example:44x/", .malformedPort),
        ("https://[::1]x/", .malformedPort),
        ("https://a.example/ ", .malformedPathOrQuery), ("https://a.example/%", .malformedPathOrQuery),
        ("https://a.example/%4", .malformedPathOrQuery), ("https://a.example/%zz", .malformedPathOrQuery),
        ("https://a.example/\r\nX: y", .malformedPathOrQuery), ("https://a.example/é", .malformedPathOrQuery),
        ("https://a.example/\\", .malformedPathOrQuery), ("https://a.example/?\"", .malformedPathOrQuery),
    ])
    func `an endpoint's URL is refused when it can be read in two ways`(text: String, error: EndpointURLError) {
        #expect(throws: error) { try EndpointURL(text, allowLoopbackHTTP: true) }
    }

    @Test func `an endpoint's URL has a bounded length`() throws {
        let text = "https://a.example/" + String(repeating: "a", count: EndpointURL.maximumLength - 18)
        #expect(try EndpointURL(text, allowLoopbackHTTP: false).text == text)
        #expect(throws: EndpointURLError.tooLong) { try EndpointURL(text + "a", allowLoopbackHTTP: false) }
    }

    @Test func `an endpoint's URL may be plain http only where that is allowed`() {
        #expect(throws: EndpointURLError.schemeNotAllowed) {
            try EndpointURL("http://127.0.0.1/", allowLoopbackHTTP: false)
        }
    }

    @Test(arguments: [
        ("https://a/b", "https://a/b?x=1&y%26%3D=a%20%C3%A9%0A"),
        ("https://a/b?c", "https://a/b?c&x=1&y%26%3D=a%20%C3%A9%0A"),
        ("https://a/b?", "https://a/b?x=1&y%26%3D=a%20%C3%A9%0A"), ("https://a", "https://a?x=1&y%26%3D=a%20%C3%A9%0A"),
    ])
    func `takes more parameters, whatever is in them`(text: String, expected: String) throws {
        let url = try EndpointURL(text, allowLoopbackHTTP: false).appending(query: [("x", "1"), ("y&=", "a é\n")])
        #expect(url.text == expected)
        // What comes out is one that goes in.
        #expect(try EndpointURL(url.text, allowLoopbackHTTP: false) == url)
    }

    @Test(
        arguments: [
            ("https://example.com", "example.com", 443, "", true, false),
            ("http://127.0.0.1:9000/.well-known/x?a=b", "127.0.0.1", 9000, "/.well-known/x", false, true),
            ("HTTPS://Example.COM/A", "example.com", 443, "/A", true, false),
            ("https://[::1]:443/", "::1", 443, "/", true, true),
            ("https://[2001:DB8::1]", "2001:db8::1", 443, "", true, false),
            ("http://carrier_a:80?x", "carrier_a", 80, "", false, false),
        ] as [(String, String, UInt16, String, Bool, Bool)])
    func `an endpoint's URL that an operator wrote may be plain http, and says so`(
        text: String, host: String, port: UInt16, path: String, isSecure: Bool, isLoopback: Bool
    ) throws {
        let address = try EndpointURL(configured: text)
        #expect(address.text == text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == path)
        #expect(address.isSecure == isSecure)
        #expect(address.isLoopback == isLoopback)
        #expect(address.hasQuery == text.contains("?"))
    }

    @Test(arguments: [
        "", "example.com", "//example.com", "ftp://example.com", "https:/example.com", "https://", "https://:80",
        "https:///path", "https://user@example.com", "https://user:pw@example.com", "https://example.com#x",
        "https://example.com:", "https://example.com:0", "https://example.com:65536", "https://example.com:+1",
        "https://exa mple.com", "https://example.com/a b", "https://example.com/\u{e9}", "https://[::1",
        "https://[::g]",
        "https://[127.0.0.1]", "https://[::1]x", "https://256.1.1.1", "https://127.1", "https://a..b", "https://-a.b",
        "https://a.b.", "https://a/\n", "javascript:alert(1)", "https://a/\\b",
    ])
    func `an endpoint's URL that an operator wrote is refused where it is none`(text: String) {
        #expect(throws: EndpointURLError.self) { try EndpointURL(configured: text) }
    }
}
