import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `An app's code` {
    @Test(arguments: [
        ["client_id": "desk-id"], ["redirect_uri": "https://acme.example/other?x=1"],
        ["code_verifier": String(repeating: "w", count: 43)], ["code": "another"],
    ])
    func `is refused with anything that it is not bound to, and stays good`(changes: [String: String]) async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code()
        let answer = await browser.redeem(code, changes.mapValues { $0 })
        #expect(answer.status == 400 && answer.error == "invalid_grant")
        #expect(await browser.redeem(code).status == 200)
    }

    @Test(arguments: [String?.none, ""])
    func `is good without the address, since its verifier is demanded`(address: String?) async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code()
        let wrong = ["redirect_uri": address, "code_verifier": String(repeating: "w", count: 43)]
        #expect(await browser.redeem(code, wrong).error == "invalid_grant")
        #expect(await browser.redeem(code, ["redirect_uri": address]).status == 200)
    }

    @Test(arguments: ["code_verifier", "code", "grant_type"])
    func `is refused without what belongs to it`(name: String) async throws {
        var browser = try await BrowserStage()
        let answer = await browser.redeem(try await browser.code(), [name: nil])
        #expect(answer.status == 400 && answer.error == "invalid_request")
    }

    @Test func `ends its session when it comes again with the right verifier, and not with a wrong one`() async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code()
        let bearer = bearer(try #require(await browser.redeem(code).json["access_token"]?.string))
        #expect(await browser.redeem(code, ["code_verifier": String(repeating: "w", count: 43)]).status == 400)
        #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer).status == 200)
        #expect(await browser.redeem(code).error == "invalid_grant")
        #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer).status == 401)
    }

    @Test func `is good for a minute`() async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code()
        browser.api.stage.pass(seconds: 60)
        #expect(await browser.redeem(code).error == "invalid_grant")
    }

    @Test func `takes an app with a secret to show it, one way or the other and not both`() async throws {
        var browser = try await BrowserStage()
        let app: [String: String?] = ["client_id": "web-id", "redirect_uri": "https://web.example/cb"]
        func redeem(_ secret: String?, basic: String?, id: String? = "web-id") async throws -> HTTPTestAnswer {
            let code = try await browser.code(app)
            let changes = app.merging(["client_secret": secret, "client_id": id]) { $1 }
            return await browser.redeem(code, changes, headers: basic.map { BrowserStage.basic("web-id", $0) } ?? [])
        }
        let secret = BrowserStage.webSecret
        #expect(try await redeem(secret, basic: nil).status == 200)
        // As RFC 6749 §2.3.1 has it, and as many libraries have it.
        for basic in ["web%2Bsecret%253D", secret] {
            #expect(try await redeem(nil, basic: basic).status == 200)
            #expect(try await redeem(nil, basic: basic, id: nil).status == 200)
        }
        for (secret, basic, id) in [
            (nil, nil, "web-id"), ("wrong", nil, "web-id"), (nil, "wrong", "web-id"),
            (secret, secret, "web-id"), (nil, secret, "acme-id"), (nil, "web secret%3D", "web-id"),
        ] as [(String?, String?, String)] {
            let answer = try await redeem(secret, basic: basic, id: id)
            #expect(answer.status == 401 && answer.error == "invalid_client")
        }
    }

    @Test func `is kept from callers who guess secrets`() async throws {
        let browser = try await BrowserStage(perMinute: 1)
        for (path, headers) in [("/auth/token", BrowserStage.basic("web-id", "guess")), ("/auth/introspect", [])] {
            var statuses: [Int] = []
            for _ in 0..<3 {
                let form = "grant_type=refresh_token&refresh_token=x&token=x"
                statuses.append(await browser.api.post(path, form: form, headers: headers).status)
            }
            #expect(Set(statuses.suffix(2)) == [429], "\(path)")
        }
        // Who has the secret goes on from the same address.
        let headers = BrowserStage.basic("web-id", BrowserStage.webSecret)
        let answer = await browser.api.post("/auth/revoke", form: "token=x", headers: headers)
        #expect(answer.status == 200)
    }

    @Test func `is told to wait without an error, which would be final to it`() async throws {
        let browser = try await BrowserStage(perMinute: 1)
        let form = "grant_type=refresh_token&refresh_token=x&client_id=acme-id"
        #expect(await browser.api.post("/auth/token", form: form).error == "invalid_grant")
        let answer = await browser.api.post("/auth/token", form: form)
        #expect(answer.status == 429 && answer.json["error"] == nil && answer.json["error_code"] == "rate_limited")
    }

    @Test func `is no code of an app that shows a secret it has not got`() async throws {
        var browser = try await BrowserStage()
        let answer = await browser.redeem(try await browser.code(), ["client_secret": "made up"])
        #expect(answer.status == 401 && answer.error == "invalid_client")
    }
}

