import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `Limits for each client address` {
    private typealias Limits = RunningGatehouse.Limits

    private func expectRefusal(_ answer: HTTPTestAnswer, _ sentence: String, within seconds: ClosedRange<Int>) {
        #expect(answer.status == 429)
        #expect(answer["error"] == "rate_limited")
        #expect(answer["error_description"] == .string(sentence))
        #expect(Int(answer.header("retry-after") ?? "").map { seconds.contains($0) } == true)
    }

    @Test func `limits for each client address hold for sign-ins, and for nothing beside them`() async throws {
        try await RunningGatehouse.with(limits: Limits(signIns: 1)) { gatehouse in
            #expect(try await gatehouse.signIn("ada").status == 200)
            let refused = try await gatehouse.signIn("grace")
            expectRefusal(refused, "Too many sign-ins come from this address.", within: 1...60)
            #expect(try await gatehouse.call("GET", "/healthz").status == 200)
            #expect(try await gatehouse.call("POST", "/auth/challenge", form: [:]).status == 200)
        }
    }

    @Test func `limits for each client address hold for challenges, and for nothing beside them`() async throws {
        try await RunningGatehouse.with(limits: Limits(challenges: 2)) { gatehouse in
            for _ in 0..<2 { #expect(try await gatehouse.call("POST", "/auth/challenge", form: [:]).status == 200) }
            let refused = try await gatehouse.call("POST", "/auth/challenge", form: [:])
            expectRefusal(refused, "Too many requests for a challenge come from this address.", within: 1...30)
            #expect(try await gatehouse.signIn("ada").status == 200)
        }
    }

    @Test func `limits for each client address hold for refresh tokens that are wrong, and right ones do not count`()
        async throws
    {
        try await RunningGatehouse.with(limits: Limits(failedRefreshes: 2)) { gatehouse in
            var token = try #require(try await gatehouse.signIn("ada")["refresh_token"]?.string)
            for _ in 0..<5 {
                let answer = try await gatehouse.refresh(token)
                #expect(answer.status == 200)
                token = try #require(answer["refresh_token"]?.string)
            }
            for _ in 0..<2 { #expect(try await gatehouse.refresh("wrong").status == 401) }
            expectRefusal(
                try await gatehouse.refresh("wrong"), "Too many wrong tokens come from this address.",
                within: 1...30)
            // What is right is never refused, however much fails from the same address.
            #expect(try await gatehouse.refresh(token).status == 200)
            #expect(try await gatehouse.signIn("ada").status == 200)
        }
    }

    @Test
    func
        `limits for each client address hold for admin tokens that are wrong, and neither right nor missing ones count`()
        async throws
    {
        let token = "the-token-of-this-test"
        try await RunningGatehouse.with(limits: Limits(failedAdminTokens: 2), adminToken: token) { gatehouse in
            func users(_ token: String?) async throws -> HTTPTestAnswer {
                let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
                return try await LoopbackClient(port: gatehouse.adminPort).send("GET", "/admin/users", headers: headers)
            }
            for _ in 0..<5 {
                #expect(try await users(token).status == 200)
                #expect(try await users(nil).status == 401)
            }
            for _ in 0..<2 { #expect(try await users("a-wrong-admin-token").status == 401) }
            let refused = try await users("a-wrong-admin-token")
            expectRefusal(refused, "Too many wrong admin tokens come from this address.", within: 1...30)
            // An operator is let in, however much is guessed from the same address.
            #expect(try await users(token).status == 200)
            let health = try await LoopbackClient(port: gatehouse.adminPort).send("GET", "/readyz")
            #expect(health.status == 200)
        }
    }

    /// Asks for a challenge and expects this status.
    private func expect(
        _ status: Int, of gatehouse: RunningGatehouse, _ headers: [String: String],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await gatehouse.call("POST", "/auth/challenge", headers: headers, form: [:])
        #expect(answer.status == status, sourceLocation: location)
    }

    @Test(arguments: [
        ("X-Forwarded-For", "192.0.2.1", "Forwarded", "for=198.51.100."),
        ("Forwarded", "for=192.0.2.1", "X-Forwarded-For", "198.51.100."),
    ])
    func `count whom the configured header names, whatever the other says`(
        header: String, client: String, other: String, spoofed: String
    ) async throws {
        let http = "trustedProxies: [127.0.0.1], clientAddressHeader: \(header)"
        try await RunningGatehouse.with(http: http, limits: Limits(challenges: 1)) { gatehouse in
            try await expect(200, of: gatehouse, [header: client, other: spoofed + "1"])
            // The proxy passes on what the client wrote into the other header.
            for number in 2..<5 {
                try await expect(429, of: gatehouse, [header: client, other: "\(spoofed)\(number)"])
            }
            let neighbour = client.replacing("192.0.2.1", with: "192.0.2.2")
            try await expect(200, of: gatehouse, [header: neighbour, other: spoofed + "1"])
        }
    }

    @Test func `believe nobody who is no trusted proxy`() async throws {
        try await RunningGatehouse.with(limits: Limits(challenges: 1)) { gatehouse in
            try await expect(200, of: gatehouse, ["X-Forwarded-For": "192.0.2.1"])
            try await expect(429, of: gatehouse, ["X-Forwarded-For": "192.0.2.2"])
        }
    }
}
