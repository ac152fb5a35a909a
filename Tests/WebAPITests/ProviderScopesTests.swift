import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import WebAPI

/// What a provider is asked for when one of our own apps begins a sign-in.
@Suite struct `What a provider is asked for` {
    private static let usual = "openid name email phone postal_code"

    private static func asked(
        _ scope: String?, for scopes: [String: [String]], _ changes: [String: String?] = [:]
    ) async throws -> String? {
        var browser = try await BrowserStage { $0.scopesFor = scopes }
        return try await browser.begin(changes.merging(["scope": scope]) { $1 })["scope"]
    }

    @Test func `is what its section has, whatever the app asks us for`() async throws {
        var browser = try await BrowserStage { $0.scopes = Self.usual.split(separator: " ").map(String.init) }
        #expect(try await browser.begin(["scope": "openid"])["scope"] == Self.usual)
    }

    @Test func `is what its section has for that app, as far as the request wants it`() async throws {
        let scopes = ["acme-id": ["openid", "email", "name", "https://api.example/read"]]
        for (asked, expected) in [
            ("openid profile email", "openid email name https://api.example/read"),
            ("openid email phone", "openid email https://api.example/read"),
            ("openid profile", "openid name https://api.example/read"), ("openid", "openid https://api.example/read"),
        ] {
            #expect(try await Self.asked(asked, for: scopes) == expected, "\(asked)")
        }
    }

    @Test func `can be more for one app than for all`() async throws {
        let all = "openid profile email phone address postal_code last_4_social"
        let scopes = ["acme-id": all.split(separator: " ").map(String.init)]
        #expect(try await Self.asked(all, for: scopes) == all)
    }

    @Test func `is its section's for an app that has no entry`() async throws {
        let usual = try await Self.asked("openid", for: [:])
        let desk = ["client_id": "desk-id", "redirect_uri": "org.acme.desk:/cb"]
        #expect(try await Self.asked("openid", for: ["acme-id": ["openid"]], desk) == usual)
    }
}

/// What a user has not granted at the provider.
@Suite struct `What a user declines` {
    private static let all: JSONValue = [
        "sub": "310260-subject", "name": "Jane Doe", "email": "jane@example.com", "email_verified": true,
        "phone_number": "+12065550100",
    ]
    private static let nameOnly: JSONValue = ["sub": "310260-subject", "name": "Jane Doe"]

    /// A sign-in whose provider was asked for name, address and number, and says what it has granted.
    ///
    /// - Parameter granted: nil where it says nothing.
    private static func signIn(
        _ browser: inout BrowserStage, asking scope: String = "openid profile email phone offline_access",
        granted: String?, told: JSONValue
    ) async throws -> Location {
        browser.api.stage.answerUserinfo(told)
        let asked = try await browser.begin(["scope": scope])
        let others = granted.map { [("scope", JSONValue.string($0))] } ?? []
        return try Location(of: try await browser.comeBack(from: asked, with: others))
    }

    private static func stage() async throws -> BrowserStage {
        try await BrowserStage { $0.scopes = ["openid", "profile", "email", "phone"] }
    }

    @Test func `is told in scope, and known to nobody by this session, whatever was known before`() async throws {
        var browser = try await Self.stage()
        _ = try await Self.signIn(&browser, granted: nil, told: Self.all)
        let back = try await Self.signIn(&browser, granted: "openid profile", told: Self.nameOnly)
        let answer = await browser.redeem(try #require(back["code"]))
        #expect(answer.json["scope"] == "openid profile offline_access")
        #expect(answer.json["declined_scopes"] == ["email", "phone"])
        let token = try #require(answer.json["access_token"]?.string)
        let claims = try JSONValue(
            parsing: try #require(
                Base64URL.decode(String((answer.json["id_token"]?.string ?? "").split(separator: ".")[1]))))
        let userinfo = await browser.api.send(.get, "/auth/userinfo", headers: bearer(token)).json
        for told in [claims, userinfo] {
            #expect(told["name"] == "Jane Doe" && told["email"] == nil && told["phone_number"] == nil)
        }
        let refreshed = await browser.api.post(
            "/auth/token",
            form: FormText.encode([
                ("grant_type", "refresh_token"), ("client_id", "acme-id"),
                ("refresh_token", answer.json["refresh_token"]?.string ?? ""), ("scope", "openid email"),
            ]))
        #expect(refreshed.json["scope"] == "openid")
        #expect(refreshed.json["declined_scopes"] == ["email", "phone"])
    }

