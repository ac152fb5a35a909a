import EventLoop
import HTTPTesting
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct `Connections of several loops` {
    /// Runs `body` against a server that answers with the number of the loop.
    private func withLoops(_ count: Int, _ body: (HTTPServer) async throws -> Void) async throws {
        let loops = try (0..<count).map { try EventLoop(label: "test \($0)") }
        for loop in loops { loop.start() }
        defer { for loop in loops { loop.stop() } }
        var limits = HTTPServerLimits.patient
        limits.idleTimeout = .zero
        let server = try HTTPServer(host: "127.0.0.1", port: 0, loops: loops, limits: limits) { loop, _ in
            let number = loops.firstIndex { $0 === loop } ?? -1
            return TestHandler { _ in
                HTTPResponse(status: loop.isCurrent ? .ok : .internalServerError, body: Array("\(number)".utf8))
            }
        }
        try await server.start()
        do {
            try await body(server)
        } catch {
            await server.drain(within: .zero)
            throw error
        }
        await server.drain(within: .zero)
    }

    @Test(arguments: [(2, 8), (4, 8), (3, 3), (2, 5)])
    func `connections of several loops are spread evenly, also when they are few`(_ loops: Int, _ connections: Int)
        async throws
    {
        // The kernel places them at random; so often that nobody is lucky every time.
        for _ in 0..<5 {
            try await withLoops(loops) { server in
                var clients: [HTTPTestConnection] = []
                var counts = [Int](repeating: 0, count: loops)
                for _ in 0..<connections {
                    let client = try HTTPTestConnection(to: server.address.port)
                    let answer = try await client.exchange(get("/"))
                    #expect(answer.status == 200)
                    counts[try #require(Int(answer.text))] += 1
                    clients.append(client)
                }
                let (least, most) = (counts.min() ?? 0, counts.max() ?? 0)
                #expect(most - least <= 1, "\(counts)")
                // Each stays where it is.
                for client in clients { #expect(try await client.exchange(get("/")).status == 200) }
            }
        }
    }

    @Test func `connections of several loops are spread evenly when they come all at once`() async throws {
        try await withLoops(2) { server in
            let clients = try (0..<40).map { _ in try HTTPTestConnection(to: server.address.port) }
            var counts = [0, 0]
            for client in clients {
                let answer = try await client.exchange(get("/"))
                counts[try #require(Int(answer.text))] += 1
            }
            #expect(abs(counts[0] - counts[1]) <= 6, "\(counts)")
        }
    }

    @Test func `connections of several loops are all answered when the server drains while they are handed on`()
        async throws
    {
        for _ in 0..<10 {
            try await withLoops(4) { server in
                let clients = try (0..<40).map { _ in try HTTPTestConnection(to: server.address.port) }
                // First: a connection that says nothing is not waited for.
                for client in clients { await client.send(get("/")) }
                async let drained: Void = server.drain(within: .seconds(60))
                for client in clients {
                    let answer = try await client.answer()
                    #expect(answer.status == 200)
                    client.endSending()
                }
                await drained
            }
        }
    }

    @Test(arguments: [(1, 0, true), (0, 0, false), (2, 2, false), (9, 8, false), (10, 8, true), (90, 80, false)])
    func `connections of several loops are handed on only when the difference is worth it`(
        _ own: Int, _ least: Int, isUneven: Bool
    ) {
        #expect(LoopListener.isUneven(own, least) == isUneven)
    }
}
