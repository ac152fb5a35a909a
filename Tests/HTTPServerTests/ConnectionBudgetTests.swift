import EventLoop
import Syntax
import Testing

@testable import HTTPServer

@Suite struct `A connection budget` {
    private func address(_ number: UInt32, port: UInt16 = 1) -> SocketAddress {
        SocketAddress(address: IPAddress(v4: number), port: port)
    }

    private func address(network: UInt64, _ low: UInt64) -> SocketAddress {
        SocketAddress(address: IPAddress(v6: network, low), port: 1)
    }

    private func budget(connections: Int = 100, perAddress: Int) -> ConnectionBudget {
        ConnectionBudget(
            HTTPServerLimits(maximumConnections: connections, maximumConnectionsPerAddress: perAddress),
            proxies: [AddressRange("0.0.0.9")].compactMap(\.self))
    }

    @Test func `counts an IPv4 address whatever its port, and the 64 bits of an IPv6 network`() {
        let budget = budget(perAddress: 2)
        #expect(budget.enter(address(1, port: 1)) == .granted)
        #expect(budget.enter(address(1, port: 2)) == .granted)
        #expect(budget.enter(address(1, port: 3)) == .beyondLimitOfAddress)
        #expect(budget.enter(address(2)) == .granted)
        #expect(budget.enter(address(network: 1, 1)) == .granted)
        #expect(budget.enter(address(network: 1, 2)) == .granted)
        #expect(budget.enter(address(network: 1, 3)) == .beyondLimitOfAddress)
        #expect(budget.enter(address(network: 2, 1)) == .granted)
    }

    @Test func `counts what a customer with a wider network has, by the whole of it`() {
        let budget = budget(connections: 1000, perAddress: 2)
        func granted(_ networks: [UInt64]) -> Int {
            networks.count { budget.enter(address(network: $0, 1)) == .granted }
        }
        // Of one /56, and of one /48.
        #expect(granted((0..<20).map { 0x2001_0DB8_0001_0000 | $0 }) == 8)
        #expect(granted((1..<100).map { 0x2001_0DB8_0001_0000 | $0 << 8 }) == 24)
        #expect(granted([0x2001_0DB8_0002_0000]) == 1)
        budget.leave(.granted, address(network: 0x2001_0DB8_0001_0000, 1))
        #expect(granted([0x2001_0DB8_0001_0000 | 99 << 8]) == 1)
    }

    @Test func `a connection budget does not count the connections of a proxy`() {
        let budget = budget(perAddress: 1)
        for _ in 0..<3 { #expect(budget.enter(address(9)) == .granted) }
        budget.leave(.granted, address(9))
        #expect(budget.enter(address(9)) == .granted)
    }

    @Test func `gives back what a connection took and no more`() {
        let budget = budget(perAddress: 1)
        #expect(budget.enter(address(1)) == .granted)
        #expect(budget.enter(address(1)) == .beyondLimitOfAddress)
        // The one that was refused had no place that its end could free.
        budget.leave(.beyondLimitOfAddress, address(1))
        #expect(budget.enter(address(1)) == .beyondLimitOfAddress)
        budget.leave(.granted, address(1))
        #expect(budget.enter(address(1)) == .granted)
    }

    @Test func `tells so many of one address that they are too many, and drops the rest`() {
        let budget = budget(connections: 20_000, perAddress: 1)
        #expect(budget.enter(address(1)) == .granted)
        let refused = (0..<300).map { _ in budget.enter(address(1)) }
        #expect(refused.count { $0 == .beyondLimitOfAddress } == 256)
        #expect(refused.count { $0 == .farBeyondLimit } == 44)
        for admission in refused { budget.leave(admission, address(1)) }
        #expect(budget.enter(address(1)) == .beyondLimitOfAddress)
        #expect(budget.enter(address(2)) == .granted)
    }

    @Test func `makes room or refuses beyond its limit, and drops what is far beyond`() {
        let budget = budget(connections: 100, perAddress: 0)
        let admissions = (0..<200).map { _ in budget.enter(address(1)) }
        #expect(admissions.count { $0 == .granted } == 100)
        #expect(admissions.count { $0 == .beyondLimit } == 25)
        #expect(admissions.count { $0 == .farBeyondLimit } == 75)
    }
}