@Suite struct `An OAuth client` {
    private func tokens(_ browser: inout BrowserStage) async throws -> (access: String, refresh: String) {
        let answer = await browser.redeem(try await browser.code())
        return (
            try #require(answer.json["access_token"]?.string), try #require(answer.json["refresh_token"]?.string)
        )
    }

    private func refresh(_ browser: BrowserStage, _ token: String, as client: String?) async -> HTTPTestAnswer {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token)]
        let client = client.map { [("client_id", $0)] } ?? []
        return await browser.api.post("/auth/token", form: FormText.encode(fields + client))
    }

    @Test func `refreshes its own sessions and no other's`() async throws {
        var browser = try await BrowserStage()
        let (_, refreshToken) = try await tokens(&browser)
        #expect(await refresh(browser, refreshToken, as: "desk-id").status == 400)
        #expect(await refresh(browser, refreshToken, as: nil).status == 401)
        #expect(await refresh(browser, refreshToken, as: "acme-id").status == 200)
        try browser.api.stage.answerToken()
        let posted = try await browser.api.signedIn().refreshToken
        #expect(await refresh(browser, posted, as: "acme-id").error == "invalid_grant")
        #expect(await refresh(browser, posted, as: nil).status == 200)
    }

    @Test func `is told with 400 what is final, and without error what is not`() async throws {
        var browser = try await BrowserStage()
        let (_, refreshToken) = try await tokens(&browser)
        let unknown = await refresh(browser, "unknown", as: "acme-id")
        #expect(unknown.status == 400 && unknown.error == "invalid_grant")
        let other = await browser.redeem("x", ["grant_type": "password"])
        #expect(other.status == 400 && other.error == "unsupported_grant_type")
        await browser.api.stage.repository.close()
        let transient = await refresh(browser, refreshToken, as: "acme-id")
        #expect(transient.status == 503 && transient.error == nil)
        #expect(transient.json["error_code"] == "storage_unavailable")
        let stock = await refresh(browser, refreshToken, as: nil)
        #expect(stock.status == 503 && stock.error == "storage_unavailable")
    }

    @Test func `gets ID tokens of the algorithm that it is registered for, and they are good as hints`() async throws {
        var browser = try await BrowserStage()
        let web: [String: String?] = ["client_id": "web-id", "redirect_uri": "https://web.example/cb"]
        for (app, secret, algorithm) in [([:], nil, "RS256"), (web, BrowserStage.webSecret, "ES256")]
            as [([String: String?], String?, String)]
        {
            let code = try await browser.code(app)
            let answer = await browser.redeem(code, app.merging(["client_secret": secret]) { $1 })
            let idToken = try #require(answer.json["id_token"]?.string)
            let header = try #require(idToken.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
            #expect(try JSONValue(parsing: header.span)["alg"] == .string(algorithm))
            _ = await browser.visit("/auth/logout", [("id_token_hint", idToken)])
            let access = try #require(answer.json["access_token"]?.string)
            #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer(access)).status == 401)
        }
    }

    @Test func `never gets a member that is null or empty`() async throws {
        var browser = try await BrowserStage()
        for changes in [[:], ["scope": nil, "nonce": nil, "state": nil]] as [[String: String?]] {
            let answer = await browser.redeem(try await browser.code(changes))
            #expect(answer.status == 200 && answer.header("content-type") == "application/json")
            for member in try #require(answer.json.object).members {
                #expect(member.value != .null && member.value != "", "\(member.name)")
            }
        }
    }

    @Test func `revokes its own tokens and no other's`() async throws {
        var browser = try await BrowserStage()
        let (accessToken, refreshToken) = try await tokens(&browser)
        func revoke(_ token: String, _ client: String) async -> HTTPTestAnswer {
            await browser.api.post(
                "/auth/revoke",
                form: FormText.encode([("token", token), ("client_id", client), ("token_type_hint", "wrong")]))
        }
        for token in [accessToken, refreshToken] {
            #expect(await revoke(token, "desk-id").error == "invalid_grant")
        }
        #expect(await revoke("unknown", "acme-id").status == 200)
        #expect(await revoke(refreshToken, "acme-id").status == 200)
        #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer(accessToken)).status == 401)
    }

    @Test func `finds what it looks for in the metadata`() async throws {
        let browser = try await BrowserStage()
        for path in IssuerMetadata.paths {
            let answer = await browser.api.send(.get, path)
            #expect(answer.status == 200 && answer.header("content-type") == "application/json")
            #expect(answer.json["issuer"] == "https://gatehouse.example")
            for name in [
                "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "revocation_endpoint",
                "end_session_endpoint", "introspection_endpoint",
            ] { #expect(answer.json[name]?.string?.hasPrefix("https://gatehouse.example/") == true, "\(name)") }
            for (name, value) in [
                ("response_types_supported", "code"), ("subject_types_supported", "public"),
                ("id_token_signing_alg_values_supported", "ES256"),
                ("id_token_signing_alg_values_supported", "RS256"), ("code_challenge_methods_supported", "S256"),
                ("token_endpoint_auth_methods_supported", "none"), ("grant_types_supported", "authorization_code"),
                ("response_modes_supported", "query"), ("scopes_supported", "openid"),
            ] { #expect(answer.json[name]?.array?.contains(.string(value)) == true, "\(name)") }
            #expect(answer.json["authorization_response_iss_parameter_supported"] == true)
        }
        #expect(
            IssuerMetadata.paths(of: BaseURL("https://example.com/sign/in")) == [
                "/.well-known/openid-configuration/sign/in", "/.well-known/oauth-authorization-server/sign/in",
                "/sign/in/.well-known/openid-configuration",
            ])
        #expect(IssuerMetadata.paths(of: BaseURL("https://example.com/")) == [])
    }
}

