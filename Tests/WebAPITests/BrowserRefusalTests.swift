import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `A request for a sign-in through the browser` {
    /// Changes, of which nothing may come but a page.
    static let untrusted: [[String: String?]] = [
        ["client_id": nil], ["client_id": "nobody"], ["redirect_uri": nil], ["redirect_uri": "https://evil.example/cb"],
        ["redirect_uri": "https://acme.example/cb/"], ["redirect_uri": "https://ACME.example/cb"],
        ["redirect_uri": "https://acme.example:443/cb"], ["redirect_uri": "https://acme.example/cb#x"],
        ["redirect_uri": "https://acme.example/cb?x=1"], ["redirect_uri": "https://x@acme.example/cb"],
        ["redirect_uri": "https://acme.example/x/../cb"], ["redirect_uri": "http://acme.example/cb"],
        ["redirect_uri": "https://acme.example%2Fcb"], ["redirect_uri": "javascript:alert(1)"],
        ["client_id": "desk-id", "redirect_uri": "http://localhost/cb"],
        ["client_id": "desk-id", "redirect_uri": "http://127.0.0.1:49152/other"],
        ["client_id": "desk-id", "redirect_uri": "http://127.0.0.1.evil.example/cb"],
        // Another app's.
        ["client_id": "desk-id"],
    ]

    @Test(arguments: untrusted)
    func `ends on a page, and nowhere else, until its address is the app's`(changes: [String: String?]) async throws {
        var browser = try await BrowserStage()
        let answer = await browser.visit("/auth/authorize", BrowserStage.request(changes))
        #expect(answer.status == 400 && answer.header("location") == nil)
        #expect(answer.header("content-type") == "text/html; charset=utf-8")
        #expect(answer.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
        #expect(!answer.text.contains("evil.example") && !answer.text.contains("<script"))
    }

    @Test(arguments: ["client_id", "redirect_uri"])
    func `ends on a page when it names its app twice`(name: String) async throws {
        var browser = try await BrowserStage()
        let request = BrowserStage.request()
        let twice = request + request.filter { $0.0 == name }
        #expect(await browser.visit("/auth/authorize", twice).status == 400)
    }

    static let refused: [([String: String?], String)] = [
        (["code_challenge": nil], "invalid_request"), (["code_challenge_method": nil], "invalid_request"),
        (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
        (["code_challenge": String(repeating: "+", count: 43)], "invalid_request"),
        (["response_type": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
        (["response_type": "code id_token"], "unsupported_response_type"),
        (["response_mode": "fragment"], "invalid_request"), (["request": "x"], "request_not_supported"),
        (["request_uri": "x"], "request_uri_not_supported"), (["provider": "nobody"], "invalid_request"),
        (["prompt": "none login"], "invalid_request"), (["max_age": "-1"], "invalid_request"),
        (["max_age": "soon"], "invalid_request"), (["mccmnc": "12"], "invalid_request"),
        (["correlation_id": "a b"], "invalid_request"), (["scope": "open\"id"], "invalid_scope"),
        (["context": String(repeating: "x", count: 281)], "invalid_request"),
    ]

    @Test(arguments: refused)
    func `goes back to the app when a parameter is wrong`(changes: [String: String?], error: String) async throws {
        var browser = try await BrowserStage()
        let answer = try Location(of: await browser.visit("/auth/authorize", BrowserStage.request(changes)))
        #expect(answer.base == BrowserStage.acme)
        #expect(answer["error"] == error && answer["state"] == "app-state")
        #expect(answer["iss"] == "https://gatehouse.example" && answer["code"] == nil)
        #expect(browser.cookie == nil)
    }

    static let large: [([String: String?], String)] = [
        (["login_hint": String(repeating: "x", count: 2049)], "login_hint has 2049 bytes; 2048 are allowed"),
        (["nonce": String(repeating: "x", count: 5000)], "nonce has 5000 bytes; 2048 are allowed"),
        (["login_hint_token": String(repeating: "x", count: 8193)], "login_hint_token has 8193 bytes; 8192 are"),
        (
            [
                "login_hint_token": String(repeating: "x", count: 8192),
                "login_hint": String(repeating: "x", count: 2048), "nonce": String(repeating: "x", count: 2048),
            ], "together have"
        ),
    ]

    @Test(arguments: large)
    func `says how long a parameter is and may be`(changes: [String: String?], sentence: String) async throws {
        var browser = try await BrowserStage()
        let answer = try Location(of: await browser.visit("/auth/authorize", BrowserStage.request(changes)))
        #expect(answer["error"] == "invalid_request")
        #expect(answer["error_description"]?.contains(sentence) == true, "\(answer["error_description"] ?? "")")
        #expect(browser.cookie == nil)
    }

    @Test func `takes a login hint token as long as one may be`() async throws {
        var browser = try await BrowserStage()
        let token = String(repeating: "x", count: 8192)
        let answer = try Location(
            of: await browser.visit("/auth/authorize", BrowserStage.request(["login_hint_token": token])))
        #expect(answer["error"] == nil && answer["login_hint_token"] == token)
    }

    @Test func `goes back to the app when a parameter is there twice`() async throws {
        var browser = try await BrowserStage()
        let twice = BrowserStage.request() + [("nonce", "other")]
        #expect(try Location(of: await browser.visit("/auth/authorize", twice))["error"] == "invalid_request")
    }

    @Test func `adds to the query of an address that has one`() async throws {
        var browser = try await BrowserStage()
        let request = BrowserStage.request(["redirect_uri": "https://acme.example/other?x=1", "response_type": nil])
        let answer = await browser.visit("/auth/authorize", request)
        #expect(answer.header("location")?.hasPrefix("https://acme.example/other?x=1&error=invalid_request") == true)
    }

    @Test func `is refused where too many come from one address`() async throws {
        var browser = try await BrowserStage(perMinute: 1)
        _ = try await browser.begin()
        let answer = await browser.visit("/auth/authorize", BrowserStage.request())
        #expect(answer.status == 429 && answer.header("retry-after") != nil)
    }
}

@Suite struct `What comes back with a browser` {
    /// Comes back with some changes, and must end on a page.
    private func isRefused(
        _ status: Int, _ changes: [String: String?] = [:], provider: String = "zenkey",
        _ change: (inout BrowserStage) -> Void = { _ in }
    ) async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        change(&browser)
        let answer = try await browser.comeBack(from: request, provider: provider, changes)
        #expect(answer.status == status && answer.header("location") == nil)
        #expect(browser.api.stage.tokenRequests.isEmpty)
    }

    @Test(arguments: [nil, "", "state", String(repeating: "A", count: 43), String(repeating: "x", count: 5000)])
    func `is nothing to anybody with a state that is none`(state: String?) async throws {
        try await isRefused(400, ["state": state])
    }

    @Test func `is no answer without code, error and network`() async throws {
        try await isRefused(400, ["code": nil])
    }

    @Test func `is not for another provider's address`() async throws {
        try await isRefused(400, provider: "openid")
        try await isRefused(400, provider: "nobody")
    }

    @Test func `is refused in another browser, and in one that shows nothing`() async throws {
        let other = Random.token(byteCount: 32)
        try await isRefused(403) { $0.cookie = "__Host-gatehouse=\(other)" }
        try await isRefused(403) { $0.cookie = "__Host-gatehouse=x" }
        try await isRefused(403) { $0.cookie = ($0.cookie ?? "") + "; __Host-gatehouse=x" }
        try await isRefused(403) { $0.cookie = ($0.cookie ?? "") + "; " + ($0.cookie ?? "") }
        // What plain http can set is not looked at.
        try await isRefused(400, ["code": nil, "error": nil]) { $0.cookie = "gatehouse=\(other)" }
    }

    @Test func `counts once`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        #expect(try await browser.comeBack(from: request).status == 303)
        let again = try await browser.comeBack(from: request)
        #expect(again.status == 400 && browser.api.stage.tokenRequests.count == 1)
    }

    @Test func `is too late after ten minutes`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        browser.api.stage.pass(seconds: BrowserSignIn.lifetimeSeconds)
        #expect(try await browser.comeBack(from: request).status == 400)
    }

    @Test func `is refused under the name of another issuer`() async throws {
        var browser = try await BrowserStage()
        let answer = try Location(
            of: try await browser.comeBack(from: browser.begin(), ["iss": "https://evil.example"]))
        #expect(answer["error"] == "server_error" && browser.api.stage.tokenRequests.isEmpty)
    }

    @Test func `is refused without iss from an issuer that says it sends one`() async throws {
        var browser = try await BrowserStage()
        var metadata = try #require(browser.api.stage.carrier.metadata.object)
        metadata.append("authorization_response_iss_parameter_supported", true)
        browser.api.stage.transport.answer(ProviderConfiguration.discoveryURL, json: .object(metadata))
        let without = try Location(of: try await browser.comeBack(from: browser.begin()))
        #expect(without["error"] == "invalid_request" && browser.api.stage.tokenRequests.isEmpty)
        let with = try await browser.comeBack(from: browser.begin(), ["iss": "https://carrier.example"])
        #expect(try Location(of: with)["code"] != nil)
    }

    @Test func `is posted again by a page of ours when it was posted from elsewhere`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin(["client_id": "web-id", "redirect_uri": "https://web.example/cb"])
        let fields = [("code", "posted-code"), ("state", try #require(request["state"]))]
        let cookie = browser.cookie
        browser.cookie = nil
        let page = await browser.visit("/auth/zenkey/callback", fields, method: .post)
        #expect(page.status == 200 && page.text.contains("gatehouse_resubmitted"))
        #expect(page.text.contains(#"src="/auth/continue.js""#))
        let script = await browser.api.send(.get, "/auth/continue.js")
        #expect(script.status == 200 && script.text.contains("submit"))
        // Another browser posts without a cookie the second time, too.
        let again = fields + [("gatehouse_resubmitted", "1")]
        #expect(await browser.visit("/auth/zenkey/callback", again, method: .post).status == 403)
        browser.cookie = cookie
        try browser.api.stage.answerToken { $0.claims[setting: "nonce"] = request["nonce"].map { .string($0) } }
        let answer = try Location(of: await browser.visit("/auth/zenkey/callback", again, method: .post))
        #expect(answer["code"] != nil)
    }
}

@Suite struct `A sign-in that comes back in another browser` {
    @Test func `is finished there only when its user says so, for an app with addresses of its own`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        browser.cookie = nil
        let page = try await browser.comeBack(from: request)
        #expect(page.status == 200 && page.text.contains("acme") && browser.api.stage.tokenRequests.isEmpty)
        #expect(page.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
        let token = try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        let cookie = browser.cookie
        // Only where it was asked.
        browser.cookie = nil
        #expect(await browser.visit("/auth/zenkey/confirm", [("token", String(token))], method: .post).status == 403)
        browser.cookie = cookie
        let answer = try Location(
            of: await browser.visit("/auth/zenkey/confirm", [("token", String(token))], method: .post))
        #expect(answer.base == BrowserStage.acme)
        #expect(await browser.redeem(try #require(answer["code"])).status == 200)
        #expect(await browser.visit("/auth/zenkey/confirm", [("token", String(token))], method: .post).status == 400)
    }

    @Test(arguments: [
        ["client_id": "desk-id", "redirect_uri": "http://127.0.0.1:9/cb"],
        ["client_id": "desk-id", "redirect_uri": "org.acme.desk:/cb"],
        ["client_id": "web-id", "redirect_uri": "https://web.example/cb"],
    ])
    func `is never finished there for any other app`(app: [String: String]) async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin(app.mapValues { $0 })
        browser.cookie = nil
        let answer = try await browser.comeBack(from: request)
        #expect(answer.status == 403 && browser.api.stage.tokenRequests.isEmpty)
        #expect(!answer.text.contains("<form"))
    }

    @Test func `with an error ends on a page`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        browser.cookie = nil
        #expect(try await browser.comeBack(from: request, ["code": nil, "error": "access_denied"]).status == 403)
    }
}