    /// A posted code, whose app has asked the provider by itself.
    private static func post(
        _ app: APIStage, asking scope: JSONValue?, granted: JSONValue?, code: String, told: JSONValue = nameOnly
    ) async throws -> HTTPTestAnswer {
        app.stage.answerUserinfo(told)
        let idToken = try app.stage.carrier.idToken()
        var tokens = JSONObject([
            ("access_token", "access"), ("token_type", "Bearer"), ("id_token", .string(idToken)),
        ])
        if let granted { tokens.append("scope", granted) }
        app.stage.transport.answer(app.stage.carrier.tokenEndpoint, json: .object(tokens))
        return await app.signIn([("code", .string(code)), ("scope", scope)])
    }

    @Test func `is told an app that posts a code and says what it has asked for, also when it is sent again`()
        async throws
    {
        let app = try await APIStage()
        for code in ["one", "one", "two"] {
            let answer = try await Self.post(
                app, asking: "openid name email phone x", granted: "openid name", code: code)
            #expect(answer.status == 200 && answer.json["declined_scopes"] == ["email", "phone", "x"])
        }
    }

    @Test func `is not guessed where the app, or the provider, says nothing of it, nor where the provider tells it`()
        async throws
    {
        let app = try await APIStage()
        let cases: [(JSONValue?, JSONValue?, JSONValue)] = [
            (nil, "openid", Self.nameOnly), ("openid email", nil, Self.nameOnly), ("openid email", "openid", Self.all),
            ("openid name", "name", Self.nameOnly), ("openid email", 7, Self.nameOnly), ("", "openid", Self.nameOnly),
        ]
        for (number, (asked, granted, told)) in cases.enumerated() {
            let answer = try await Self.post(app, asking: asked, granted: granted, code: "code-\(number)", told: told)
            #expect(answer.status == 200 && answer.json["declined_scopes"] == nil, "\(number) \(answer.text)")
        }
        for scope in ["a\"b", "a\\b", "a\nb", String(repeating: "x", count: 2049)] {
            let answer = try await Self.post(app, asking: .string(scope), granted: nil, code: "x")
            #expect((answer.status, answer.error) == (400, "invalid_request"))
        }
    }

    @Test(arguments: [nil, "", "openid profile email phone", "phone email profile openid more"] as [String?])
    func `is nothing where all is granted, or the provider says nothing of it`(granted: String?) async throws {
        var browser = try await Self.stage()
        let back = try await Self.signIn(&browser, granted: granted, told: Self.nameOnly)
        let answer = await browser.redeem(try #require(back["code"]))
        #expect(answer.json["scope"] == "openid profile email phone offline_access")
    }

    @Test(arguments: [
        "openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile",
        "profile openid",
    ])
    func `is not what the provider tells, though it calls it otherwise or leaves it out`(granted: String) async throws {
        var browser = try await Self.stage()
        let back = try await Self.signIn(&browser, granted: granted, told: Self.all)
        let answer = await browser.redeem(try #require(back["code"]))
        #expect(answer.json["scope"] == "openid profile email phone offline_access")
    }

    @Test func `is only what the provider was asked for`() async throws {
        var browser = try await BrowserStage { $0.scopes = ["openid", "email"] }
        let back = try await Self.signIn(&browser, granted: "openid", told: ["sub": "310260-subject"])
        let answer = await browser.redeem(try #require(back["code"]))
        #expect(answer.json["scope"] == "openid profile phone offline_access")
    }

    @Test func `is not a permission of which another scope is granted`() async throws {
        var browser = try await BrowserStage { $0.scopes = ["openid", "profile", "name"] }
        let back = try await Self.signIn(&browser, granted: "openid name", told: ["sub": "310260-subject"])
        let answer = await browser.redeem(try #require(back["code"]))
        #expect(answer.json["scope"] == "openid profile email phone offline_access")
    }

    @Test func `is a refusal where the app has asked for nothing else`() async throws {
        var browser = try await Self.stage()
        let back = try await Self.signIn(&browser, asking: "email phone", granted: "openid", told: Self.nameOnly)
        #expect(back.base == BrowserStage.acme && back["error"] == "access_denied" && back["code"] == nil)
        #expect(try await browser.api.stage.repository.users(after: nil, limit: 1, provider: nil).isEmpty)
    }

    @Test func `is the app's own matter where it has posted the code`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.nameOnly)
        let idToken = try app.stage.carrier.idToken()
        app.stage.transport.answer(
            app.stage.carrier.tokenEndpoint,
            json: [
                "access_token": "access", "token_type": "Bearer", "id_token": .string(idToken), "scope": "openid name",
            ])
        let answer = await app.signIn()
        #expect(answer.status == 200 && answer.json["user"]?["name"] == "Jane Doe")
    }
}
