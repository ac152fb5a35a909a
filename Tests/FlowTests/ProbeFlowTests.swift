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
                let answer = try await client.send("GET", path)
                #expect(answer.status == 200 && answer.json == ["status": "ok"], "\(path)")
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
            #expect(try await client.send("GET", "/livez").status == 200)
        }
    }

    @Test func `are there without a token beside what operators do`() async throws {
        try await RunningGatehouse.with(adminToken: "the-token-of-this-test") { gatehouse in
            let client = LoopbackClient(port: gatehouse.adminPort)
            for path in ["/livez", "/startupz"] {
                let answer = try await client.send("GET", path)
                #expect(answer.status == 200)
            }
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
