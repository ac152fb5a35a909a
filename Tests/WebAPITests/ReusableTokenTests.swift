import Accounts
import Apps
import HTTPServer
import HTTPTesting
import JSON
import Syntax
internal import System
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `An app whose refresh tokens stay good` {
    private static let changes: [String: String?] = ["client_id": "tim-id", "redirect_uri": BrowserStage.tim]

    private func signedIn(_ browser: inout BrowserStage) async throws -> JSONValue {
        await browser.redeem(try await browser.code(Self.changes), Self.changes).json
    }

    private func refresh(
        _ browser: BrowserStage, _ token: String, _ further: [(String, String)] = [], as client: String = "tim-id"
    ) async -> HTTPTestAnswer {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)]
        return await browser.api.post("/auth/token", form: FormText.encode(fields + further))
    }

    private func claims(_ token: String) throws -> JSONValue {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let payload = try #require(Base64URL.decode(String(parts[1])))
        return try JSONValue(parsing: payload.span)
    }

    @Test func `gets the same one at each refresh, and may come with it as long as the session lasts`() async throws {
        var browser = try await BrowserStage()
        let first = try await signedIn(&browser)
        let token = try #require(first["refresh_token"]?.string)
        for _ in 0..<3 {
            browser.api.stage.pass(seconds: 3600)
            let answer = await refresh(browser, token)
            #expect(answer.status == 200 && answer.json["refresh_token"]?.string == token)
            #expect(answer.json["access_token"]?.string != first["access_token"]?.string)
            #expect(try #require(answer.json["expires_in"]?.integer) > 60)
        }
    }

    @Test func `has tokens that are JWTs with the user as their subject, the same for ever`() async throws {
        var browser = try await BrowserStage()
        let first = try await signedIn(&browser)
        let user = try #require(try await browser.api.stage.repository.user(UserID(rawValue: 1)))
        let subject = JSONValue.string(user.reference)
        for name in ["access_token", "refresh_token", "id_token"] {
            #expect(try claims(try #require(first[name]?.string))["sub"] == subject, "\(name)")
        }
        let refreshed = await refresh(browser, try #require(first["refresh_token"]?.string)).json
        for name in ["access_token", "refresh_token", "id_token"] {
            #expect(try claims(try #require(refreshed[name]?.string))["sub"] == subject, "\(name)")
        }
    }

    @Test func `may send scope and parameters of its own along`() async throws {
        var browser = try await BrowserStage()
        let token = try #require(try await signedIn(&browser)["refresh_token"]?.string)
        let answer = await refresh(browser, token, [("scope", "openid profile"), ("tenant", "blue"), ("flag", "")])
        #expect(answer.status == 200)
    }

    @Test func `is out when it has not come for as long as is configured`() async throws {
        var browser = try await BrowserStage()
        let token = try #require(try await signedIn(&browser)["refresh_token"]?.string)
        browser.api.stage.pass(seconds: 86_399)
        #expect(await refresh(browser, token).status == 200)
        browser.api.stage.pass(seconds: 86_400)
        let answer = await refresh(browser, token)
        #expect(answer.status == 400 && answer.error == "invalid_grant")
    }

    @Test func `is out at the end of the session, however often it comes`() async throws {
        var browser = try await BrowserStage()
        let token = try #require(try await signedIn(&browser)["refresh_token"]?.string)
        for seconds in [80_000, 80_000, 39_999] {
            browser.api.stage.pass(seconds: Int64(seconds))
            #expect(await refresh(browser, token).status == 200)
        }
        browser.api.stage.pass(seconds: 1)
        #expect(await refresh(browser, token).error == "invalid_grant")
    }

    @Test func `is out at once when its session is revoked, whichever of its tokens are about`() async throws {
        var browser = try await BrowserStage()
        let token = try #require(try await signedIn(&browser)["refresh_token"]?.string)
        _ = await refresh(browser, token)
        let revoked = await browser.api.post(
            "/auth/revoke", form: FormText.encode([("token", token), ("client_id", "tim-id")]))
        #expect(revoked.status == 200)
        #expect(await refresh(browser, token).error == "invalid_grant")
    }

    @Test func `leaves a trace of its uses, and keeps nobody else's tokens good`() async throws {
        var browser = try await BrowserStage()
        let token = try #require(try await signedIn(&browser)["refresh_token"]?.string)
        for _ in 0..<3 { _ = await refresh(browser, token) }
        let repository = browser.api.stage.repository
        _ = try await repository.settleAudit(now: browser.api.stage.clock.seconds + 60, limit: 10)
        let uses = try await repository.auditEvents(after: 0, limit: 20)
            .filter { $0.kind == .reusableRefreshTokenUsed }
        #expect(uses.map(\.count) == [nil, 2])
        #expect(await refresh(browser, token, as: "acme-id").error == "invalid_grant")
        let others = await browser.redeem(try await browser.code()).json
        let other = try #require(others["refresh_token"]?.string)
        #expect(await refresh(browser, other, as: "acme-id").json["refresh_token"]?.string != other)
        #expect(await refresh(browser, other, as: "tim-id").error == "invalid_grant")
    }
}
