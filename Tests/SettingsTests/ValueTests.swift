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

    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("0.0.0.0", [0, 0, 0, 0]), ("255.255.255.255", [255, 255, 255, 255]),
            ("::", [UInt8](repeating: 0, count: 16)), ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("2001:db8::ff", [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [0xFF]),
            ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
            ("::ffff:10.1.2.3", [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 1, 2, 3]),
        ] as [(String, [UInt8])])
    func `an address has its bytes`(text: String, bytes: [UInt8]) {
        #expect(IPAddress(text)?.bytes == bytes)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.+4", "1.2.3.4 ", "1..2.3", "0x1.2.3.4", ":", ":::",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7::8", "12345::", "::g", "::1%eth0", "::+1",
        "1.2.3.4::", "[::1]", "::1.2.3",
    ])
    func `what is no address is none`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("0.0.0.0/0", "9.9.9.9", true),
        ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("10.1.2.128/25", "10.1.2.129", true),
        ("10.1.2.128/25", "10.1.2.127", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
        ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "10.0.0.1", false), ("10.0.0.0/8", "::", false),
    ])
    func `an address range holds its addresses and no others`(range: String, address: String, isInside: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: ["10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "::1/64", "10.0.0.0/8/8", "10.0.0.0/-1", "a/8", "/8"])
    func `what is no address range is none`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
