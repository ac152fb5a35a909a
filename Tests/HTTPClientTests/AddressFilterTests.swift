import Syntax
import Testing

@testable import HTTPClient

@Suite struct `The filter of addresses` {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    ])
    func `refuses IPv4 that is not public`(text: String) throws {
        #expect(!AddressFilter.isPublic(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1", "128.0.0.1",
        "169.253.0.1", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.0.1", "198.17.0.1", "198.20.0.0",
        "223.255.255.255",
    ])
    func `lets public IPv4 pass`(text: String) throws {
        #expect(AddressFilter.isPublic(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "::", "::1", "::ffff:1.1.1.1", "::1.1.1.1", "fe80::1", "fc00::1", "fdff::1", "fec0::1", "ff02::1",
        "64:ff9b::10.0.0.1", "64:ff9b:1::1.1.1.1", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:101:101::1",
        "3fff::1", "3fff:fff::1", "4000::1", "5f00::1",
    ])
    func `refuses IPv6 that is not public`(text: String) throws {
        #expect(!AddressFilter.isPublic(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "2606:4700::1111", "2001:200::1", "2a00::1", "2003::1", "3ffe::1", "3fff:1000::1", "64:ff9b::1.1.1.1",
    ])
    func `lets public IPv6 pass`(text: String) throws {
        #expect(AddressFilter.isPublic(try #require(IPAddress(text))))
    }
}

@Suite struct `A made-up answer` {
    @Test func `finds its fields in any case, the first of a name`() {
        let response = OutboundResponse(
            status: 200, headers: [("Cache-Control", "max-age=60"), ("cache-control", "no-store"), ("A[", "x")])
        #expect(response.header("CACHE-CONTROL") == "max-age=60")
        #expect(response.header("a{") == nil)
        #expect(response.header("Cache") == nil)
    }
}
