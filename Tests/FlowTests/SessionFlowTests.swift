import JSON
import Testing

@Suite struct `A session over real sockets` {
    @Test func `shows its user, refreshes, and ends at once`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let signedIn = try await gatehouse.signIn("ada")
            let token = try #require(signedIn["token"]?.string)
            let user = try await gatehouse.call("GET", "/users/me", bearer: token)
            #expect(user.status == 200)
            #expect(user["user_id"] == signedIn["user"]?["user_id"])
            #expect(user["zenkey_sub"]?.string?.isEmpty == false)
            for member in try #require(user.json.object).members where member.name != "user_id" {
                #expect(member.value.string != nil, "\(member.name) is not a flat string")
            }

            let refreshed = try await gatehouse.refresh(try #require(signedIn["refresh_token"]?.string))
            #expect(refreshed.status == 200, "\(refreshed.text)")
            let next = try #require(refreshed["token"]?.string)
            #expect(try await gatehouse.call("GET", "/users/me", bearer: next).status == 200)

            let out = try await gatehouse.call("DELETE", "/auth/token", bearer: next)
            #expect(out.status == 200)
            #expect(out.json == [:])
            for gone in [token, next] {
                let answer = try await gatehouse.call("GET", "/users/me", bearer: gone)
                #expect(answer.status == 401)
                #expect(answer["error"] == "invalid_token")
                #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
            }
            let dead = try #require(refreshed["refresh_token"]?.string)
            #expect(try await gatehouse.refresh(dead).status == 401)
        }
    }

    @Test func `gives a client that lost the answer the same answer again`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let first = try #require(try await gatehouse.signIn("ada")["refresh_token"]?.string)
            let lost = try await gatehouse.refresh(first)
            let again = try await gatehouse.refresh(first)
            #expect(again.status == 200)
            #expect(again["refresh_token"] == lost["refresh_token"])
            let successor = try #require(again["refresh_token"]?.string)
            #expect(try await gatehouse.refresh(successor).status == 200)
        }
    }

    @Test func `is revoked whole when a token returns that was replaced twice`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let first = try #require(try await gatehouse.signIn("ada")["refresh_token"]?.string)
            let second = try #require(try await gatehouse.refresh(first)["refresh_token"]?.string)
            let third = try await gatehouse.refresh(second)
            let reused = try await gatehouse.refresh(first)
            #expect(reused.status == 401)
            #expect(reused["error"] == "invalid_grant")
            let newest = try #require(third["refresh_token"]?.string)
            #expect(try await gatehouse.refresh(newest).status == 401)
            #expect(try await gatehouse.call("GET", "/users/me", bearer: third["token"]?.string).status == 401)
        }
    }

    @Test func `publishes the key that verifies its tokens`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let keys = try await gatehouse.call("GET", "/.well-known/jwks.json")
            #expect(keys.status == 200)
            let key = try #require(keys["keys"]?.array?.first)
            #expect(key["kty"] == "EC")
            #expect(key["crv"] == "P-256")
            #expect(key["alg"] == "ES256")
            #expect(key["d"] == nil)
        }
    }

    @Test func `signs out with an API key alone, doing nothing`() async throws {
        try await RunningGatehouse.with(top: "apiKeys: [app-key-1]") { gatehouse in
            let answer = try await gatehouse.call("DELETE", "/auth/token", headers: ["X-API-KEY": "app-key-1"])
            #expect(answer.status == 200)
            #expect(try await gatehouse.call("DELETE", "/auth/token").status == 401)
        }
    }
}
