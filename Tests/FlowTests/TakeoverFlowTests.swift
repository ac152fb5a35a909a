import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A thief over real sockets` {
    private static func link(
        _ gatehouse: RunningGatehouse, _ token: String, _ subscriber: String, at carrier: SimulatedIssuer = .aurora
    ) async throws -> HTTPTestAnswer {
        try await gatehouse.post(
            "/users/me/identities", try await gatehouse.authorize(subscriber, at: carrier).body(),
            ["Authorization": "Bearer \(token)"])
    }

    @Test func `takes no account over with an access token whose user authenticated long ago`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let signedIn = try await gatehouse.signIn("ada", misbehaving: "id_token_old_auth_time")
            let refresh = try #require(signedIn["refresh_token"]?.string)
            let stolen = [
                try #require(signedIn["token"]?.string),
                try #require(try await gatehouse.refresh(refresh)["token"]?.string),
            ]
            for token in stolen {
                let answers = [
                    try await Self.link(gatehouse, token, "grace"),
                    try await gatehouse.call("DELETE", "/users/me/identities/1", bearer: token),
                    try await gatehouse.call("DELETE", "/users/me", bearer: token),
                    try await gatehouse.call("PATCH", "/users/me", bearer: token, form: ["email": "thief@example.com"]),
                ]
                for answer in answers {
                    #expect(answer.status == 401, "\(answer.text)")
                    #expect(answer["error"] == "insufficient_user_authentication")
                    #expect(answer.header("www-authenticate")?.contains("max_age=\"300\"") == true)
                }
            }
            // The user herself signs in anew, and may.
            let fresh = try #require(try await gatehouse.signIn("ada")["token"]?.string)
            #expect(try await Self.link(gatehouse, fresh, "grace").status == 201)
            #expect(try await gatehouse.call("DELETE", "/users/me", bearer: fresh).status == 200)
        }
    }

    @Test func `approves nothing and erases nobody with a number that was just ported`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let before = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let thief = try await gatehouse.signIn("ada", at: .borealis)
            #expect(thief["migrated"] == true)
            #expect(thief["user"]?["user_id"] == before["user"]?["user_id"])
            let token = try #require(thief["token"]?.string)
            let approved = try await gatehouse.authorize(
                "ada", at: .borealis, ["context": "Pay 12.00 to Bob", "nonce": "n", "acr_values": "a3"])
            let answers = [
                try await gatehouse.post(
                    "/auth/transaction",
                    approved.body(["context": "Pay 12.00 to Bob", "nonce": "n"]), ["Authorization": "Bearer \(token)"]),
                try await Self.link(gatehouse, token, "grace"),
                try await gatehouse.call("DELETE", "/users/me", bearer: token),
            ]
            for answer in answers {
                #expect(answer.status == 403, "\(answer.text)")
                #expect(answer["error"] == "identity_too_new")
                let wait = try #require(answer.header("retry-after").flatMap { Int($0) })
                #expect((86_000...86_400).contains(wait))
            }
        }
    }

    @Test func `a thief over real sockets may do all of it where the operator asks for neither`() async throws {
        try await RunningGatehouse.with(
            top: "session: {sensitiveMaxAgeSeconds: 0}", zenkey: ["transactionIdentityMinimumAgeHours: 0"]
        ) { gatehouse in
            _ = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let ported = try await gatehouse.signIn("ada", at: .borealis, misbehaving: "id_token_old_auth_time")
            let token = try #require(ported["token"]?.string)
            #expect(try await Self.link(gatehouse, token, "grace").status == 201)
            #expect(try await gatehouse.call("DELETE", "/users/me", bearer: token).status == 200)
        }
    }
}
