import EventLoop
import HTTPServer
import SignIn
import Syntax
import System
import Testing

@testable import WebAPI

@Suite struct `A limit for each client address` {
    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
    private let home = ClientNetwork(IPAddress(v4: 0xC000_0201))

    @Test func `lets a minute's worth in at once, then one every so often`() {
        let limiter = AddressLimiter(.signIns, perMinute: 4)
        for _ in 0..<4 { #expect(limiter.take(for: home, now: at(0)) == nil) }
        #expect(limiter.take(for: home, now: at(0)) == 15)
        #expect(limiter.take(for: home, now: at(14)) == 1)
        #expect(limiter.take(for: home, now: at(15)) == nil)
        #expect(limiter.take(for: home, now: at(15)) == 15)
        #expect(limiter.take(for: ClientNetwork(IPAddress(v4: 0xC000_0202)), now: at(15)) == nil)
    }

    @Test func `a limit for each client address is asked without taking anything`() {
        let limiter = AddressLimiter(.signIns, perMinute: 1)
        for _ in 0..<3 { #expect(limiter.wait(for: home, now: at(0)) == nil) }
        #expect(limiter.take(for: home, now: at(0)) == nil)
        #expect(limiter.wait(for: home, now: at(0)) == 60)
        #expect(limiter.wait(for: home, now: at(60)) == nil)
    }

    /// Networks that anybody could make up: an IPv6 /32 has four thousand million of them.
    private func madeUp(_ number: Int) -> ClientNetwork {
        ClientNetwork(IPAddress(v6: 0x2001_0DB8_0000_0000 | UInt64(number), 0))
    }

    @Test func `forgets nobody, however many come`() {
        let limiter = AddressLimiter(.signIns, perMinute: 4)
        for _ in 0..<4 { #expect(limiter.take(for: home, now: at(0)) == nil) }
        for number in 0..<250_000 { _ = limiter.take(for: madeUp(number), now: at(0)) }
        #expect(limiter.take(for: home, now: at(0)) == 15)
    }

    @Test func `lets strangers in, however many others come`() {
        let limiter = AddressLimiter(.signIns, perMinute: 60)
        for number in 0..<250_000 { _ = limiter.take(for: madeUp(number), now: at(0)) }
        let refused = (0..<256).count {
            limiter.take(for: ClientNetwork(IPAddress(v4: 0xC000_0200 + UInt32($0))), now: at(0)) != nil
        }
        #expect(refused == 0)
    }

    @Test func `holds for those who have had enough among strangers who have not`() {
        let limiter = AddressLimiter(.signIns, perMinute: 10)
        let greedy = (0..<1000).map(madeUp)
        for network in greedy { for _ in 0..<10 { _ = limiter.take(for: network, now: at(0)) } }
        #expect(greedy.allSatisfy { limiter.take(for: $0, now: at(0)) != nil })
        let strangers = (0..<256).map { ClientNetwork(IPAddress(v4: 0xC000_0200 + UInt32($0))) }
        #expect(strangers.count { limiter.take(for: $0, now: at(0)) == nil } == 256)
    }

    @Test func `a limit for each client address is off at 0`() {
        let limiter = AddressLimiter(.signIns, perMinute: 0)
        for _ in 0..<1000 { #expect(limiter.take(for: home, now: at(0)) == nil) }
    }

    @Test func `holds a wider IPv6 network to a few clients' worth, however many narrower ones come`() {
        // Each request comes from a /64 of its own.
        for (step, worth) in [(UInt64(1), 4), (UInt64(1) << 8, 16)] {
            let limiter = AddressLimiter(.signIns, perMinute: 10)
            let taken = (0..<250).count { number in
                let high = 0x2001_0DB8_0000_0000 | UInt64(number) * step
                return limiter.take(for: ClientNetwork(IPAddress(v6: high, 0)), now: at(0)) == nil
            }
            #expect(taken == 10 * worth)
            // Who is not in it is not held to it.
            #expect(limiter.take(for: ClientNetwork(IPAddress(v6: 0x2001_0DB8_0001_0000, 0)), now: at(0)) == nil)
        }
    }

    @Test func `tells the IPv4 addresses from each other that are written as IPv6`() {
        for prefix in ["", "::ffff:", "64:ff9b::"] {
            let limiter = AddressLimiter(.signIns, perMinute: 1)
            for (address, isFirst) in [("192.0.2.1", true), ("192.0.2.2", true), ("192.0.2.1", false)] {
                guard let address = IPAddress(prefix + address) else {
                    Issue.record("\(prefix)\(address) is no address")
                    return
                }
                #expect((limiter.take(for: ClientNetwork(address), now: at(0)) == nil) == isFirst, "\(prefix)")
            }
        }
    }

    @Test func `holds an IPv6 network of 64 bits for one client`() {
        let one = ClientNetwork(IPAddress(v6: 0x2001_0DB8_0000_0001, 0))
        #expect(one == ClientNetwork(IPAddress(v6: 0x2001_0DB8_0000_0001, 9)))
        #expect(one != ClientNetwork(IPAddress(v6: 0x2001_0DB8_0000_0002, 0)))
    }
}

@Suite struct `The client's address behind proxies` {
    private static let client = "203.0.113.7"
    private static let forged = "198.51.100.66"
    /// The proxies that are trusted, of which the first has the connection.
    private static let (nearest, p1, p2) = ("10.0.0.1", "10.0.0.2", "2001:db8::2")

    private func network(
        _ headers: [(String, String)], by header: ClientAddressHeader = .xForwardedFor, from peer: String = nearest
    ) throws -> String {
        let proxies = try [Self.nearest, Self.p1, Self.p2].map { try #require(AddressRange($0)) }
        return ClientAddress(header: header, trustedProxies: proxies).network(
            of: HTTPRequest(
                method: .post, path: "/", headers: headers,
                peer: SocketAddress(address: try #require(IPAddress(peer)), port: 1), id: "1", receivedAt: .now)
        ).base.description
    }

    @Test func `the client's address behind proxies is the connection's own end when that is no trusted proxy`() throws
    {
        #expect(try network([("X-Forwarded-For", Self.forged)], from: "192.0.2.1") == "192.0.2.1")
        #expect(try network([("X-Forwarded-For", Self.forged)], from: "::ffff:192.0.2.1") == "192.0.2.1")
    }

    @Test
    func `the client's address behind proxies is the last address that a trusted proxy did not write about itself`()
        throws
    {
        let (client, forged, p1, p2) = (Self.client, Self.forged, Self.p1, Self.p2)
        #expect(try network([("X-Forwarded-For", client)]) == client)
        // A socket for both families writes IPv4 addresses so, and a proxy what its socket has.
        #expect(try network([("X-Forwarded-For", "::ffff:\(client)")], from: "::ffff:\(Self.nearest)") == client)
        // That is no address of a proxy's: a translator's clients are anybody.
        #expect(try network([("X-Forwarded-For", client)], from: "64:ff9b::\(Self.nearest)") == Self.nearest)
        #expect(try network([("X-Forwarded-For", "\(forged), \(client), \(p1)")]) == client)
        #expect(
            try network([("X-Forwarded-For", "\(forged), \(client)"), ("X-Forwarded-For", "\(p2), \(p1)")]) == client)
        #expect(
            try network(
                [("Forwarded", "for=\(forged), for=\"\(client):4711\";proto=https, for=\(p1)")], by: .forwarded)
                == client)
        #expect(try network([("Forwarded", "For=\"[2a00::7]:80\"")], by: .forwarded) == "2a00::")
    }

    @Test
    func `the client's address behind proxies is never what the other header says, which the client may have written`()
        throws
    {
        let (client, forged) = (Self.client, Self.forged)
        #expect(try network([("X-Forwarded-For", client), ("Forwarded", "for=\(forged)")]) == client)
        #expect(
            try network([("Forwarded", "for=\(client)"), ("X-Forwarded-For", forged)], by: .forwarded) == client)
        #expect(try network([("Forwarded", "for=\(forged)")]) == Self.nearest)
        #expect(try network([("X-Forwarded-For", forged)], by: .forwarded) == Self.nearest)
    }

    @Test func `the client's address behind proxies is the nearest proxy that says nothing of use`() throws {
        #expect(try network([]) == Self.nearest)
        #expect(try network([("X-Forwarded-For", "\(Self.client), unknown")]) == Self.nearest)
        #expect(try network([("X-Forwarded-For", "\(Self.client), ")]) == Self.nearest)
        #expect(try network([("X-Forwarded-For", "\(Self.p1), \(Self.p1)")]) == Self.p1)
    }
}
