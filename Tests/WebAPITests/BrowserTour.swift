import Accounts
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import TestSupport
import Testing

@testable import SignIn
@testable import WebAPI

/// Asks every operation that browsers and OAuth clients are sent to for every answer it has.
enum BrowserTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        var browser = try await BrowserStage {
            $0.logo = ProviderLogo(mediaType: .png, bytes: [0x89, 0x50, 0x4E, 0x47])
        }
        try await signIns(&browser)
        try await otherBrowsers(&browser)
        try await clients(&browser)
        try await logouts(&browser)
        try await links(&browser)
        try await storage(&browser)
        var seen = browser.api.seenAnswers
        var hurried = try await BrowserStage(perMinute: 1)
        for path in ["/auth/authorize", "/auth/zenkey/callback", "/auth/zenkey/confirm"] {
            for method in [HTTPMethod.get, .post] {
                for _ in 0..<2 { _ = await hurried.visit(path, [("state", "x"), ("token", "x")], method: method) }
            }
        }
        for _ in 0..<2 { _ = await hurried.api.post("/auth/introspect", form: "token=x") }
        for _ in 0..<2 { _ = await hurried.visit("/auth/link", [("token", "x")]) }
        seen.formUnion(hurried.api.seenAnswers)
        seen.formUnion(try await locked())
        seen.formUnion(try await hurriedLinks())
        seen.formUnion(try await nobodyAsks())
        seen.formUnion(try await providers())
        return seen
    }

    private static func signIns(_ browser: inout BrowserStage) async throws {
        for method in [HTTPMethod.get, .post] {
            let (path, request) = ("/auth/authorize", BrowserStage.request())
            let sent = try Location(of: await browser.visit(path, request, method: method))
            _ = await browser.visit(path, BrowserStage.request(["provider": nil, "mccmnc": nil]), method: method)
            _ = await browser.visit(path, BrowserStage.request(["client_id": nil]), method: method)
            try browser.api.stage.answerToken { $0.claims[setting: "nonce"] = sent["nonce"].map { .string($0) } }
            let answer = [("code", "code-\(method)"), ("state", sent["state"] ?? "")]
            _ = await browser.visit("/auth/zenkey/callback", answer, method: method)
            _ = await browser.visit("/auth/zenkey/callback", answer, method: method)
        }
        _ = await browser.api.send(.get, "/auth/continue.js")
        for provider in ["zenkey", "openid"] { _ = await browser.api.send(.get, "/auth/\(provider)/logo") }
    }

    private static func otherBrowsers(_ browser: inout BrowserStage) async throws {
        for method in [HTTPMethod.get, .post] {
            let sent = try await browser.begin()
            browser.cookie = nil
            let answer = [("code", "elsewhere-\(method)"), ("state", sent["state"] ?? "")]
            if method == .post { _ = await browser.visit("/auth/zenkey/callback", answer, method: method) }
            browser.cookie = "__Host-gatehouse=x"
            _ = await browser.visit("/auth/zenkey/callback", answer, method: method)
            browser.cookie = nil
            guard method == .get else { continue }
            let page = await browser.visit("/auth/zenkey/callback", answer)
            let token = try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
            let cookie = browser.cookie
            try browser.api.stage.answerToken { $0.claims[setting: "nonce"] = sent["nonce"].map { .string($0) } }
            for cookie in [nil, cookie] {
                browser.cookie = cookie
                _ = await browser.visit("/auth/zenkey/confirm", [("token", String(token))], method: .post)
            }
            _ = await browser.visit("/auth/zenkey/confirm", [("token", String(token))], method: .post)
        }
    }

    /// Somebody who is locked comes back by each way.
    private static func locked() async throws -> Set<String> {
        var browser = try await BrowserStage()
        _ = try await browser.code()
        let stage = browser.api.stage
        let lock = Lock(cause: .operator, reason: nil, since: stage.now, until: nil)
        _ = try await stage.repository.lock(UserID(rawValue: 1), lock, line: .none, now: stage.now)
        for method in [HTTPMethod.get, .post] {
            let sent = try await browser.begin()
            try stage.answerToken { $0.claims[setting: "nonce"] = sent["nonce"].map { .string($0) } }
            let answer = [("code", "locked-\(method)"), ("state", sent["state"] ?? "")]
            _ = await browser.visit("/auth/zenkey/callback", answer, method: method)
        }
        let sent = try await browser.begin()
        browser.cookie = nil
        let answer = [("code", "locked-elsewhere"), ("state", sent["state"] ?? "")]
        let page = await browser.visit("/auth/zenkey/callback", answer)
        let token = try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        try stage.answerToken { $0.claims[setting: "nonce"] = sent["nonce"].map { .string($0) } }
        _ = await browser.visit("/auth/zenkey/confirm", [("token", String(token))], method: .post)
        return browser.api.seenAnswers
    }

    /// One is good at one address.
    private static func signedRequest(for path: String, secondsAgo: Int64) -> String {
        SigningProvider.signedRequest {
            $0[setting: "issued_at"] = .integer(SigningProvider.now - secondsAgo)
            $0[setting: "user_id"] = .string(path == APIStage.events ? "310260-subject" : "another-subject")
        }
    }

    private static func clients(_ browser: inout BrowserStage) async throws {
        let app = browser.api
        let tokens = await browser.redeem(try await browser.code()).json
        let token = tokens["access_token"]?.string ?? ""
        for method in [HTTPMethod.get, .post] {
            _ = await app.send(method, "/auth/userinfo", headers: bearer(token))
            _ = await app.send(method, "/auth/userinfo")
        }
        let files = [AssociationFiles.applePath, AssociationFiles.androidPath]
        for path in IssuerMetadata.paths + files { _ = await app.send(.get, path) }
        _ = await browser.redeem("x", ["client_id": "web-id"])
        _ = await app.post("/auth/revoke", form: "token=x&client_id=web-id")
        _ = await app.post("/auth/revoke", form: "client_id=acme-id")
        let service = BrowserStage.basic("api", "api+secret")
        _ = await app.post("/auth/introspect", form: "token=\(token)", headers: service)
        _ = await app.post("/auth/introspect", form: "", headers: service)
        _ = await app.post("/auth/introspect", form: "token=x")
        _ = await app.send(.post, "/auth/introspect", headers: service + [("Content-Type", "text/plain")])
    }

    private static func links(_ browser: inout BrowserStage) async throws {
        let stage = browser.api.stage
        func ask(_ token: String, _ fields: JSONValue, _ app: APIStage) async -> HTTPTestAnswer {
            await app.post("/users/me/identities/authorize", json: fields, headers: bearer(token))
        }
        let request: JSONValue = ["provider": "zenkey", "redirect_uri": .string(BrowserStage.acme)]
        let begun = try await browser.begin(["scope": "openid account.identities"])
        let back = try await browser.comeBack(from: begun) { $0.claims[setting: "auth_time"] = .integer(stage.now) }
        let tokens = await browser.redeem(try Location(of: back)["code"] ?? "").json
        let token = tokens["access_token"]?.string ?? ""
        let url = await ask(token, request, browser.api).json["url"]?.string ?? ""
        let secret = url.split(separator: "=").last.map { String($0) } ?? ""
        for _ in 0..<2 { _ = await browser.visit("/auth/link", [("token", secret)]) }
        _ = await ask(token, ["provider": "nobody", "redirect_uri": "https://acme.example/cb"], browser.api)
        stage.pass(seconds: 301)
        _ = await ask(token, request, browser.api)
    }

    private static func hurriedLinks() async throws -> Set<String> {
        let hurried = try await APIStage(perMinute: 1)
        let token = try await hurried.signedIn().token
        let request: JSONValue = ["provider": "zenkey", "redirect_uri": .string(BrowserStage.acme)]
        for _ in 0..<2 {
            _ = await hurried.post("/users/me/identities/authorize", json: request, headers: bearer(token))
        }
        return hurried.seenAnswers
    }

    private static func logouts(_ browser: inout BrowserStage) async throws {
        let hint = await browser.redeem(try await browser.code()).json["id_token"]?.string ?? ""
        let address = ("post_logout_redirect_uri", "https://acme.example/bye")
        for method in [HTTPMethod.get, .post] {
            _ = await browser.visit("/auth/logout", [], method: method)
            _ = await browser.visit("/auth/logout", [("id_token_hint", hint), address], method: method)
        }
        _ = await browser.api.send(.get, "/auth/logout", query: "a=%zz")
        _ = await browser.api.send(.post, "/auth/logout", headers: [("Content-Type", "text/plain")])
        let stage = browser.api.stage
        let states = LogoutStates(challenges: stage.useCases.challenges, clock: stage.clock)
        for address in [address.1, nil] {
            let target = LogoutReturn(clientID: "acme-id", address: address, state: nil)
            let state = try #require(try await states.state(for: target, at: "zenkey"))
            _ = await browser.visit("/auth/zenkey/logged-out", [("state", state)])
        }
        _ = await browser.visit("/auth/zenkey/logged-out", [("state", "x")])
    }

    private static func storage(_ browser: inout BrowserStage) async throws {
        let sent = try await browser.begin()
        let tokens = await browser.redeem(try await browser.code()).json
        let token = tokens["access_token"]?.string ?? ""
        await browser.api.stage.repository.close()
        for method in [HTTPMethod.get, .post] {
            let answer = [("code", "late"), ("state", sent["state"] ?? "")]
            _ = await browser.visit("/auth/zenkey/callback", answer, method: method)
            _ = await browser.api.send(method, "/auth/userinfo", headers: bearer(token))
        }
        _ = await browser.redeem("x")
        _ = await browser.api.post("/auth/revoke", form: "token=\(token)&client_id=acme-id")
        let service = BrowserStage.basic("api", "api+secret")
        _ = await browser.api.post("/auth/introspect", form: "token=\(token)", headers: service)
    }

    /// What providers call.
    private static func providers() async throws -> Set<String> {
        var seen: Set<String> = []
        let faults: [ScriptedTransport.Outcome] = [
            .failure(.timedOut(requestSent: true)), .failure(.couldNotConnect), .success(.page),
        ]
        for fault in faults {
            let app = try await APIStage()
            app.stage.transport.answer(app.stage.carrier.keysEndpoint) { _ in fault }
            _ = try await app.logOut()
            seen.formUnion(app.seenAnswers)
        }
        let app = try await APIStage(perMinute: 2)
        _ = try await app.logOut()
        await app.stage.repository.close()
        _ = try await app.logOut { $0.claims[setting: "jti"] = "second" }
        _ = await app.post("/auth/zenkey/backchannel-logout", json: [:])
        _ = await app.logOut("x", at: "nobody")
        _ = await app.logOut("x")
        let other = try await APIStage()
        _ = await other.logOut("x")
        seen.formUnion(try await events())
        return seen.union(app.seenAnswers).union(other.seenAnswers)
    }

    private static func events() async throws -> Set<String> {
        var seen: Set<String> = []
        for fault in [.failure(.timedOut(requestSent: true)), .failure(.couldNotConnect), .success(.page)]
            as [ScriptedTransport.Outcome]
        {
            let app = try await APIStage(telling: .apple)
            app.stage.transport.answer(app.stage.carrier.keysEndpoint) { _ in fault }
            _ = try await app.notifyAsApple()
            seen.formUnion(app.seenAnswers)
        }
        for dialect in EventDialect.allCases {
            let app = try await APIStage(telling: dialect)
            for path in [APIStage.events, APIStage.deletion] {
                _ = await app.post(path, form: "a=%zz")
                _ = await app.send(.post, path, headers: [("Content-Type", "text/plain")])
                _ = await app.post(request: Self.signedRequest(for: path, secondsAgo: 5), to: path)
                _ = await app.post(request: "x", to: path)
                _ = await app.post(request: "x", to: path.replacing("zenkey", with: "nobody"))
            }
            _ = try await app.notifyAsApple()
            _ = await app.post(APIStage.events, json: ["payload": "x"])
            _ = await app.post(APIStage.events, json: [])
            _ = try await app.tell()
            let again = Self.signedRequest(for: APIStage.deletion, secondsAgo: 5)
            _ = await app.post(request: again, to: APIStage.events)
            let answer = await app.post(request: again, to: APIStage.deletion)
            for code in [answer.json["confirmation_code"]?.string ?? "", "x", "%zz"] {
                _ = await app.send(.get, APIStage.deletion, query: "code=\(code)")
            }
            await app.stage.repository.close()
            for path in [APIStage.events, APIStage.deletion] {
                _ = await app.post(request: Self.signedRequest(for: path, secondsAgo: 0), to: path)
            }
            seen.formUnion(app.seenAnswers)
        }
        let silent = try await APIStage(perMinute: 3)
        for _ in 0..<3 { _ = await silent.post(APIStage.events, json: [:]) }
        for path in [APIStage.events, APIStage.deletion] { _ = await silent.post(request: "x", to: path) }
        _ = await silent.send(.get, APIStage.deletion)
        return seen.union(silent.seenAnswers)
    }

    /// Where nobody is configured who may ask, and no file for phones.
    private static func nobodyAsks() async throws -> Set<String> {
        let app = try await APIStage()
        for path in [AssociationFiles.applePath, AssociationFiles.androidPath] { _ = await app.send(.get, path) }
        _ = await app.post("/auth/introspect", form: "token=x")
        return app.seenAnswers
    }
}
