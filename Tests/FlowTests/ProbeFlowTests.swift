import EventLoop
import GatehouseTesting
import HTTPServer
import HTTPTesting
import JSON
import Patience
import Testing

@testable import Composition
@testable import Operations

@Suite struct `Probes` {
    @Test func `are on a listener of their own where one is configured, which has nothing else`() async throws {
        try await RunningGatehouse.with(top: "probes: {host: 127.0.0.1, port: 0}", adminToken: "the-token-of-this-test")
        {
            gatehouse in
            let client = LoopbackClient(port: try #require(gatehouse.server.admin.probes?.address.port))
            for path in ["/livez", "/startupz", "/readyz", "/healthz"] {
                try await isWell(path, client)
            }
            let token = ["Authorization": "Bearer the-token-of-this-test"]
            for path in ["/admin/users", "/metrics", "/docs", "/openapi.json", "/"] {
                let answer = try await client.send("GET", path, headers: token)
                #expect(answer.status == 404, "\(path)")
            }
            // What is told operators at the other door is told nobody here.
            #expect(try await client.send("GET", "/readyz", headers: token).json == ["status": "ok"])
            await gatehouse.server.beginLameDuck(for: .zero)
            let draining = try await client.send("GET", "/readyz")
            #expect(draining.status == 503 && draining["status"] == "draining")
            try await isWell("/livez", client)
        }
    }

    /// A loop that takes up no work for a second is rightly told not to live, and other tests may be at work.
    private func isWell(_ path: String, _ client: LoopbackClient) async throws {
        try await eventually("\(path) is well") {
            let answer = try await client.send("GET", path)
            return answer.status == 200 && answer.json == ["status": "ok"]
        }
    }

    @Test func `are there without a token beside what operators do`() async throws {
        try await RunningGatehouse.with(adminToken: "the-token-of-this-test") { gatehouse in
            let client = LoopbackClient(port: gatehouse.adminPort)
            for path in ["/livez", "/startupz"] { try await isWell(path, client) }
        }
    }
}

@Suite struct `A store that was not there` {
    @Test func `is told to have been made, and that it would be again`() async throws {
        try await RunningGatehouse.with { gatehouse in
            #expect(gatehouse.log.text.contains(" notice a new store was made: it has no users store="))
        }
    }
}
