import EventLoop
import GatehouseTesting
import HTTPClient
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `A crowd` {
    @Test func `a crowd of a thousand sign-ins in flight at once, against a slow carrier, all succeed`() async throws {
        // The last of them come to their codes later than a carrier keeps one, where other tests run beside this one.
        try await RunningGatehouse.with(codeLifetime: 600) { gatehouse in
            let crowd = 1000
            var authorized: [Authorized] = []
            for number in 0..<crowd { authorized.append(try await gatehouse.authorize("crowd\(number)")) }
            // The first sign-in fetches metadata and keys, so that what follows is the sign-ins alone.
            let first = try await gatehouse.signIn("ada")
            #expect(first.status == 200)
            gatehouse.simulation.latency = .milliseconds(200)
            let loop = try EventLoop(label: "crowd")
            loop.start()
            let client = HTTPClient(loop: loop)
            let port = gatehouse.port
            let url = try EndpointURL("http://127.0.0.1:\(port)/auth/signin", allowLoopbackHTTP: true)
            let policy = OutboundPolicy(
                caFile: nil, allowsPrivateAddresses: true, connectionsPerHost: crowd, maximumBodyBytes: 65_536,
                connectTimeout: .seconds(30))
            let statuses = await withTaskGroup(of: Int.self) { group in
                for app in authorized {
                    group.addTask {
                        let request = OutboundRequest(
                            method: .post, url: url, headers: [(name: "Content-Type", value: "application/json")],
                            body: app.body().serialized, timeout: .seconds(60), policy: policy,
                            finishesWhenCancelled: false)
                        return (try? await client.send(request).status) ?? 0
                    }
                }
                return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: crowd])
            await client.shutDown()
            loop.stop()
        }
    }
}
