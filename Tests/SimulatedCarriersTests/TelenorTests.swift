import Crypto
import HTTPTesting
import JSON
import Syntax
import Testing

@testable import SimulatedCarriers

@Suite struct `The simulated TelenorID+` {
    private static let client = ("gatehouse-telenor", "demo-secret-telenor")
    private static let bye = "https://rp.example/auth/telenor/logged-out"

    /// A browser with the cookie that it was given.
    private struct Browser {
        let simulation: Simulation
        var cookie: String?

        func fields(_ changes: [String: String]) -> [(String, String)] {
            let usual = [
                "client_id": client.0, "redirect_uri": "com.example.app:/callback", "response_type": "code",
                "scope": "openid profile email phone offline_access", "state": "state-1", "nonce": "nonce-1",
                "code_challenge": SimulatedSignIn.challenge(), "code_challenge_method": "S256",
            ]
            return usual.merging(changes) { $1 }.filter { !$0.value.isEmpty }.map { ($0.key, $0.value) }
        }

        mutating func get(_ url: String) throws -> HTTPTestAnswer {
            let answer = try LoopbackClient.get(url, headers: cookie.map { [("Cookie", $0)] } ?? [])
            if let set = answer.header("Set-Cookie") { cookie = String(set.prefix { $0 != ";" }) }
            return answer
        }

        mutating func authorize(_ changes: [String: String] = [:]) throws -> HTTPTestAnswer {
            try get(simulation.telenor + "/connect/authorize?" + FormText.encode(fields(changes)))
        }

