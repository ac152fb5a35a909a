import Syntax
import Testing

@Suite struct `An address of the internet` {
    @Test(
        arguments: [
            ("127.0.0.1", 0x7F00_0001), ("0.0.0.0", 0), ("255.255.255.255", 0xFFFF_FFFF), ("10.20.30.4", 0x0A14_1E04),
        ] as [(String, UInt32)])
    func `an address of the internet of four bytes is read and written`(text: String, number: UInt32) {
        #expect(IPAddress(text) == IPAddress(v4: number))
        #expect(IPAddress(v4: number).description == text)
    }

    @Test(
        arguments: [
            ("::", 0, 0), ("::1", 0, 1), ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
            ("2001:db8::ff", 0x2001_0DB8_0000_0000, 0xFF), ("1::", 0x0001_0000_0000_0000, 0),
            ("::ffff:10.1.2.3", 0, 0xFFFF_0A01_0203), ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
            ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004, 0x0005_0006_0007_0008),
            ("FE80::ABCD", 0xFE80_0000_0000_0000, 0xABCD),
            ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304),
        ] as [(String, UInt64, UInt64)])
    func `an address of the internet of sixteen bytes is read`(text: String, high: UInt64, low: UInt64) {
        #expect(IPAddress(text) == IPAddress(v6: high, low))
    }

    // RFC 5952 §4
    @Test(
        arguments: [
            (0x2001_0db8_0000_0000, 1, "2001:db8::1"), (0, 1, "::1"), (0, 0, "::"),
            (0x0001_0002_0003_0004, 0, "1:2:3:4::"),
            (0x2001_0db8_0000_0001, 0x0001_0001_0001_0001, "2001:db8:0:1:1:1:1:1"),
            (0x2001_0db8_0000_0000, 0x0001_0000_0000_0001, "2001:db8::1:0:0:1"),
            (0x2001_0000_0000_0001, 1, "2001:0:0:1::1"),
            (0x0001_0002_0003_0004, 0x0005_0006_0007_abcd, "1:2:3:4:5:6:7:abcd"),
        ] as [(UInt64, UInt64, String)])
    func `an address of the internet of sixteen bytes is written as people do`(high: UInt64, low: UInt64, text: String)
    {
        #expect(IPAddress(v6: high, low).description == text)
        #expect(Authority.text(host: text, port: 443) == "[\(text)]:443")
    }

    @Test func `stands without brackets in a URL when it has four bytes`() {
        #expect(Authority.text(host: "localhost", port: 8080) == "localhost:8080")
        #expect(Authority.text(host: "127.0.0.1", port: 80) == "127.0.0.1:80")
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.+4", "1.2.3.4 ", "1..2.3", "0x1.2.3.4", ":", ":::",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7::8", "12345::", "::g", "::1%eth0", "::+1",
        "1.2.3.4::", "[::1]", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1:", ":1",
        "1:::2", "::1.2.3.4:5",
        "0000.0.0.0", "1.2.3.00",
    ])
    func `an address of the internet is none when it is written otherwise`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("0.0.0.0/0", "9.9.9.9", true),
        ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("10.1.2.128/25", "10.1.2.129", true),
        ("10.1.2.128/25", "10.1.2.127", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
        ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "10.0.0.1", false), ("10.0.0.0/8", "::", false),
    ])
    func `lies in its ranges and in no others`(range: String, address: String, isInside: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: ["10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "::1/64", "10.0.0.0/8/8", "10.0.0.0/-1", "a/8", "/8"])
    func `an address of the internet has no range that is written otherwise`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
