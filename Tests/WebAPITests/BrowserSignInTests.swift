import Accounts
import Apps
import Crypto
import HTTPClient
import HTTPServer
import HTTPTesting
import JOSE
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `A sign-in through the browser` {
    @Test func `goes to the provider with secrets of our own, and back to the app with a code`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin(["acr_values": "a3", "login_hint": "+1 206", "prompt": "login"])
        #expect(request.base == "https://carrier.example/authorize")
        for (name, value) in [
            ("response_type", "code"), ("client_id", "ccid-0123456789abcdef"), ("scope", "openid email"),
            ("redirect_uri", "https://gatehouse.example/auth/zenkey/callback"), ("code_challenge_method", "S256"),
            ("acr_values", "a3"), ("login_hint", "+1 206"), ("prompt", "login"),
        ] { #expect(request[name] == value, "\(name)") }
        for (name, own) in [("state", "app-state"), ("nonce", "app-nonce"), ("code_challenge", BrowserStage.challenge)]
        {
            #expect(request[name] != own && (request[name]?.utf8.count ?? 0) >= 43, "\(name)")
        }
        let answer = try Location(of: try await browser.comeBack(from: request))
        #expect(answer.base == BrowserStage.acme && answer.names == ["code", "iss", "state"])
        #expect(answer["state"] == "app-state" && answer["iss"] == "https://gatehouse.example")
        let exchange = try #require(browser.api.stage.tokenRequests.first)
        let body = try FormFields(parsing: exchange.body.span, limit: 16)
        #expect(body["redirect_uri"] == "https://gatehouse.example/auth/zenkey/callback")
        let verifier = try #require(body["code_verifier"])
        #expect(Base64URL.encode(Digest.sha256.hash(verifier.utf8.span)) == request["code_challenge"])
        #expect(body["correlation_id"] == request["correlation_id"] && request["correlation_id"]?.utf8.count == 16)
    }

    @Test func `gives the app tokens for its code, and an ID token with what its scope lets it know`() async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code()
        let answer = await browser.redeem(code)
        #expect(answer.status == 200)
        #expect(answer.json["token_type"] == "Bearer" && answer.json["expires_in"] == 900)
        #expect(answer.json["scope"] == "openid profile email offline_access")
        let idToken = try #require(answer.json["id_token"]?.string)
        let keys = try JWKSet(
            JSONValue(parsing: browser.api.stage.sessionKeys.document.span), maximumKeyCount: 8)
        let verified = try JWS.verify(idToken, keys: keys, allowed: [.rs256], maximumByteCount: 4096)
        let claims = try JSONValue(parsing: verified.payload.span)
        let accessToken = try #require(answer.json["access_token"]?.string)
        let half = Base64URL.encode(Array(Digest.sha256.hash(accessToken.utf8.span).prefix(16)))
        let user = try #require(try await browser.api.stage.repository.user(UserID(rawValue: 1)))
        for (name, value) in [
            ("iss", "https://gatehouse.example"), ("sub", .string(user.reference)), ("aud", "acme-id"),
            ("nonce", "app-nonce"),
            ("at_hash", JSONValue.string(half)), ("email", "jane@example.com"), ("name", "Jane Doe"),
            ("email_verified", false),
        ] as [(String, JSONValue)] { #expect(claims[name] == value, "\(name)") }
        #expect(claims["iat"]?.integer == browser.api.stage.now && claims["phone_number"] == nil)
        #expect(claims["sid"]?.string != nil)
        let bearer = bearer(accessToken)
        let userinfo = await browser.api.send(.get, "/auth/userinfo", headers: bearer)
        #expect(userinfo.json["sub"] == claims["sub"] && userinfo.json["email"] == "jane@example.com")
        #expect(userinfo.json["phone_number"] == nil)
        #expect(await browser.api.send(.get, "/users/me", headers: bearer).error == "insufficient_scope")
    }

    @Test func `refreshes its app's session with an ID token that is fresh`() async throws {
        var browser = try await BrowserStage()
        let first = await browser.redeem(try await browser.code())
        browser.api.stage.pass(seconds: 3600)
        let refreshToken = try #require(first.json["refresh_token"]?.string)
        let fields = [
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", "acme-id"),
            ("scope", "openid"),
        ]
        let second = await browser.api.post("/auth/token", form: FormText.encode(fields))
        #expect(second.status == 200 && second.json["refresh_token"]?.string != refreshToken)
        let payload = try #require(second.json["id_token"]?.string?.split(separator: ".").dropFirst().first)
        let bytes = try #require(Base64URL.decode(String(payload)))
        let claims = try JSONValue(parsing: bytes.span)
        #expect(claims["iat"]?.integer == browser.api.stage.now && claims["nonce"] == nil)
        #expect(claims["sub"]?.string?.utf8.count == 22 && claims["aud"] == "acme-id")
    }

    @Test func `has no ID token for an app that asks for no openid, and no scope for one that asks for none`()
        async throws
    {
        var browser = try await BrowserStage()
        let answer = await browser.redeem(try await browser.code(["scope": nil]))
        #expect(answer.status == 200 && answer.json["id_token"] == nil && answer.json["scope"] == nil)
        let bearer = bearer(try #require(answer.json["access_token"]?.string))
        let userinfo = await browser.api.send(.post, "/auth/userinfo", headers: bearer)
        #expect((userinfo.status, userinfo.error) == (403, "insufficient_scope"))
    }

    @Test func `lets the user choose where several providers can be meant`() async throws {
        var browser = try await BrowserStage()
        let page = await browser.visit("/auth/authorize", BrowserStage.request(["provider": nil, "mccmnc": nil]))
        #expect(page.status == 200 && page.text.contains("provider=zenkey") && page.text.contains("provider=openid"))
        #expect(page.text.contains("acme") && page.header("set-cookie") == nil)
        let silent = try Location(
            of: await browser.visit(
                "/auth/authorize", BrowserStage.request(["provider": nil, "mccmnc": nil, "prompt": "none"])))
        #expect(silent["error"] == "interaction_required" && silent["state"] == "app-state")
        // This app has one.
        let desk = [
            "client_id": "desk-id", "redirect_uri": "http://127.0.0.1:49152/cb", "provider": nil,
        ]
        let request = try await browser.begin(desk)
        #expect(request.base == "https://carrier.example/authorize")
    }

    @Test func `has a key of its own in a cookie of the browser, which goes when it is finished`() async throws {
        var browser = try await BrowserStage()
        func keys() -> [Substring] { browser.cookie?.matches(of: /=([A-Za-z0-9_-]{43})\./).map(\.1) ?? [] }
        let (first, second) = (try await browser.begin(), try await browser.begin())
        let begun = keys()
        #expect(begun.count == 2 && Set(begun).count == 2)
        // Both are finished, in any order.
        #expect(try Location(of: try await browser.comeBack(from: second))["code"] != nil)
        #expect(keys() == [begun[0]])
        #expect(try Location(of: try await browser.comeBack(from: first))["code"] != nil)
        #expect(keys().isEmpty && browser.cookie?.split(separator: "; ").count == 2)
        _ = try await browser.begin()
        #expect(keys().count == 1 && !begun.contains(keys()[0]))
    }

    @Test func `is bound to no key that somebody has put into the browser before it began`() async throws {
        var browser = try await BrowserStage()
        let planted = Random.token(byteCount: 32)
        browser.cookie = "__Host-gatehouse=\(planted)"
        let request = try await browser.begin()
        // Who has planted it has no more than that.
        browser.cookie = "__Host-gatehouse=\(planted)"
        #expect(try await browser.comeBack(from: request).status == 403)
        #expect(browser.api.stage.tokenRequests.isEmpty)
    }

    @Test func `is bound to no key of a sign-in that is finished`() async throws {
        var browser = try await BrowserStage()
        let first = try await browser.begin()
        let seen = browser.cookie
        #expect(try await browser.comeBack(from: first).status == 303)
        let second = try await browser.begin()
        browser.cookie = seen
        #expect(try await browser.comeBack(from: second).status == 403)
    }

    @Test func `takes a user without a network to choose a carrier, and goes on with the chosen one`() async throws {
        var browser = try await BrowserStage { $0.discoveryUI = "https://choose.example/ui" }
        let choice = try await browser.begin(["mccmnc": nil])
        #expect(choice.base == "https://choose.example/ui" && choice["client_id"] == "ccid-0123456789abcdef")
        #expect(choice["redirect_uri"] == "https://gatehouse.example/auth/zenkey/callback")
        let chosen = [
            ("state", try #require(choice["state"])), ("mccmnc", "310260"), ("login_hint_token", "hint"),
        ]
        let request = try Location(of: await browser.visit("/auth/zenkey/callback", chosen))
        #expect(request.base == "https://carrier.example/authorize" && request["login_hint_token"] == "hint")
        #expect(try Location(of: try await browser.comeBack(from: request)).names == ["code", "iss", "state"])
        // The choice counts once.
        #expect(await browser.visit("/auth/zenkey/callback", chosen).status == 400)
    }

    @Test func `lets a user whom the carrier does not know any more choose another one, once`() async throws {
        var browser = try await BrowserStage { $0.discoveryUI = "https://choose.example/ui" }
        let first = try await browser.begin()
        let unknown: [String: String?] = ["code": nil, "error": "user_not_found"]
        let choice = try Location(of: try await browser.comeBack(from: first, unknown))
        #expect(choice.base == "https://choose.example/ui" && choice["prompt"] == "true")
        let second = try Location(
            of: await browser.visit(
                "/auth/zenkey/callback", [("state", try #require(choice["state"])), ("mccmnc", "310260")]))
        let end = try Location(of: try await browser.comeBack(from: second, unknown))
        #expect(end.base == BrowserStage.acme && end["error"] == "user_not_found" && end["iss"] != nil)
    }

    @Test(arguments: [
        ("access_denied", "access_denied"), ("request_denied", "access_denied"), ("login_required", "login_required"),
        ("authentication_timed_out", "authentication_timed_out"), ("network_failure", "network_failure"),
        ("device_unavailable", "device_unavailable"), ("invalid_scope", "server_error"),
        ("temporarily_unavailable", "temporarily_unavailable"), ("what<ever>", "server_error"),
    ])
    func `tells the app what the provider has said, with what helps`(said: String, told: String) async throws {
        var browser = try await BrowserStage()
        let answer = try Location(
            of: try await browser.comeBack(from: browser.begin(), ["code": nil, "error": said]))
        #expect(answer["error"] == told && answer["state"] == "app-state" && answer["iss"] != nil)
        #expect(answer["error_description"]?.hasSuffix(".") == true && answer["code"] == nil)
    }

    @Test func `tells the app why an ID token was refused`() async throws {
        var browser = try await BrowserStage()
        let answer = try Location(
            of: try await browser.comeBack(from: browser.begin()) { $0.claims[setting: "aud"] = "other" })
        #expect(answer["error"] == "server_error" && answer["error_description"]?.contains("(audience)") == true)
        let low = try Location(
            of: try await browser.comeBack(from: browser.begin(["acr_values": "a3"])) {
                $0.claims[setting: "acr"] = "a1"
            })
        #expect(low["error"] == "unmet_authentication_requirements")
        let old = try Location(
            of: try await browser.comeBack(from: browser.begin(["max_age": "60"])) {
                $0.claims[setting: "auth_time"] = .integer(SigningProvider.now - 3600)
            })
        #expect(old["error"] == "unmet_authentication_requirements")
    }

    @Test func `asks for no API key where keys are configured`() async throws {
        var browser = try await BrowserStage(apiKeys: ["key"])
        let answer = await browser.redeem(try await browser.code())
        #expect(answer.status == 200)
        let bearer = bearer(try #require(answer.json["access_token"]?.string))
        #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer).status == 200)
        #expect(await browser.api.send(.get, "/users/me", headers: bearer).status == 401)
    }
}
