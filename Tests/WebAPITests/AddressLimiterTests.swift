import EventLoop
import HTTPServer
import Testing

@testable import WebAPI

@Suite struct `A limit for each client address` {
    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
    private let home = ClientNetwork(address: [192, 0, 2, 1])

    @Test func `lets a minute's worth in at once, then one every so often`() {
        let limiter = AddressLimiter(perMinute: 4)
        for _ in 0..<4 { #expect(limiter.take(for: home, now: at(0)) == nil) }
        #expect(limiter.take(for: home, now: at(0)) == 15)
        #expect(limiter.take(for: home, now: at(14)) == 1)
        #expect(limiter.take(for: home, now: at(15)) == nil)
        #expect(limiter.take(for: home, now: at(15)) == 15)
        #expect(limiter.take(for: ClientNetwork(address: [192, 0, 2, 2]), now: at(15)) == nil)
    }

    @Test func `is asked without taking anything`() {
        let limiter = AddressLimiter(perMinute: 1)
        for _ in 0..<3 { #expect(limiter.wait(for: home, now: at(0)) == nil) }
        #expect(limiter.take(for: home, now: at(0)) == nil)
        #expect(limiter.wait(for: home, now: at(0)) == 60)
        #expect(limiter.wait(for: home, now: at(60)) == nil)
    }

    /// Networks that anybody could make up: an IPv6 /32 has four thousand million of them.
    private func madeUp(_ number: Int) -> ClientNetwork {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return ClientNetwork(address: [0x20, 0x01, 0x0D, 0xB8] + bytes + [UInt8](repeating: 0, count: 8))
    }

    @Test func `forgets nobody, however many come`() {
        let limiter = AddressLimiter(perMinute: 4)
        for _ in 0..<4 { #expect(limiter.take(for: home, now: at(0)) == nil) }
        for number in 0..<250_000 { _ = limiter.take(for: madeUp(number), now: at(0)) }
        #expect(limiter.take(for: home, now: at(0)) == 15)
    }

    @Test func `lets strangers in, however many others come`() {
        let limiter = AddressLimiter(perMinute: 60)
        for number in 0..<250_000 { _ = limiter.take(for: madeUp(number), now: at(0)) }
        let refused = (0..<256).count {
            limiter.take(for: ClientNetwork(address: [192, 0, 2, UInt8($0)]), now: at(0)) != nil
        }
        #expect(refused == 0)
    }

    @Test func `holds for those who have had enough among strangers who have not`() {
        let limiter = AddressLimiter(perMinute: 10)
        let greedy = (0..<1000).map(madeUp)
        for network in greedy { for _ in 0..<10 { _ = limiter.take(for: network, now: at(0)) } }
        #expect(greedy.allSatisfy { limiter.take(for: $0, now: at(0)) != nil })
        let strangers = (0..<256).map { ClientNetwork(address: [192, 0, 2, UInt8($0)]) }
        #expect(strangers.count { limiter.take(for: $0, now: at(0)) == nil } == 256)
    }

    @Test func `is off at 0`() {
        let limiter = AddressLimiter(perMinute: 0)
        for _ in 0..<1000 { #expect(limiter.take(for: home, now: at(0)) == nil) }
    }

    @Test func `holds an IPv6 network of 64 bits for one client`() {
        let one = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
        var neighbour = one
        neighbour[15] = 9
        var stranger = one
        stranger[7] = 2
        #expect(ClientNetwork(address: one) == ClientNetwork(address: neighbour))
        #expect(ClientNetwork(address: one) != ClientNetwork(address: stranger))
    }
}

@Suite struct `The client's address behind proxies` {
    /// Addresses are words here: `p1` and `p2` are trusted proxies.
    private func network(
        _ headers: [(String, String)], by header: ClientAddress.Header = .xForwardedFor, from peer: UInt64 = 0x0A00_0001
    ) -> ClientNetwork {
        let reader = ClientAddress(
            header: header, read: { $0.isEmpty || $0 == "unknown" ? nil : Array($0.utf8) },
            isTrusted: { $0 == [10, 0, 0, 1] || $0 == Array("p1".utf8) || $0 == Array("p2".utf8) })
        return reader.network(
            of: HTTPRequest(
                method: .post, path: "/", headers: headers,
                peer: SocketAddress(bytes: .init(high: peer << 32, low: 0), isIPv6: false, port: 1), id: "1",
                receivedAt: .now))
    }

    @Test func `is the connection's own end when that is no trusted proxy`() {
        #expect(network([("X-Forwarded-For", "forged")], from: 0xC000_0201) == ClientNetwork(address: [192, 0, 2, 1]))
    }

    @Test func `is the last address that a trusted proxy did not write about itself`() {
        let client = ClientNetwork(address: Array("client".utf8))
        #expect(network([("X-Forwarded-For", "client")]) == client)
        #expect(network([("X-Forwarded-For", "forged, client, p1")]) == client)
        #expect(network([("X-Forwarded-For", "forged, client"), ("X-Forwarded-For", "p2, p1")]) == client)
        #expect(
            network([("Forwarded", "for=forged, for=\"client:4711\";proto=https, for=p1")], by: .forwarded) == client)
        #expect(network([("Forwarded", "For=\"[client]:80\"")], by: .forwarded) == client)
    }

    @Test func `is never what the other header says, which the client may have written`() {
        let client = ClientNetwork(address: Array("client".utf8))
        let both = [("X-Forwarded-For", "client"), ("Forwarded", "for=forged")]
        #expect(network(both) == client)
        #expect(network([("Forwarded", "for=client"), ("X-Forwarded-For", "forged")], by: .forwarded) == client)
        #expect(network([("Forwarded", "for=forged")]) == ClientNetwork(address: [10, 0, 0, 1]))
        #expect(network([("X-Forwarded-For", "forged")], by: .forwarded) == ClientNetwork(address: [10, 0, 0, 1]))
    }

    @Test func `is the nearest proxy that says nothing of use`() {
        #expect(network([]) == ClientNetwork(address: [10, 0, 0, 1]))
        #expect(network([("X-Forwarded-For", "client, unknown")]) == ClientNetwork(address: [10, 0, 0, 1]))
        #expect(network([("X-Forwarded-For", "p2, p1")]) == ClientNetwork(address: Array("p2".utf8)))
    }
}
