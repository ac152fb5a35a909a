import EventLoop
import Glibc
import Syntax
import Testing

@testable import HTTPClient

@Suite struct `The clients of several loops` {
    @Test(arguments: [(0, 21), (2, 2), (1, 1), (7, 7), (3, 3)])
    func `the clients of several loops keep the connections to one host within the bound together`(
        bound: Int, most: Int
    ) async throws {
        let server = try ScriptedServer { connection, _ in
            while connection.request() != nil {
                // Long enough for all connections to be open at once.
                usleep(50_000)
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let loops = try (0..<3).map { try EventLoop(label: "client \($0)") }
        for loop in loops { loop.start() }
        let clients = await HTTPClient.clients(of: loops, trust: TrustStore())
        let policy = OutboundPolicy.local.with { $0.connectionsPerHost = bound }
        let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<21 {
                group.addTask { try await clients[number % 3].send(.get(server, policy: policy)).status == 200 }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(answered == 21)
        #expect(server.connections <= most)
        if bound > 0 { #expect(server.connections == most) }
        for client in clients { await client.shutDown() }
        for loop in loops { loop.stop() }
    }

    @Test func `the clients of several loops end without a shutdown too`() async throws {
        let loop = try EventLoop(label: "client")
        loop.start()
        defer { loop.stop() }
        weak var remembered: HTTPClient?
        do {
            let clients = await HTTPClient.clients(of: [loop, loop], trust: TrustStore())
            remembered = clients[0]
            for client in clients { await client.shutDown() }
        }
        #expect(remembered == nil)
    }

    @Test(arguments: 1...9) func `the clients of several loops have parts of a limit that add up to it`(count: Int)
        throws
    {
        for limit in 0...40 {
            let parts = (0..<count).map { LimitShare(index: $0, count: count).part(of: limit) }
            if limit > 0, limit < count {
                #expect(parts.allSatisfy { $0 == nil })
            } else {
                #expect(parts.reduce(0) { $0 + ($1 ?? 0) } == limit)
                let (least, most) = (parts.compactMap(\.self).min() ?? 0, parts.compactMap(\.self).max() ?? 0)
                #expect(most - least <= 1)
            }
        }
    }

    @Test func `agree about who serves a server`() throws {
        let url = try EndpointURL("https://carrier.example/token", allowLoopbackHTTP: false)
        let owners = Set((0..<5).map { LimitShare(index: $0, count: 5).owner(of: url) })
        #expect(owners.count == 1)
        #expect(owners.allSatisfy { (0..<5).contains($0) })
    }
}
