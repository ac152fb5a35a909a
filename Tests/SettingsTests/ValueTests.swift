import Settings
import Testing

@Suite struct `Values` {
    @Test(
        arguments: [
            ("https://example.com", "example.com", nil, "", true, false),
            ("http://127.0.0.1:9000/.well-known/x?a=b", "127.0.0.1", 9000, "/.well-known/x?a=b", false, true),
            ("HTTPS://Example.COM/A", "example.com", nil, "/A", true, false),
            ("https://[::1]:443/", "::1", 443, "/", true, true),
            ("https://[2001:DB8::1]", "2001:db8::1", nil, "", true, false),
            ("http://carrier_a:80?x", "carrier_a", 80, "?x", false, false),
        ] as [(String, String, UInt16?, String, Bool, Bool)])
    func `a web address is taken apart`(
        text: String, host: String, port: UInt16?, path: String, isSecure: Bool, isLoopback: Bool
    ) throws {
        let address = try #require(WebAddress(text))
        #expect(address.text == text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == path)
        #expect(address.isSecure == isSecure)
        #expect(address.isLoopback == isLoopback)
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
    func `what is no web address is none`(text: String) {
        #expect(WebAddress(text) == nil)
    }
}
