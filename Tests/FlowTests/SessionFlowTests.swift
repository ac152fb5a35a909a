import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `A user's attributes over real sockets` {
    @Test
    func `a user's attributes over real sockets are the carrier's where it gave them, and the user's own stand apart`()
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            let first = try await gatehouse.signIn("ada")
            let token = try #require(first["token"]?.string)
            let theirs = try #require(first["user"]?["email"]?.string)
            #expect(first["user"]?["email_verified"] == true, "\(first.text)")
            let edited = try await gatehouse.call(
                "PATCH", "/users/me", bearer: token, form: ["email": "victim@example.com"])
            #expect(edited.status == 200)
            #expect(edited["email"]?.string == theirs)
            #expect(edited["email_verified"] == "true")
            #expect(edited["own"] == ["email": "victim@example.com"])
            let again = try await gatehouse.signIn("ada")
            #expect(again["user"]?["email"]?.string == theirs)
            #expect(again["user"]?["email_verified"] == true)
            #expect(again["user"]?["own"] == ["email": "victim@example.com"])
        }
    }

    @Test
    func
        `a user's attributes over real sockets are what the profile knows, and what the provider's claims setting names`()
        async throws
    {
        let claims = "claims: [email_verified, birthdate, address, aud_like]"
        try await RunningGatehouse.with(plain: [claims]) { gatehouse in
            let scope = ["scope": "openid profile email address postal_code"]
            let signedIn = try await gatehouse.signIn(try await gatehouse.authorize("ada", at: .plain, scope))
            let user = try #require(signedIn["user"], "\(signedIn.text)")
            #expect(user["claims"]?["email_verified"] == true)
            #expect(user["claims"]?["birthdate"]?.string?.isEmpty == false)
            #expect(user["claims"]?["address"]?["country"] == "US")
            #expect(user["claims"]?.object?.members.count == 3)
            let token = signedIn["token"]?.string
            let me = try await gatehouse.call("GET", "/users/me", bearer: token)
            #expect(me["claims"] == user["claims"])
            #expect(me["address"]?["country"] == "US")
            // No standard claim (OpenID Connect Core §5.1).
            #expect(me["postal_code"] == nil)
        }
    }
}

@Suite struct `What a carrier verifies over real sockets` {
    /// The levels of ``SimulatedIssuer/aurora``.
    private static let levels: [(name: String, level: Int64)] = [
        ("name", 2), ("email", 1), ("phone_number", 3), ("postal_code", 2), ("birthdate", 0),
    ]

    @Test(arguments: [nil, "userinfo_flat_levels_valid"])
    func `what a carrier verifies over real sockets is told by its levels, nested and flat`(
        misbehaviour: String?
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let scope = ["scope": "openid name email phone postal_code birthdate"]
            let more = misbehaviour.map { ["misbehave": $0] } ?? [:]
            let signedIn = try await gatehouse.signIn(
                try await gatehouse.authorize("ada", at: .aurora, scope.merging(more) { $1 }))
            #expect(signedIn["user"]?["email_verified"] == true, "\(signedIn.text)")
            #expect(signedIn["user"]?["phone_number_verified"] == true)
            let token = try #require(signedIn["token"]?.string)
            let me = try await gatehouse.call("GET", "/users/me?attributes=true", bearer: token)
            for (name, level) in Self.levels {
                let told = me["attributes"]?[name]
                #expect(told?["level"] == .integer(level) && told?["verified"] == .boolean(level > 0), "\(me.text)")
                #expect(told?["provider"] == "zenkey" && told?["at"]?.integer != nil)
            }
            let match = try await gatehouse.post(
                "/users/me/match", ["name": "ada LOVELACE", "birthdate": "1985-12-11", "address": "1 Main St"],
                ["Authorization": "Bearer \(token)"])
            #expect(match.text == #"{"name":"yes","address":"unknown","birthdate":"no"}"#)
            #expect(!gatehouse.log.text.contains("1985-12-11"))
        }
    }
}

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

    @Test func `a session over real sockets is revoked whole when a token returns that was replaced twice`()
        async throws
    {
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

    @Test func `ends by an access token that has expired`() async throws {
        try await RunningGatehouse.with(top: "session: {accessTokenSeconds: 1}") { gatehouse in
            let signedIn = try await gatehouse.signIn("ada")
            let token = try #require(signedIn["token"]?.string)
            try await eventually("the token's end") {
                try await gatehouse.call("GET", "/users/me", bearer: token).status != 200
            }
            #expect(try await gatehouse.call("DELETE", "/auth/token", bearer: token).status == 200)
            #expect(try await gatehouse.refresh(try #require(signedIn["refresh_token"]?.string)).status == 401)
        }
    }

    @Test func `ends by its refresh token, and by one that was replaced`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for isReplaced in [false, true] {
                let signedIn = try await gatehouse.signIn("ada")
                let refresh = try #require(signedIn["refresh_token"]?.string)
                if isReplaced { #expect(try await gatehouse.refresh(refresh).status == 200) }
                let form = ["token": refresh, "token_type_hint": "refresh_token"]
                let answer = try await gatehouse.call("POST", "/auth/revoke", form: form)
                #expect(answer.status == 200)
                #expect(answer.json == [:])
                let token = signedIn["token"]?.string
                #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 401)
                #expect(try await gatehouse.call("POST", "/auth/revoke", form: form).status == 200)
            }
        }
    }

    @Test func `gives way when its user has more of them than may be`() async throws {
        try await RunningGatehouse.with(top: "session: {maximumPerUser: 2}") { gatehouse in
            for _ in 0..<3 {
                let token = try await gatehouse.signIn("ada")["token"]?.string
                #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 200)
            }
            let token = try await gatehouse.signIn("ada")["token"]?.string
            let list = try await gatehouse.call("GET", "/users/me/sessions", bearer: token)
            #expect(list.json.array?.count == 2)
        }
    }

    @Test func `names its client in the access token`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let token = try #require(try await gatehouse.signIn("ada")["token"]?.string)
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            #expect(try JSONValue(parsing: payload)["client_id"] == .string(RunningGatehouse.clientID))
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
