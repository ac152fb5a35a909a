import Accounts
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import TestSupport
import Testing

@testable import WebAPI

extension APIStage {
    func logOut(
        _ token: String, at provider: String = "zenkey", headers: [(String, String)] = []
    ) async -> HTTPTestAnswer {
        await post("/auth/\(provider)/backchannel-logout", form: "logout_token=" + token, headers: headers)
    }

    /// Posts a logout token that ends the session named `the-sid`, changed.
    func logOut(_ change: (inout TokenDraft) -> Void = { _ in }) async throws -> HTTPTestAnswer {
        await logOut(try stage.carrier.logoutToken(change))
    }

    func isLive(_ token: String) async -> Bool {
        await send(.get, "/users/me", headers: bearer(token)).status == 200
    }
}

@Suite struct `The endpoint for logouts by providers` {
    @Test func `ends what a token names, says nothing else, and lets nobody keep that`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "sid"] = "the-sid" }
        let token = try await app.signedIn().token
        #expect(await app.isLive(token))
        let answer = try await app.logOut()
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(answer.header("cache-control") == "no-store")
        #expect(await !app.isLive(token))
    }

    @Test func `answers the same whether anybody was signed in or not`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "sid"] = "the-sid" }
        _ = try await app.signedIn()
        let known = try await app.logOut()
        let unknown = try await app.logOut {
            $0.claims[setting: "sid"] = "unknown"
            $0.claims[setting: "jti"] = "second"
        }
        #expect(known.status == unknown.status && known.body == unknown.body)
        #expect(known.headers.map(\.value) == unknown.headers.map(\.value))
    }

    /// What is wrong, which value it has instead of the right one, and what the rule is called.
    private static let faults: [(name: String, value: JSONValue?, rule: String)] = [
        ("alg", "none", "algorithm"), ("typ", "at+jwt", "typ"), ("typ", "JWT", "typ"),
        ("typ", nil, "typ"), ("kid", "other", "unknown_key"),
        ("iss", "https://other.example", "iss"), ("aud", "other", "aud"),
        ("iat", .integer(SigningProvider.now - 3600), "iat"), ("exp", nil, "exp"), ("events", nil, "events"),
        ("nonce", "x", "nonce"), ("jti", nil, "jti"), ("sid", 7, "sid"), ("sub", 7, "sub"),
    ]

    @Test func `refuses a token with a wrong claim, and says which it is`() async throws {
        for fault in Self.faults {
            let app = try await APIStage()
            let answer = try await app.logOut {
                if ["alg", "typ", "kid"].contains(fault.name) {
                    $0.header[setting: fault.name] = fault.value
                } else {
                    $0.claims[setting: fault.name] = fault.value
                }
            }
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_request")
            #expect(answer.json["error_description"]?.string == "The logout token breaks a rule (\(fault.rule)).")
            #expect(answer.header("cache-control") == "no-store")
        }
    }

    @Test func `refuses a token that comes again`() async throws {
        let app = try await APIStage()
        #expect(try await app.logOut().status == 200)
        #expect(try await app.logOut().text.contains("replayed"))
    }

    @Test func `refuses what is no form with one token`() async throws {
        let app = try await APIStage()
        let path = "/auth/zenkey/backchannel-logout"
        let token = try app.stage.carrier.logoutToken()
        for form in ["", "logout_token=", "token=\(token)", "logout_token=\(token)&logout_token=\(token)", "a=%zz"] {
            let answer = await app.post(path, form: form)
            #expect(answer.status == 400 && answer.error == "invalid_request", "\(form)")
        }
        #expect(await app.post(path, json: ["logout_token": .string(token)]).status == 415)
        #expect(await app.logOut(String(repeating: "x", count: 10_000)).status == 400)
        #expect(await app.send(.get, path, query: "logout_token=\(token)").status == 405)
        #expect(await app.logOut(token).status == 200)
    }

    @Test func `is there for providers that are configured, to the letter`() async throws {
        let app = try await APIStage()
        let token = try app.stage.carrier.logoutToken()
        for name in ["other", "ZENKEY", "%7Aenkey2"] {
            #expect(await app.logOut(token, at: name).error == "unknown_provider")
        }
    }

    @Test func `asks for no API key, and lets no script of an app read its answer`() async throws {
        let browser = try await BrowserStage(apiKeys: ["secret"])
        let token = try browser.api.stage.carrier.logoutToken()
        let origin = [("Origin", "https://web.example")]
        let answer = await browser.api.logOut(token, headers: origin)
        #expect(answer.status == 200)
        #expect(answer.header("access-control-allow-origin") == nil)
        let asked = await browser.api.api.respond(
            to: .sample(
                .options, "/auth/zenkey/backchannel-logout",
                headers: origin + [("Access-Control-Request-Method", "POST")]))
        #expect(asked.headers.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") })
    }

    @Test func `makes an address wait that sends too much of what is refused, and no other`() async throws {
        let app = try await APIStage(perMinute: 2)
        for _ in 0..<2 { #expect(await app.logOut("garbage").status == 400) }
        let answer = await app.logOut("garbage")
        #expect(answer.status == 429 && answer.header("retry-after") != nil)
        #expect(try await app.logOut().status == 200, "what is right is never refused")
        let calm = try await APIStage(perMinute: 2)
        for number in 0..<5 {
            let answer = try await calm.logOut { $0.claims[setting: "jti"] = .string("\(number)") }
            #expect(answer.status == 200)
        }
    }

    @Test func `logs which provider and which rule, and nothing of the token`() async throws {
        let app = try await APIStage()
        let good = try app.stage.carrier.logoutToken()
        let bad = try app.stage.carrier.logoutToken { $0.claims[setting: "aud"] = "other" }
        _ = await app.logOut(good)
        _ = await app.logOut(bad)
        let failures = app.log.lines.filter { $0.message == "request failed" }
        #expect(failures.map { $0.values["reason"] } == ["invalid_request: logout token: aud"])
        let requests = app.log.lines.filter { $0.message == "request" }
        #expect(requests.map { $0.values["provider"] } == ["zenkey", "zenkey"])
        #expect(Set(requests.map { $0.values["route"] }) == ["/auth/{provider}/backchannel-logout"])
        for secret in [good, bad, "the-sid", "the-jti", "310260-subject"] { #expect(!app.log.text.contains(secret)) }
    }

    @Test func `lets a provider try again where keys or the store can't be had`() async throws {
        let app = try await APIStage()
        app.stage.transport.fail(app.stage.carrier.keysEndpoint, .couldNotConnect)
        #expect(try await app.logOut().status == 503)
        let other = try await APIStage()
        await other.stage.repository.close()
        for _ in 0..<2 { #expect(try await other.logOut().error == "storage_unavailable") }
    }
}
