import Apps
import Crypto
import HTTPTesting
import SignIn
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `Somebody who comes back to a sign-in that is over` {
    private static let over = "This sign-in is over"

    /// Ends a sign-in, and comes back to it.
    private func again(
        _ browser: inout BrowserStage, _ changes: [String: String?] = [:],
        meanwhile: (inout BrowserStage) -> Void = { _ in }
    ) async throws -> HTTPTestAnswer {
        let request = try await browser.begin(changes)
        #expect(try Location(of: try await browser.comeBack(from: request))["code"] != nil)
        meanwhile(&browser)
        return try await browser.comeBack(from: request)
    }

    private static let apps: [([String: String?], String, String?)] = [
        ([:], "acme", "https://acme.example/"),
        (["redirect_uri": "https://acme.example/other?x=1"], "acme", "https://acme.example/"),
        (["client_id": "tim-id", "redirect_uri": "acme:/"], "tim", "acme:/"),
        (["client_id": "desk-id", "redirect_uri": "org.acme.desk:/cb"], "desk", "org.acme.desk:/cb"),
        (["client_id": "desk-id", "redirect_uri": "http://127.0.0.1:49152/cb"], "desk", nil),
    ]

    @Test(arguments: apps.indices)
    func `is led to the app, without a code or a state`(index: Int) async throws {
        let (changes, name, address) = Self.apps[index]
        var browser = try await BrowserStage()
        let page = try await again(&browser, changes)
        #expect(page.status == 400 && page.header("location") == nil && browser.api.stage.tokenRequests.count == 1)
        #expect(page.text.contains(Self.over) && page.text.contains("Go back to \(name)."), "\(page.text)")
        let links = page.text.matches(of: /href="([^"]*)"/).map { String($0.1) }
        #expect(links == [address].compactMap(\.self))
        #expect(!page.text.contains("app-state") && !page.text.contains("<script"))
        #expect(page.header("content-security-policy")?.contains("default-src 'none'") == true)
    }

    @Test func `is told of no app in a browser that does not show the sign-in`() async throws {
        let strangers: [String?] = [
            nil, "__Host-gatehouse=" + Random.token(byteCount: 32),
            "__Host-gatehouse.\(Random.token(byteCount: 9))=\(Random.token(byteCount: 12)).1",
        ]
        for cookie in strangers {
            var browser = try await BrowserStage()
            let page = try await again(&browser) { $0.cookie = cookie }
            #expect(page.status == 400 && !page.text.contains("acme") && !page.text.contains("href="), "\(page.text)")
        }
    }

    @Test func `is led nowhere else by what a cookie has`() async throws {
        for value in ["https://evil.example/", "\"><b>evil", "", "AAAAAAAAAAAAAAAA"] {
            var browser = try await BrowserStage()
            let page = try await again(&browser) { stage in
                let name = stage.cookie?.prefix { $0 != "=" } ?? ""
                stage.cookie = "\(name)=\(value).1000"
            }
            #expect([400, 403].contains(page.status))
            #expect(!page.text.contains("evil") && !page.text.contains("href="), "\(page.text)")
        }
    }

    @Test func `too late is led to the app, too`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        browser.api.stage.pass(seconds: BrowserSignIn.lifetimeSeconds)
        let page = try await browser.comeBack(from: request)
        #expect(page.status == 400 && page.text.contains(#"href="https://acme.example/""#), "\(page.text)")
        #expect(browser.api.stage.tokenRequests.isEmpty)
    }

    @Test func `with an error is led to the app when it is loaded again`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        let refused: [String: String?] = ["code": nil, "error": "access_denied"]
        #expect(try Location(of: try await browser.comeBack(from: request, refused))["error"] == "access_denied")
        let page = try await browser.comeBack(from: request, refused)
        #expect(page.status == 400 && page.text.contains("Back to acme"), "\(page.text)")
    }

    @Test func `by a question that was answered is led to the app`() async throws {
        var browser = try await BrowserStage()
        let desk = ["client_id": "desk-id", "redirect_uri": "org.acme.desk:/cb"]
        let question = await browser.visit("/auth/authorize", BrowserStage.request(desk))
        let request = try Location(of: try await browser.sayYes(on: question))
        // While it is under way, and when it has ended.
        #expect(try await browser.sayYes(on: question).text.contains("Back to desk"))
        #expect(try Location(of: try await browser.comeBack(from: request))["code"] != nil)
        let page = try await browser.sayYes(on: question)
        #expect(page.status == 400 && page.text.contains(Self.over) && page.text.contains("Back to desk"))
        #expect(page.header("set-cookie") == nil)
    }

    @Test func `of the account page is led there`() async throws {
        var visitor = try await AccountVisitor()
        let before = try Location(of: await visitor.visit([("provider", "zenkey")]))
        let state = try #require(before["state"])
        #expect(
            await visitor.browser.visit("/auth/zenkey/callback", [("state", state), ("error", "access_denied")]).status
                == 303)
        let page = await visitor.browser.visit("/auth/zenkey/callback", [("state", state), ("error", "access_denied")])
        #expect(page.status == 400 && page.text.contains(#"href="https://gatehouse.example/account""#), "\(page.text)")
        #expect(page.text.contains("Back to the app") && !page.text.contains("gatehouse:account"))
    }
}
