import HTTPTesting
import JSON
import Providers
import TestSupport
import Testing

@testable import WebAPI

/// Somebody has come by the code of another's sign-in through the browser, and posts it as their own.
@Suite struct `A code of a browser` {
    private static let callback = "https://gatehouse.example/auth/zenkey/callback"

    @Test(arguments: ["/auth/signin", "/auth/zenkey-signin", "/users/me/identities", "/auth/transaction"])
    func `is posted nowhere, though its callback is among the redirect URIs and PKCE is passed over`(
        path: String
    ) async throws {
        var browser = try await BrowserStage {
            $0.redirectURIs.append(Self.callback)
            $0.codeProtection = CodeProtection(pkce: .ignored, nonce: .required)
        }
        let token = try await browser.api.signedIn().token
        let asked = try await browser.begin()
        try browser.api.stage.answerToken { $0.claims[setting: "nonce"] = asked["nonce"].map { .string($0) } }
        let exchanges = browser.api.stage.tokenRequests.count
        let answer = await browser.api.post(
            path,
            json: APIStage.authorized([
                ("redirect_uri", .string(Self.callback)), ("code", "of-the-victim"), ("context", "Pay 12.00 to Bob"),
            ]), headers: path.hasPrefix("/auth/z") || path == "/auth/signin" ? [] : bearer(token))
        #expect(answer.status == 400 && answer.error == "redirect_uri_not_allowed")
        #expect(browser.api.stage.tokenRequests.count == exchanges)
        // Its owner finishes.
        #expect(try await browser.comeBack(from: asked, ["code": "of-the-victim"]).status == 303)
    }

    @Test func `has our nonce, which nobody who posts it can name`() async throws {
        var browser = try await BrowserStage()
        let asked = try await browser.begin()
        try browser.api.stage.answerToken { $0.claims[setting: "nonce"] = asked["nonce"].map { .string($0) } }
        for (code, nonce) in [("1", nil), ("2", "a-guess")] as [(String, String?)] {
            let answer = await browser.api.signIn([("code", .string(code)), ("nonce", nonce.map { .string($0) })])
            #expect(answer.status == 401 && answer.json["reason"] == "nonce")
        }
    }
}
