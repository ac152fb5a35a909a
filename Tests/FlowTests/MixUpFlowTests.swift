import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

/// A trusted carrier that wants the code of another one's subscriber: it gets what an app, told a wrong mobile network,
/// posts for it, and posts that itself as the app should have.
@Suite struct `An evil carrier` {
    /// What Borealis learns from a sign-in that was meant for Aurora.
    private func loot(_ gatehouse: RunningGatehouse) throws -> Authorized {
        let exchange = try #require(gatehouse.simulation.requests(at: .token).last)
        #expect(exchange.issuer == .borealis)
        return Authorized(
            code: try #require(exchange.formField("code")), verifier: try #require(exchange.formField("code_verifier")),
            mccmnc: gatehouse.simulation.mccmnc(of: .aurora), isPlain: false)
    }

    private func network(_ carrier: SimulatedIssuer, _ gatehouse: RunningGatehouse) throws -> JSONValue {
        .string(try #require(gatehouse.simulation.mccmnc(of: carrier)))
    }

    /// How it answers the exchange that brings it the code: it refuses, breaks, or says that it can't just now.
    static let answers = [
        "token_invalid_grant", "token_temporarily_unavailable", "token_invalid_client", "status_429", "status_500",
        "html", "close_before_answer",
    ]

    @Test(arguments: answers) func `an evil carrier can't use a code that it was handed`(answer: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            let victim = try await gatehouse.authorize("ada")
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: answer)), at: .token, of: .borealis)
            let misled = try await gatehouse.signIn(victim, ["mccmnc": try network(.borealis, gatehouse)])
            #expect(misled.status >= 400)
            let stolen = try loot(gatehouse)
            #expect(stolen.code == victim.code)
            let theft = try await gatehouse.signIn(stolen)
            #expect(theft.status == 401, "\(theft.text)")
            #expect(theft["error"] == "invalid_grant")
            #expect(gatehouse.simulation.counts[.aurora, .token] == 0, "the honest carrier was asked")
            let after = try await gatehouse.signIn("ada")
            #expect(after.status == 200, "\(after.text)")
        }
    }

    @Test func `an evil carrier can't use it while it keeps the exchange waiting`() async throws {
        try await RunningGatehouse.with(zenkey: ["timeoutSeconds: 6", "signInTimeoutSeconds: 8"]) { gatehouse in
            let victim = try await gatehouse.authorize("ada")
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: "hang")), at: .token, of: .borealis)
            async let misled = gatehouse.signIn(victim, ["mccmnc": try network(.borealis, gatehouse)])
            try await eventually("the exchange") { gatehouse.simulation.counts[.borealis, .token] > 0 }
            let theft = try await gatehouse.signIn(try loot(gatehouse))
            #expect(theft["error"] == "invalid_grant", "\(theft.text)")
            #expect(try await misled.status == 504)
            #expect(gatehouse.simulation.counts[.aurora, .token] == 0)
        }
    }

    @Test func `an evil carrier can't use it after it has filled memory with codes of its own`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let victim = try await gatehouse.authorize("ada")
            let network = try network(.borealis, gatehouse)
            _ = try await gatehouse.signIn(victim, ["mccmnc": network])
            let stolen = try loot(gatehouse)
            for number in 0..<500 {
                let made = try await gatehouse.signIn(
                    stolen, ["mccmnc": network, "code": .string("made-up-\(number)")])
                #expect(made["error"] == "invalid_grant")
            }
            let theft = try await gatehouse.signIn(stolen)
            #expect(theft["error"] == "invalid_grant", "\(theft.text)")
            #expect(gatehouse.simulation.counts[.aurora, .token] == 0)
            let after = try await gatehouse.signIn("ada")
            #expect(after.status == 200, "\(after.text)")
        }
    }

    @Test func `an evil carrier can't have a challenge count that came with another code`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let nonce = try #require(try await gatehouse.post("/auth/challenge", [:])["nonce"]?.string)
            let victim = try await gatehouse.authorize("ada", ["nonce": nonce])
            _ = try await gatehouse.signIn(
                victim, ["mccmnc": try network(.borealis, gatehouse), "nonce": .string(nonce)])
            let next = try await gatehouse.authorize("mallory", ["nonce": nonce])
            let answer = try await gatehouse.signIn(next, ["nonce": .string(nonce)])
            #expect(answer.status == 401, "\(answer.text)")
            #expect(answer["error"] == "invalid_challenge")
            #expect(gatehouse.simulation.counts[.aurora, .token] == 0)
        }
    }

    @Test(arguments: ["/auth/signin", "/users/me/identities", "/auth/transaction"])
    func `an evil carrier is sent nothing when the app tells whose answer it got`(path: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            let session = try #require(try await gatehouse.signIn("ada")["token"]?.string)
            let victim = try await gatehouse.authorize("ada", ["nonce": "n", "context": "Pay 10", "acr_values": "a3"])
            let issuer = JSONValue.string(gatehouse.simulation.aurora)
            let more: [String: JSONValue?] = ["iss": issuer, "nonce": "n", "context": "Pay 10"]
            let mixedUp = more.merging(["mccmnc": try network(.borealis, gatehouse)]) { $1 }
            let bearer = ["Authorization": "Bearer \(session)"]
            let refused = try await gatehouse.post(path, victim.body(mixedUp), bearer)
            #expect(refused.status == 400, "\(refused.text)")
            #expect(refused["error"] == "issuer_mismatch")
            #expect(gatehouse.simulation.counts[.borealis, .token] == 0)
            // Nothing is lost: the code is good where it belongs.
            let right = try await gatehouse.post(path, victim.body(more), bearer)
            #expect(right.status == 200, "\(right.text)")
        }
    }

    @Test func `gets no code of another provider that answers at the same redirect URI`() async throws {
        // The plain provider announces that it sends iss; answers of the carriers come back to the same address.
        let shared = "\(RunningGatehouse.redirectURI),com.example.app:/callback"
        try await RunningGatehouse.with(environment: ["GATEHOUSE_PROVIDER_ZENKEY_REDIRECT_URIS": shared]) { gatehouse in
            let victim = try await gatehouse.authorize("ada", at: .plain)
            let silent = try await gatehouse.signIn(victim)
            #expect(silent.status == 400)
            #expect(silent["error"] == "invalid_request")
            #expect(silent["error_description"] == "The parameter iss is missing.")
            let stray: [String: JSONValue?] = [
                "client_id": .string(RunningGatehouse.clientID), "mccmnc": try network(.borealis, gatehouse),
            ]
            #expect(try await gatehouse.signIn(victim, stray).status == 401)
            let iss: [String: JSONValue?] = ["iss": .string(gatehouse.simulation.plain)]
            let theft = try await gatehouse.signIn(victim, iss)
            #expect(theft["error"] == "invalid_grant", "\(theft.text)")
            #expect(gatehouse.simulation.counts[.plain, .token] == 0)
            let next = try await gatehouse.authorize("ada", at: .plain)
            #expect(try await gatehouse.signIn(next, iss).status == 200)
        }
    }

    @Test func `an evil carrier is nobody to an app that tells no iss where that is demanded`() async throws {
        try await RunningGatehouse.with(zenkey: ["requireIss: true"]) { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let silent = try await gatehouse.signIn(authorized)
            #expect(silent.status == 400)
            #expect(silent["error_description"] == "The parameter iss is missing.")
            let issuer = JSONValue.string(gatehouse.simulation.aurora)
            #expect(try await gatehouse.signIn(authorized, ["iss": issuer]).status == 200)
        }
    }
}
