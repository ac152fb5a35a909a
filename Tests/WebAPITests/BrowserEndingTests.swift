import Accounts
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `A sign-in through the browser of somebody who may not` {
    private func user(_ browser: BrowserStage) async throws -> UserID {
        try #require(try await browser.api.stage.repository.userCount() == 1 ? UserID(rawValue: 1) : nil)
    }

    @Test func `ends on a page where the user is locked, which takes them back to the app`() async throws {
        var browser = try await BrowserStage()
        let code = try await browser.code()
        let request = try await browser.begin()
        let stage = browser.api.stage
        let lock = Lock(cause: .operator, reason: "a word of ours", since: stage.now, until: nil)
        #expect(try await stage.repository.lock(try await user(browser), lock, line: .none, now: stage.now))
        let answer = try await browser.comeBack(from: request)
        #expect(answer.status == 423 && answer.header("location") == nil, "\(answer.text)")
        #expect(answer.text.contains("This account is locked") && !answer.text.contains("a word of ours"))
        let link = try #require(answer.text.firstMatch(of: /href="([^"]*)"/)?.1)
        #expect(link.hasPrefix(BrowserStage.acme) && link.contains("error=access_denied"))
        #expect(link.contains("state=app-state"))
        // What waited for the app has ended with the user's sessions.
        let redeemed = await browser.redeem(code)
        #expect(redeemed.status == 400 && redeemed.error == "invalid_grant", "\(redeemed.text)")
    }

    @Test func `goes back to the app where it began before the user's sessions were ended`() async throws {
        var browser = try await BrowserStage()
        _ = try await browser.code()
        let request = try await browser.begin()
        let stage = browser.api.stage
        stage.pass(seconds: 1)
        _ = try await stage.repository.revokeSessions(of: try await user(browser), except: nil, now: stage.now)
        let answer = try Location(of: try await browser.comeBack(from: request))
        #expect(answer.base == BrowserStage.acme && answer["error"] == "login_required" && answer["code"] == nil)
        stage.pass(seconds: 1)
        #expect(try await !browser.code().isEmpty)
    }
}
