import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// The carriers' errors over sockets: what the app is told, and what the log's reader.
@Suite struct `A carrier's error` {
    @Test func `a carrier's error that the user has left leads to the page for choosing a carrier`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.signIn("ada", misbehaving: "token_user_not_found")
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer["error"] == "provider_not_found")
            #expect(answer["discovery_ui"]?.string == gatehouse.simulation.discoveryUI)
        }
    }

    @Test func `a carrier's error that the user has left leads to the configured page, where there is one`()
        async throws
    {
        try await RunningGatehouse.with(zenkey: ["discoveryUI: https://choose.example/ui"]) { gatehouse in
            let answer = try await gatehouse.signIn("ada", misbehaving: "token_user_not_found")
            #expect(answer["discovery_ui"]?.string == "https://choose.example/ui", "\(answer.text)")
        }
    }

    @Test func `a carrier's error for want of a verifier is the app's to mend`() async throws {
        try await RunningGatehouse.with(zenkey: ["requirePKCE: false", "codeNonce: optional"]) { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let answer = try await gatehouse.signIn(authorized, ["code_verifier": nil])
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer["error"] == "invalid_request")
            #expect(answer["error_description"]?.string?.contains("code_verifier") == true)
            #expect(!gatehouse.log.text.contains("check the provider's configuration"))
        }
    }

    @Test func `about a hint names the hint`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.signIn("ada", misbehaving: "token_invalid_login_hint_token")
            #expect(answer["error_description"]?.string?.contains("login_hint") == true, "\(answer.text)")
        }
    }

    @Test func `a carrier's error that nobody knows is in the log, without what it repeats`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada", ["misbehave": "token_unknown_error"])
            let answer = try await gatehouse.signIn(authorized)
            #expect(answer.status == 401, "\(answer.text)")
            #expect(answer["error"] == "invalid_grant")
            let log = gatehouse.log.text
            #expect(log.contains("provider_error=\"invalid_code: No such code:"), "\(log)")
            #expect(log.contains("error_host=127.0.0.1"))
            for secret in [authorized.code, authorized.verifier, "demo-secret", "Y2NpZC0w", "xci.provider"] {
                #expect(!log.contains(secret), "\(secret) in \(log)")
            }
        }
    }

    @Test func `a carrier's error of the transport is in the log with its host and its cause`() async throws {
        try await RunningGatehouse.with(zenkey: ["timeoutSeconds: 5"]) { gatehouse in
            gatehouse.simulation.misbehave(.answer(.hang), at: .token)
            let answer = try await gatehouse.signIn("ada")
            #expect(answer.status == 504, "\(answer.text)")
            let log = gatehouse.log.text
            #expect(log.contains("reason=\"provider_timeout: token: no answer in time\""), "\(log)")
            #expect(log.contains("error_host=127.0.0.1"))
        }
    }
}

/// A crowd of networks that nobody has, over sockets.
@Suite struct `Made-up networks` {
    @Test(.timeLimit(.minutes(10)))
    func `neither push out a good document nor reach discovery one by one`() async throws {
        try await RunningGatehouse.with { gatehouse in
            #expect(try await gatehouse.signIn("ada").status == 200)
            let before = gatehouse.simulation.counts[.aurora, .discovery]
            let made = Authorized(code: "made-up", verifier: Authorized.makeVerifier(), mccmnc: nil, isPlain: false)
            let began = ContinuousClock.now
            var looked = 0
            for number in 0..<1100 {
                let answer = try await gatehouse.signIn(made, ["mccmnc": .string(String(900_000 + number))])
                #expect([400, 503].contains(answer.status), "\(answer.text)")
                looked += answer["error"] == "provider_not_found" ? 1 : 0
            }
            let seconds = Int((ContinuousClock.now - began).components.seconds)
            #expect(looked <= 100 + 10 * (seconds + 1))
            #expect(try await gatehouse.signIn("grace").status == 200)
            #expect(gatehouse.simulation.counts[.aurora, .discovery] == before)
        }
    }
}

/// A provider that knows us by our name alone.
@Suite struct `A public client` {
    private static let section = [
        "clientID: gatehouse-public", "clientSecret: ''", "clientAuthentication: none",
    ]

    @Test func `signs users in with its name and the verifier`() async throws {
        try await RunningGatehouse.with(plain: Self.section) { gatehouse in
            let authorized = try await gatehouse.authorize("linus", at: .plain, ["client_id": "gatehouse-public"])
            let answer = try await gatehouse.signIn(authorized, ["client_id": "gatehouse-public"])
            #expect(answer.status == 200, "\(answer.text)")
            let request = try #require(gatehouse.simulation.requests(at: .token).last)
            #expect(request.header("authorization") == nil)
        }
    }

    @Test func `signs nobody in without a verifier`() async throws {
        try await RunningGatehouse.with(plain: Self.section) { gatehouse in
            let authorized = try await gatehouse.authorize("linus", at: .plain, ["client_id": "gatehouse-public"])
            let answer = try await gatehouse.signIn(
                authorized, ["client_id": "gatehouse-public", "code_verifier": nil])
            #expect(answer.status == 400, "\(answer.text)")
            #expect(gatehouse.simulation.requests(at: .token).isEmpty)
        }
    }
}
