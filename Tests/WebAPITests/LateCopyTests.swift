import HTTPServer
import HTTPTesting
import JSON
import Testing

@testable import WebAPI

/// An app's request for tokens that comes once more while nobody knows yet what became of the first one's answer.
@Suite struct `The same code, sent again right behind the answer to it` {
    @Test func `ends no session where its sender goes away while it waits`() async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code(["scope": "openid account.read"])
        let (first, app) = (await browser.redeem(code), browser)
        let token = try #require(first.json["access_token"]?.string)
        let copy = Task { await app.redeem(code) }
        copy.cancel()
        let answer = await copy.value
        #expect(answer.status == 503 && answer.json["error_code"] == "overloaded", "\(answer.text)")
        let user = await browser.api.send(.get, "/users/me", headers: bearer(token))
        #expect(user.status == 200, "\(user.text)")
        // One that waits to the end without a word of a loss is a second use.
        #expect(await browser.redeem(code).json["error"] == "invalid_grant")
        #expect(await browser.api.send(.get, "/users/me", headers: bearer(token)).status == 401)
    }
}