        /// The parameters that the browser is sent back with.
        mutating func answer(_ changes: [String: String] = [:]) throws -> [String: String] {
            FormText.query(of: try #require(try authorize(changes).header("Location")))
        }

        /// Says yes on the page.
        mutating func approve(_ changes: [String: String] = [:]) throws -> [String: String] {
            let said = ["simulation_decision": "approve", "simulation_subscriber": "ada"].merging(
                ["profile", "email", "phone", "offline_access"].map { ("simulation_scope_\($0)", "yes") }
            ) { $1 }
            let answer = try LoopbackClient.post(
                simulation.telenor + "/connect/authorize/decision", fields(said.merging(changes) { $1 }))
            if let set = answer.header("Set-Cookie") { cookie = String(set.prefix { $0 != ";" }) }
            return FormText.query(of: try #require(answer.header("Location")))
        }

        func tokens(_ code: String?) throws -> Tokens {
            let basic = "Basic " + Base64.encode(Array("\(client.0):\(client.1)".utf8))
            let answer = try LoopbackClient.post(
                simulation.telenor + "/connect/token",
                [
                    ("grant_type", "authorization_code"), ("code", try #require(code)),
                    ("redirect_uri", "com.example.app:/callback"), ("code_verifier", SimulatedSignIn.verifier),
                ], headers: [("Authorization", basic)])
            #expect(answer.status == 200)
            return try Tokens(answer)
        }
    }

    private func with(_ body: (inout Browser) throws -> Void) async throws {
        try await withSimulation(clients: SimulatedClient.demo(postLogoutRedirectURIs: [Self.bye])) { simulation in
            var browser = Browser(simulation: simulation)
            try body(&browser)
        }
    }

    @Test func `has everything below connect, and S256, RS256 and both response modes only`() async throws {
        try await with { browser in
            let issuer = browser.simulation.telenor
            let document = try LoopbackClient.get(issuer + "/.well-known/openid-configuration").object
            for (member, name) in [
                ("authorization_endpoint", "authorize"), ("token_endpoint", "token"), ("userinfo_endpoint", "userinfo"),
                ("end_session_endpoint", "endsession"), ("custom_logout_endpoint", "logout"),
            ] { #expect(document[member]?.string == "\(issuer)/connect/\(name)") }
            #expect(document["id_token_signing_alg_values_supported"] == ["RS256"])
            #expect(document["response_modes_supported"] == ["query", "form_post"])
            #expect(try browser.answer(["code_challenge_method": "plain"])["error"] == "invalid_request")
            #expect(try browser.authorize(["redirect_uri": "com.example.app:/callback/"]).status == 400)
        }
    }

    @Test func `knows a browser again, and nobody without one`() async throws {
        try await with { browser in
            #expect(try browser.answer(["prompt": "none", "login_hint": "ada"])["error"] == "login_required")
            let first = try browser.tokens(try browser.approve()["code"]).idToken.claims
            let second = try browser.tokens(try browser.answer(["prompt": "none"])["code"]).idToken.claims
            #expect(first["sid"] != nil && first["sid"] == second["sid"] && first["sub"] == second["sub"])
            #expect(first["acr"] == "urn:telenor.identity.aal.1")
            let lifetime = (first["exp"]?.integer ?? 0) - (first["iat"]?.integer ?? 0)
            #expect(lifetime == 300)
            #expect(try browser.authorize(["prompt": "login"]).status == 200)
            #expect(try browser.answer(["prompt": "none", "login_hint": "+12125550102"])["error"] == "login_required")
        }
    }

    @Test func `gives a refresh token for offline_access only, and kurtid for the profile scope`()
        async throws
    {
        try await with { browser in
            let tokens = try browser.tokens(try browser.approve()["code"])
            #expect(tokens.answer["refresh_token"] != nil)
            func userinfo(_ token: String) throws -> JSONObject {
                try LoopbackClient.get(
                    browser.simulation.telenor + "/connect/userinfo", headers: [("Authorization", "Bearer \(token)")]
                ).object
            }
            #expect(try userinfo(tokens.accessToken)["kurtid"]?.string?.isEmpty == false)
            let least = try browser.tokens(try browser.answer(["scope": "openid", "prompt": "none"])["code"])
            #expect(least.answer["refresh_token"] == nil)
            #expect(try userinfo(least.accessToken)["kurtid"] == nil)
        }
    }

    @Test func `posts its answer where it is asked to`() async throws {
        try await with { browser in
            _ = try browser.approve()
            let page = try browser.authorize(["response_mode": "form_post"])
            #expect(page.status == 200 && page.header("Location") == nil)
            #expect(page.text.contains(#"action="com.example.app:/callback""#) && page.text.contains(#"name="code""#))
            #expect(try browser.answer(["response_mode": "fragment"])["error"] == "invalid_request")
        }
    }

    @Test func `signs in a subscriber who has shown a line, for as long as that lasts`() async throws {
        try await with { browser in
            let answer = try LoopbackClient.ask(
                "POST", browser.simulation.telenor + "/control/line", headers: [("Content-Type", "application/json")],
                body: #"{"subscriber":"grace"}"#
            ).object
            let token = try #require(answer["uuid"]?.string)
            #expect(answer["exp"] == 60)
            #expect(try browser.answer(["aloha_token": token, "prompt": "none"])["code"] != nil)
            var other = Browser(simulation: browser.simulation)
            #expect(try other.answer(["aloha_token": token + "x", "prompt": "none"])["error"] == "login_required")
            #expect(try other.authorize(["aloha_token": "unknown"]).status == 200)
        }
        let lines = LineAuthentication()
        let ada = try #require(Subscriber.named("ada"))
        let token = try #require(lines.begin(ada, seconds: 60, now: 1000))
        #expect(lines.take(token, now: 1059) == ada && lines.take(token, now: 1059) == nil)
        let late = try #require(lines.begin(ada, seconds: 60, now: 1000))
        #expect(lines.take(late, now: 1060) == nil)
        #expect(lines.begin(ada, seconds: 0, now: 1000) == nil && lines.begin(ada, seconds: 3601, now: 1000) == nil)
    }

    @Test func `shows a line by the network's word, step by step and each step once`() async throws {
        try await with { browser in
            let base = browser.simulation.telenor
            let log = "7d9f6f0e-1c1f-4a63-9c58-2f0d4f3c9a11"
            let prepared = try LoopbackClient.get(base + "/hr/v1/prepare/" + log)
            let inject = try #require(prepared.object["injectPath"]?.string)
            #expect(inject.hasPrefix("http://"))
            #expect(try LoopbackClient.get(base + "/hr/v1/prepare/" + log).status == 400)
            #expect(try LoopbackClient.get(base + "/hr/v1/prepare/not-a-uuid").status == 400)
            let network = [("X-Simulated-Msisdn", "+12125550102")]
            let redirect = try LoopbackClient.get(inject, headers: network)
            let next = try #require(redirect.header("Location"))
            #expect(redirect.status == 303 && next.hasPrefix(base + "/hr/v1/session/"))
            #expect(try LoopbackClient.get(inject, headers: network).status == 400)
            let session = try LoopbackClient.get(next).object
            #expect(session["exp"] == 60)
            #expect(try LoopbackClient.get(next).status == 400)
            let token = try #require(session["uuid"]?.string)
            #expect(try browser.answer(["aloha_token": token, "prompt": "none"])["code"] != nil)
            var other = Browser(simulation: browser.simulation)
            #expect(try other.answer(["aloha_token": token, "prompt": "none"])["error"] == "login_required")
            // Over Wi-Fi nobody tells whose line it is.
            let again = try LoopbackClient.get(base + "/hr/v1/prepare/" + log.replacing("7d", with: "8e"))
            let wireless = try LoopbackClient.get(try #require(again.object["injectPath"]?.string))
            #expect(wireless.status == 403)
        }
    }

    @Test func `refreshes for fourteen days from the sign-in, and no refresh makes it more`() throws {
        let day: Int64 = 86_400
        let store = GrantStore(refreshTokenLifetime: 14 * day)
        let grant = Grant(
            id: "grant", clientID: "client", redirectURI: "x", subscriber: try #require(Subscriber.named("ada")),
            scopes: [], nonce: nil, level: "1", context: nil, correlationID: nil, codeChallenge: nil,
            authenticationTime: 0, refreshesUntil: 14 * day, algorithm: nil, plan: .none)
        let first = store.makeRefreshToken(for: grant, now: 0)
        let found = try #require(store.redeem(refreshToken: first, clientID: "client", now: 13 * day))
        let second = store.makeRefreshToken(for: found, now: 13 * day)
        #expect(store.redeem(refreshToken: second, clientID: "client", now: 14 * day) == nil)
    }

    @Test func `signs out by the browser, to registered addresses only`() async throws {
        try await with { browser in
            let tokens = try browser.tokens(try browser.approve()["code"])
            let hint = try #require(tokens.answer["id_token"]?.string)
            let end = browser.simulation.telenor + "/connect/endsession?"
            for fields in [
                [("id_token_hint", hint), ("post_logout_redirect_uri", "https://evil.example/")],
                [("id_token_hint", hint + "x"), ("post_logout_redirect_uri", Self.bye)],
                [("id_token_hint", hint), ("client_id", "gatehouse-telenor-web")], [],
            ] { #expect(try browser.get(end + FormText.encode(fields)).status == 400) }
            #expect(try browser.answer(["prompt": "none"])["code"] != nil)
            let right = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye), ("state", "s")]
            #expect(try browser.get(end + FormText.encode(right)).header("Location") == Self.bye + "?state=s")
            #expect(try browser.answer(["prompt": "none"])["error"] == "login_required")
        }
    }

    @Test func `signs out from server to server, with 200, 400, 401 and 424`() async throws {
        try await with { browser in
            let tokens = try browser.tokens(try browser.approve()["code"])
            let hint = try #require(tokens.answer["id_token"]?.string)
            let url = browser.simulation.telenor + "/connect/logout"
            func post(_ body: String, _ type: String = "application/json") throws -> Int {
                try LoopbackClient.ask("POST", url, headers: [("Content-Type", type)], body: body).status
            }
            let right = #"{"id_token_hint":"\#(hint)","state":"s"}"#
            #expect(try post("{}") == 400 && post(#"{"id_token_hint":"\#(hint)"}"#) == 400)
            #expect(try post(right, "text/plain") == 400)
            #expect(try post(#"{"id_token_hint":"a.b.c","state":"s"}"#) == 401)
            for (misbehaviour, status) in [
                (LogoutMisbehaviour.refused, 400), (.unauthorized, 401), (.upstreamFailed, 424),
            ] {
                browser.simulation.misbehave(.logout(misbehaviour), times: 1)
                #expect(try post(right) == status)
            }
            #expect(try browser.answer(["prompt": "none"])["code"] != nil)
            #expect(try post(right) == 200)
            #expect(try browser.answer(["prompt": "none"])["error"] == "login_required")
        }
    }
}
