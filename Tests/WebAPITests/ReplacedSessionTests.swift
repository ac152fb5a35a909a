import Apps
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `A sign-in that shows a token of the session before` {
    private func isLive(_ token: String, _ api: APIStage, at path: String = "/users/me") async -> Bool {
        await api.send(.get, path, headers: bearer(token)).status == 200
    }

    private func again(_ api: APIStage, _ code: String, showing token: String) async throws -> String {
        let answer = await api.signIn([("code", .string(code)), ("replaces_token", .string(token))])
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.json["token"]?.string)
    }

    @Test func `ends that one, by either kind of token`() async throws {
        let api = try await APIStage()
        let first = try await api.signedIn()
        let second = try await again(api, "second", showing: first.refreshToken)
        #expect(await !isLive(first.token, api))
        let third = try await again(api, "third", showing: second)
        #expect(await !isLive(second, api))
        #expect(await isLive(third, api))
    }

    @Test func `ends it by an access token that has expired, and by a refresh token that was replaced`() async throws {
        let api = try await APIStage()
        let first = try await api.signedIn()
        let refreshed = await api.post(
            "/auth/token", form: "grant_type=refresh_token&refresh_token=\(first.refreshToken)")
        let renewed = try #require(refreshed.json["token"]?.string)
        let second = try await again(api, "second", showing: first.refreshToken)
        #expect(await !isLive(renewed, api))
        api.stage.pass(seconds: 1000)
        #expect(await !isLive(second, api))
        let named = try await api.stage.sessions.replaced(by: second, for: nil)
        #expect(named != nil)
    }

    @Test func `succeeds with what is no token, and ends nothing by it`() async throws {
        let api = try await APIStage()
        let first = try await api.signedIn()
        let parts = first.token.split(separator: ".")
        let altered = [
            "", "made up", "a.b.c", String(first.token.dropLast(4)), "\(parts[0]).\(parts[1]).\(parts[2].reversed())",
            String(first.refreshToken.dropLast(4)), String(repeating: "x", count: 10_000),
        ]
        for (number, token) in altered.enumerated() { _ = try await again(api, "code-\(number)", showing: token) }
        #expect(await isLive(first.token, api))
    }

    @Test func `ends nothing when it fails`() async throws {
        let api = try await APIStage()
        let first = try await api.signedIn()
        let shown: (String, JSONValue?) = ("replaces_token", .string(first.refreshToken))
        for change: (String, JSONValue?) in [("code", nil), ("redirect_uri", "https://evil.example")] {
            #expect(await api.signIn([change, shown]).status == 400)
        }
        // The code was used before.
        #expect(await api.signIn([shown]).status >= 400)
        #expect(await isLive(first.token, api))
    }

    @Test func `ends none of another client's`() async throws {
        var browser = try await BrowserStage()
        func apps() async throws -> String {
            let tokens = await browser.redeem(try await browser.code()).json
            return try #require(tokens["access_token"]?.string)
        }
        let posted = try await browser.api.signedIn().token
        let sessions = browser.api.stage.sessions
        let app = try await apps()
        let acme = BrowserStage.apps["acme-id"]
        #expect(try await sessions.replaced(by: app, for: acme) != nil)
        #expect(try await sessions.replaced(by: posted, for: nil) != nil)
        #expect(try await sessions.replaced(by: app, for: nil) == nil)
        #expect(try await sessions.replaced(by: posted, for: acme) == nil)
        let desk: [String: String?] = ["client_id": "desk-id", "redirect_uri": "http://127.0.0.1/cb"]
        for (token, path) in [(app, "/auth/userinfo"), (posted, "/users/me")] {
            let code = try await browser.code(desk)
            let answer = await browser.redeem(code, desk.merging(["replaces_token": token]) { $1 })
            #expect(answer.status == 200, "\(answer.text)")
            #expect(await isLive(token, browser.api, at: path))
        }
    }

    @Test func `ends an app's, at the token endpoint, once the code is redeemed`() async throws {
        var browser = try await BrowserStage()
        let first = await browser.redeem(try await browser.code()).json
        let bearer = try #require(first["access_token"]?.string)
        let token = try #require(first["refresh_token"]?.string)
        let code = try await browser.code()
        let wrong = ["code_verifier": String(repeating: "w", count: 43), "replaces_token": token]
        #expect(await browser.redeem(code, wrong).status == 400)
        #expect(await isLive(bearer, browser.api, at: "/auth/userinfo"))
        let answer = await browser.redeem(code, ["replaces_token": token])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(await !isLive(bearer, browser.api, at: "/auth/userinfo"))
        let renewed = try #require(answer.json["access_token"]?.string)
        #expect(await isLive(renewed, browser.api, at: "/auth/userinfo"))
    }
}
