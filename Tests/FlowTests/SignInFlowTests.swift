import GatehouseTesting
import HTTPServer
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A sign-in over real sockets` {
    @Test func `signs a subscriber in with the SDK's spelling`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.signIn("ada")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["token"]?.string?.hasPrefix("eyJ") == true)
            #expect(answer["token_type"] == "Bearer")
            #expect(answer["expires"] == 900)
            #expect(answer["new_user"] == true)
            #expect(answer["migrated"] == false)
            #expect(answer["user"]?["user_id"]?.integer != nil)
            #expect(answer["user"]?["email"]?.string?.contains("@") == true)
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("x-request-id") != nil)
        }
    }

    @Test func `takes every body that apps send`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let guide = try await gatehouse.authorize("ada")
            let network = try #require(guide.mccmnc)
            let spelledAsInGuides: JSONValue = [
                "clientId": .string(RunningGatehouse.clientID), "code": .string(guide.code),
                "codeVerifier": .string(guide.verifier), "redirectURI": .string(RunningGatehouse.redirectURI),
                "mccmnc": .string(network), "correlationId": "0123456789ab",
            ]
            #expect(try await gatehouse.post("/auth/zenkey-signin", spelledAsInGuides).status == 200)

            let numbers = try await gatehouse.authorize("ada")
            let answer = try await gatehouse.signIn(
                numbers, ["mccmnc": .integer(try #require(Int64(network))), "correlation_id": 1_234_567_890])
            #expect(answer.status == 200, "\(answer.text)")

            let apart = try await gatehouse.authorize("ada")
            let parts: [String: JSONValue?] = [
                "mccmnc": JSONValue?.none, "mcc": .string(String(network.prefix(3))),
                "mnc": .string(String(network.dropFirst(3))),
            ]
            #expect(try await gatehouse.signIn(apart, parts).status == 200)

            let form = try await gatehouse.authorize("ada")
            let fields = [
                "client_id": RunningGatehouse.clientID, "code": form.code, "code_verifier": form.verifier,
                "redirect_uri": RunningGatehouse.redirectURI, "mccmnc": network, "unknown": "ignored",
            ]
            #expect(try await gatehouse.call("POST", "/auth/signin", form: fields).status == 200)
        }
    }

    @Test func `knows a subscriber again`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let first = try await gatehouse.signIn("ada")
            let second = try await gatehouse.signIn("ada")
            #expect(first["new_user"] == true)
            #expect(second["new_user"] == false)
            #expect(first["user"]?["user_id"] == second["user"]?["user_id"])
            let other = try await gatehouse.signIn("grace", at: .borealis)
            #expect(other["user"]?["user_id"] != first["user"]?["user_id"])
        }
    }

    @Test func `signs in at a plain OpenID Provider with RS256 and ES256`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for algorithm in ["RS256", "ES256"] {
                let authorized = try await gatehouse.authorize("ada", at: .plain, ["id_token_alg": algorithm])
                let answer = try await gatehouse.signIn(authorized, ["provider": "plain"])
                #expect(answer.status == 200, "\(algorithm): \(answer.text)")
            }
        }
    }

    @Test func `proves itself in the body where the provider wants that`() async throws {
        try await RunningGatehouse.with(plain: ["clientAuthentication: client_secret_post"]) { gatehouse in
            let answer = try await gatehouse.signIn("ada", at: .plain)
            #expect(answer.status == 200, "\(answer.text)")
            let exchange = try #require(gatehouse.simulation.requests(at: .token).last)
            #expect(exchange.authorizationScheme == nil)
            #expect(exchange.formField("client_id") == "gatehouse-demo")
        }
    }

    @Test func `a sign-in over real sockets does without userinfo where the operator says so`() async throws {
        try await RunningGatehouse.with(plain: ["userinfo: false"]) { gatehouse in
            let answer = try await gatehouse.signIn("ada", at: .plain)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(gatehouse.simulation.requests(at: .userinfo).isEmpty)
        }
    }

    @Test func `demands a nonce and a level where the operator does`() async throws {
        try await RunningGatehouse.with(zenkey: ["requireNonce: true", "minimumACR: a3"]) { gatehouse in
            let without = try await gatehouse.signIn("ada")
            #expect(without.status == 400)
            #expect(without["error_description"]?.string?.contains("nonce") == true)
            let low = try await gatehouse.authorize("ada", ["nonce": "n-1", "acr_values": "a1"])
            #expect(try await gatehouse.signIn(low, ["nonce": "n-1"])["reason"] == "acr")
            let high = try await gatehouse.authorize("ada", ["nonce": "n-1", "acr_values": "a3"])
            #expect(try await gatehouse.signIn(high, ["nonce": "n-1"]).status == 200)
        }
    }

    @Test func `checks nonce, level and context that the app sends`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let asked = ["nonce": "n-1", "acr_values": "a3", "context": "Pay 10"]
            let right = try await gatehouse.authorize("ada", asked)
            #expect(
                try await gatehouse.signIn(right, ["nonce": "n-1", "acr_values": "a1 a3", "context": "Pay 10"]).status
                    == 200)
            for (change, reason) in [("nonce", "nonce"), ("context", "context")] {
                let wrong = try await gatehouse.authorize("ada", asked)
                var changes: [String: JSONValue?] = ["nonce": "n-1"]
                changes[change] = "another"
                let answer = try await gatehouse.signIn(wrong, changes)
                #expect(answer.status == 401)
                #expect(answer["error"] == "invalid_id_token")
                #expect(answer["reason"] == .string(reason))
            }
            let low = try await gatehouse.authorize("ada", ["acr_values": "a1"])
            let answer = try await gatehouse.signIn(low, ["acr_values": "a3"])
            #expect(answer["reason"] == "acr", "\(answer.text)")
        }
    }

    @Test func `sends the carrier what it asks for and nothing that it refuses`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let more: [String: JSONValue?] = ["correlation_id": "0123456789ab", "sdk_version": "1.0"]
            #expect(try await gatehouse.signIn(authorized, more).status == 200)
            let exchange = try #require(gatehouse.simulation.requests(at: .token).last)
            #expect(exchange.authorizationScheme == "basic")
            #expect(
                exchange.formFieldNames == [
                    "grant_type", "code", "redirect_uri", "code_verifier", "correlation_id", "sdk_version",
                ])
            let userinfo = try #require(gatehouse.simulation.requests(at: .userinfo).last)
            #expect(userinfo.request.method == .get)
            #expect(userinfo.authorizationScheme == "bearer")
            #expect(userinfo.queryField("correlation_id") == "0123456789ab")
        }
    }

    @Test func `fetches metadata and keys once for many sign-ins`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for _ in 0..<3 {
                let answer = try await gatehouse.signIn("ada")
                #expect(answer.status == 200)
            }
            #expect(gatehouse.simulation.counts[.aurora, .keys] == 1)
            #expect(gatehouse.simulation.requests(at: .discovery).count == 1)
        }
    }

    @Test func `takes a code once`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            #expect(try await gatehouse.signIn(authorized).status == 200)
            let exchanges = gatehouse.simulation.requests(at: .token).count
            let again = try await gatehouse.signIn(authorized, ["correlation_id": "thief"])
            #expect(again.status == 401)
            #expect(again["error"] == "invalid_grant")
            #expect(gatehouse.simulation.requests(at: .token).count == exchanges, "the carrier was asked again")
        }
    }

    @Test func `lets one of two win who present a code at once`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for round in 0..<10 {
                let authorized = try await gatehouse.authorize("user\(round)")
                async let first = gatehouse.signIn(authorized)
                async let second = gatehouse.signIn(authorized, ["correlation_id": "thief"])
                let statuses = try await [first.status, second.status].sorted()
                #expect(statuses == [200, 401])
            }
        }
    }

    @Test func `makes one user of two first sign-ins at once`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for round in 0..<10 {
                let one = try await gatehouse.authorize("twin\(round)")
                let two = try await gatehouse.authorize("twin\(round)")
                async let first = gatehouse.signIn(one)
                async let second = gatehouse.signIn(two)
                let answers = try await [first, second]
                #expect(answers.map(\.status) == [200, 200])
                #expect(answers[0]["user"]?["user_id"] == answers[1]["user"]?["user_id"])
                #expect(answers.filter { $0["new_user"] == true }.count == 1)
            }
        }
    }
}