@Suite struct `A service that asks what a token is good for` {
    private func ask(_ browser: BrowserStage, _ token: String, _ headers: [(String, String)]) async -> HTTPTestAnswer {
        await browser.api.post("/auth/introspect", form: FormText.encode([("token", token)]), headers: headers)
    }

    @Test func `is told while it is good, and nothing when it is not`() async throws {
        var browser = try await BrowserStage()
        let tokens = await browser.redeem(try await browser.code()).json
        let api = BrowserStage.basic("api", "api+secret")
        let user = try #require(try await browser.api.stage.repository.user(UserID(rawValue: 1)))
        for (name, type) in [("access_token", JSONValue?.some("Bearer")), ("refresh_token", nil)] {
            let answer = await ask(browser, try #require(tokens[name]?.string), api)
            #expect(answer.json["active"] == true && answer.json["client_id"] == "acme-id")
            #expect(answer.json["sub"] == .string(user.reference) && answer.json["token_type"] == type)
            #expect(answer.json["scope"] == "openid profile email offline_access")
        }
        for token in ["unknown", try #require(tokens["id_token"]?.string)] {
            #expect(await ask(browser, token, api).json == ["active": false])
        }
        browser.api.stage.pass(seconds: 900)
        #expect(await ask(browser, try #require(tokens["access_token"]?.string), api).json == ["active": false])
        #expect(await ask(browser, try #require(tokens["refresh_token"]?.string), api).json["active"] == true)
    }

    @Test func `learns of an app's tokens only that app's when it is one`() async throws {
        var browser = try await BrowserStage()
        let acme = try #require(await browser.redeem(try await browser.code()).json["access_token"]?.string)
        let web = BrowserStage.basic("web-id", BrowserStage.webSecret)
        #expect(await ask(browser, acme, web).json == ["active": false])
    }

    @Test func `must be known`() async throws {
        let browser = try await BrowserStage()
        for headers in [
            [], BrowserStage.basic("api", "wrong"), BrowserStage.basic("nobody", "api+secret"),
            BrowserStage.basic("acme-id", ""), [("Authorization", "Basic ???")],
        ] {
            let answer = await ask(browser, "x", headers)
            #expect(answer.status == 401 && answer.error == "invalid_client")
        }
        let none = try await APIStage()
        let answer = await none.post("/auth/introspect", form: "token=x")
        #expect(answer.status == 404)
    }
}

@Suite struct `An app that signs its user out` {
    @Test func `ends the session of its hint, though that has expired, and no other of the user's`() async throws {
        var browser = try await BrowserStage()
        let first = await browser.redeem(try await browser.code()).json
        let second = await browser.redeem(try await browser.code()).json
        browser.api.stage.pass(seconds: 3600)
        let hint = try #require(first["id_token"]?.string)
        let back = try Location(
            of: await browser.visit(
                "/auth/logout",
                [("id_token_hint", hint), ("post_logout_redirect_uri", "https://acme.example/bye"), ("state", "s t")]))
        #expect(back.base == "https://acme.example/bye" && back["state"] == "s t" && back.names == ["state"])
        func refresh(_ tokens: JSONValue) async throws -> Int {
            let token = try #require(tokens["refresh_token"]?.string)
            let fields = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "acme-id")]
            return await browser.api.post("/auth/token", form: FormText.encode(fields)).status
        }
        #expect(try await refresh(first) == 400)
        #expect(try await refresh(second) == 200)
    }

    @Test func `is not sent to an address that is not registered`() async throws {
        var browser = try await BrowserStage()
        let hint = try #require(await browser.redeem(try await browser.code()).json["id_token"]?.string)
        let answer = await browser.visit(
            "/auth/logout", [("id_token_hint", hint), ("post_logout_redirect_uri", "https://evil.example/")])
        #expect(answer.status == 200 && answer.header("location") == nil)
    }

    @Test func `has the user asked without a hint, or with one that is none of ours`() async throws {
        var browser = try await BrowserStage()
        let tokens = await browser.redeem(try await browser.code()).json
        let accessToken = try #require(tokens["access_token"]?.string)
        for hint in [nil, "x.y.z", accessToken] {
            let fields = hint.map { [("id_token_hint", $0)] } ?? []
            let answer = await browser.visit("/auth/logout", fields + [("client_id", "acme-id")])
            #expect(answer.status == 200 && answer.text.contains("<form"))
        }
        #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer(accessToken)).status == 200)
        let yes = [
            ("client_id", "acme-id"), ("post_logout_redirect_uri", "https://acme.example/bye"),
            ("gatehouse_confirmed", "1"),
        ]
        #expect(try Location(of: await browser.visit("/auth/logout", yes, method: .post)).base.hasSuffix("/bye"))
    }
}

