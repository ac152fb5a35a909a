import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `An access token that an app holds, over real sockets` {
    private static let jwt = "access_token_jwt_valid"

    @Test(arguments: ["introspection", "jwt"]) func `signs in whom a code would`(rule: String) async throws {
        try await RunningGatehouse.exchanging(rule) { gatehouse in
            let posted = try await gatehouse.signIn("ada", at: .plain)
            let token = try await gatehouse.accessToken(of: "ada", misbehaving: rule == "jwt" ? Self.jwt : nil)
            for _ in 0..<2 {
                let answer = try await gatehouse.exchange(token)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer["user"] == posted["user"] && answer["new_user"] == false)
                #expect(answer["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
                #expect(answer["acr"] != nil && answer["auth_time"]?.integer != nil)
                #expect(try await gatehouse.isLive(try #require(answer["token"]?.string)))
            }
            let grace = try await gatehouse.exchange(
                try await gatehouse.accessToken(of: "grace", misbehaving: rule == "jwt" ? Self.jwt : nil))
            #expect(grace["new_user"] == true && grace["user"]?["user_id"] != posted["user"]?["user_id"])
            #expect(!gatehouse.log.text.contains(token))
        }
    }

    @Test func `of another client of the provider's opens nothing, by either rule`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let stolen = try await gatehouse.accessToken(of: "ada", for: "gatehouse-public")
            try await gatehouse.expectRefused(stolen, "aud")
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
            gatehouse.simulation.misbehave(.introspection(.withoutAudienceValid))
            try await gatehouse.expectRefused(stolen, "aud")
        }
        try await RunningGatehouse.exchanging("jwt") { gatehouse in
            let stolen = try await gatehouse.accessToken(of: "ada", for: "gatehouse-public", misbehaving: Self.jwt)
            try await gatehouse.expectRefused(stolen, "aud")
        }
        // Unless the operator says that what is for it is for us.
        let ours = ["tokenExchangeAudiences: [gatehouse-public]", "userinfo: false"]
        try await RunningGatehouse.exchanging("introspection", ours) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada", for: "gatehouse-public")
            #expect(try await gatehouse.exchange(token).status == 200)
        }
    }

    @Test func `is no other token of the provider's`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let tokens = try await gatehouse.tokens(of: "ada", misbehaving: "id_token_at_hash_valid")
            try await gatehouse.expectRefused(try #require(tokens["id_token"]?.string), "typ")
            try await gatehouse.expectRefused(try #require(tokens["refresh_token"]?.string), "token_type")
            let plain = try await gatehouse.tokens(of: "ada")
            try await gatehouse.expectRefused(try #require(plain["id_token"]?.string), "active")
            let ours = try await gatehouse.signIn("ada", at: .plain)
            try await gatehouse.expectRefused(try #require(ours["token"]?.string), "active")
        }
        try await RunningGatehouse.exchanging("jwt") { gatehouse in
            let tokens = try await gatehouse.tokens(of: "ada")
            try await gatehouse.expectRefused(try #require(tokens["id_token"]?.string), "typ")
            try await gatehouse.expectRefused(try #require(tokens["access_token"]?.string), "malformed")
            #expect(gatehouse.simulation.counts[.plain, .introspection] == 0)
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
        }
    }

    private func check(_ verdict: ExchangeVerdict, by rule: String) async throws {
        try await RunningGatehouse.exchanging(rule, ["minimumACR: a1"]) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada", misbehaving: verdict.misbehaviour)
            let answer = try await gatehouse.exchange(token)
            if let rule = verdict.rule {
                #expect(answer.status == 401 && answer["error"] == "invalid_grant", "\(answer.text)")
                #expect(
                    answer["error_description"]?.string == "The subject_token breaks a rule (\(rule)).",
                    "\(answer.text)")
            } else if let error = verdict.error {
                #expect(answer["error"]?.string == error, "\(answer.text)")
            } else if verdict.misbehaviour == "introspection_sparse_valid" {
                // The section demands a level.
                #expect(
                    answer["error_description"]?.string == "The subject_token breaks a rule (acr).", "\(answer.text)")
            } else {
                #expect(answer.status == 200, "\(answer.text)")
            }
            for secret in [token, "eyJ", "demo-secret", "gatehouse-public"] where answer.status != 200 {
                #expect(!answer.text.contains(secret))
            }
            #expect(!gatehouse.log.text.contains(token))
        }
    }

    @Test func `is tried with everything that can be the matter`() {
        let tried = Set((ExchangeVerdict.introspections + ExchangeVerdict.signed).map(\.misbehaviour))
        #expect(IntrospectionMisbehaviour.allCases.allSatisfy { tried.contains($0.rawValue) })
        #expect(AccessTokenMisbehaviour.allCases.allSatisfy { tried.contains($0.rawValue) })
    }

    @Test(arguments: ExchangeVerdict.introspections)
    func `is found out by what the provider answers`(_ verdict: ExchangeVerdict) async throws {
        try await check(verdict, by: "introspection")
    }

    @Test(arguments: ExchangeVerdict.signed) func `is found out by what it says`(_ verdict: ExchangeVerdict)
        async throws
    {
        try await check(verdict, by: "jwt")
    }

    @Test func `opens a session that changes nothing of the account, whatever tells of an authentication`()
        async throws
    {
        try await RunningGatehouse.exchanging("jwt", top: "session: {sensitiveMaxAgeSeconds: 0}") { gatehouse in
            let silent = "access_token_jwt_without_auth_time_valid"
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada", misbehaving: silent))
            let token = try #require(answer["token"]?.string, "\(answer.text)")
            #expect(answer["auth_time"] == nil && answer["acr"] == nil)
            let refused = try await gatehouse.call("DELETE", "/users/me", bearer: token)
            #expect(refused.status == 403 && refused["error"] == "insufficient_scope")
            // A refresh renews no authentication.
            let next = try await gatehouse.refresh(try #require(answer["refresh_token"]?.string))
            let again = try await gatehouse.call("DELETE", "/users/me", bearer: try #require(next["token"]?.string))
            #expect(again.status == 403)
            let telling = try await gatehouse.exchange(
                try await gatehouse.accessToken(of: "ada", misbehaving: Self.jwt))
            let kept = try await gatehouse.call("DELETE", "/users/me", bearer: telling["token"]?.string)
            #expect(kept.status == 403, "\(kept.text)")
        }
    }

    @Test func `proves nothing at a provider that has userinfo alone`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            gatehouse.simulation.misbehave(.document(.withoutIntrospection), of: .plain)
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada"))
            #expect(answer.status == 502 && answer["error"] == "provider_error")
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
            #expect(gatehouse.log.text.contains("introspection_endpoint is missing or wrong"))
        }
    }

    @Test func `is nothing here unless the operator says so`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada"))
            #expect(answer.status == 400 && answer["error"] == "invalid_request")
            #expect(gatehouse.simulation.counts[.plain, .introspection] == 0)
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
        }
    }

    @Test func `is made up no oftener than sign-ins are allowed`() async throws {
        try await RunningGatehouse.exchanging("introspection", limits: .init(signIns: 1)) { gatehouse in
            var statuses: [Int] = []
            for number in 0..<4 { statuses.append(try await gatehouse.exchange("made-up-\(number)").status) }
            #expect(statuses == [401, 429, 429, 429])
            #expect(gatehouse.simulation.counts[.plain, .introspection] == 1)
        }
    }

    @Test(arguments: [
        ["clientAuthentication: client_secret_post"],
        [
            "clientID: gatehouse-keys", "clientAuthentication: client_secret_jwt",
            "clientSecret: demo-secret-that-is-long-enough-for-HS256",
        ],
    ]) func `is asked about in each way in which we tell who we are`(lines: [String]) async throws {
        let audiences = ["tokenExchangeAudiences: [gatehouse-demo]", "userinfo: false"]
        try await RunningGatehouse.exchanging("introspection", lines + audiences) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada")
            for _ in 0..<2 {
                let answer = try await gatehouse.exchange(token)
                #expect(answer.status == 200, "\(answer.text)")
            }
        }
    }

    @Test func `ends with the provider's session, as one that a code has opened`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada"))
            let session = try #require(answer["token"]?.string)
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "by": "sid"])
            #expect(try await gatehouse.logOut(token).status == 200)
            #expect(try await !gatehouse.isLive(session))
        }
    }

    @Test func `gives an app of ours tokens of its own`() async throws {
        try await RunningGatehouse.exchanging("introspection", top: BrowserFlow.configuration) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada")
            let answer = try await gatehouse.exchange(token, ["client_id": "desk", "scope": "openid email"])
            #expect(answer.status == 200 && answer["scope"] == "openid email", "\(answer.text)")
            #expect(answer["id_token"]?.string != nil && answer["user"] == nil)
            let refused = try await gatehouse.exchange("made-up", ["client_id": "desk"])
            #expect(refused.status == 400 && refused["error"] == "invalid_request")
            let unproven = try await gatehouse.exchange(token, ["client_id": "web"])
            #expect(unproven.status == 401 && unproven["error"] == "invalid_client")
        }
    }
}