@Suite struct `A script of another origin` {
    private func call(
        _ method: HTTPMethod, _ path: String, from origin: String, preflight: Bool = false
    ) async throws -> HTTPTestAnswer {
        let browser = try await BrowserStage()
        let asks = preflight ? [("Access-Control-Request-Method", "POST")] : []
        return HTTPTestAnswer(
            await browser.api.api.respond(to: .sample(method, path, headers: [("Origin", origin)] + asks)))
    }

    @Test func `may call the API where an app's section names its origin`() async throws {
        for (method, preflight) in [(HTTPMethod.options, true), (.get, false)] {
            let answer = try await call(method, "/users/me", from: "https://web.example", preflight: preflight)
            #expect(answer.header("access-control-allow-origin") == "https://web.example")
            #expect(answer.header("vary") == "Origin" && answer.header("access-control-allow-credentials") == nil)
        }
        #expect(
            try await call(.options, "/auth/token", from: "https://web.example", preflight: true).status == 204)
    }

    @Test(arguments: ["https://evil.example", "https://web.example.evil.example", "http://web.example", "null"])
    func `may not call it from anywhere else`(origin: String) async throws {
        #expect(try await call(.get, "/users/me", from: origin).header("access-control-allow-origin") == nil)
        let asked = try await call(.options, "/users/me", from: origin, preflight: true)
        #expect(asked.headers.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") })
    }

    @Test func `may read what is public from anywhere`() async throws {
        for path in ["/.well-known/openid-configuration", "/.well-known/jwks.json"] {
            let answer = try await call(.get, path, from: "https://evil.example")
            #expect(answer.header("access-control-allow-origin") == "*")
        }
    }

    @Test(arguments: ["/auth/authorize", "/auth/zenkey/callback", "/auth/logout", "/auth/zenkey/confirm"])
    func `may never call what browsers are sent to`(path: String) async throws {
        #expect(try await call(.get, path, from: "https://web.example").header("access-control-allow-origin") == nil)
    }
}
