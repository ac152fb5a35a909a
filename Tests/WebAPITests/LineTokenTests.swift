import Accounts
import HTTPServer
import HTTPTesting
import Providers
import TestSupport
import Testing

@testable import SignIn
@testable import WebAPI

/// `aloha_token` and `aloha_expires_at` of an authorization request.
@Suite struct `The session of a line authentication` {
    private static let token = "aloha.7f9c-2ba4_e88f~827d+6/160=="
    private static let now = SigningProvider.now

    private static func brings(_ changes: [String: String?] = [:]) -> [String: String?] {
        ["aloha_token": token, "aloha_expires_at": "\(now + 60)"].merging(changes) { $1 }
    }

    /// A browser at a service whose first provider takes such sessions, and whose second does not.
    private func browser() async throws -> BrowserStage { try await BrowserStage { $0.takesLineTokens = true } }

    @Test func `goes to the provider, without its time, and into nothing that is kept`() async throws {
        var browser = try await browser()
        let sent = try await browser.begin(Self.brings())
        #expect(sent.base == "https://carrier.example/authorize" && sent["aloha_token"] == Self.token)
        #expect(sent["aloha_expires_at"] == nil)
        let handle = try #require(sent["state"].flatMap { PendingHandle($0) })
        let row = try #require(
            try await browser.api.stage.repository.pendingSignIn(handle.hash, now: browser.api.stage.now))
        let kept = try #require(handle.open(row.content))
        #expect(kept.carried.values.map(\.name) == [])
        #expect(kept.carried["aloha_token"] == nil && kept.carried["aloha_expires_at"] == nil)
        for line in browser.api.log.lines { #expect(!"\(line)".contains(Self.token)) }
        #expect(try Location(of: try await browser.comeBack(from: sent))["code"] != nil)
    }

    @Test func `is kept by the page that names an app, and nowhere else`() async throws {
        var browser = try await browser()
        let desk = ["client_id": "desk-id", "redirect_uri": "org.acme.desk:/cb"]
        func ask(_ browser: inout BrowserStage) async -> HTTPTestAnswer {
            await browser.visit("/auth/authorize", BrowserStage.request(Self.brings(desk.mapValues { $0 })))
        }
        let page = await ask(&browser)
        let token = try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        let handle = try #require(PendingHandle(String(token)))
        let row = try #require(
            try await browser.api.stage.repository.pendingSignIn(handle.hash, now: browser.api.stage.now))
        #expect(try #require(handle.open(row.content)).carried.values.map(\.name) == [])
        let sent = try Location(of: try await browser.sayYes(on: page))
        #expect(sent["aloha_token"] == Self.token && sent["aloha_expires_at"] == nil)
        // Who reads the page for longer than it lasts begins anew.
        var other = BrowserStage(of: browser.api)
        let late = await ask(&other)
        browser.api.stage.pass(seconds: 61)
        let over = try Location(of: try await other.sayYes(on: late))
        #expect(over.base == "org.acme.desk:/cb" && over["error"] == "expired_aloha_token")
    }

    /// What is asked, the code of the error, and what its sentence names.
    static let refused: [([String: String?], String, String)] = [
        (["aloha_token": nil], "invalid_request", "aloha_token"),
        (["aloha_token": "a b"], "invalid_request", "aloha_token"),
        (["aloha_token": "a\r\nb"], "invalid_request", "aloha_token"),
        (["aloha_token": "ü"], "invalid_request", "aloha_token"),
        (["aloha_token": "a&b"], "invalid_request", "aloha_token"),
        (["aloha_token": String(repeating: "x", count: 2049)], "invalid_request", "aloha_token"),
        (["aloha_token": String(repeating: "x", count: 5000)], "invalid_request", "aloha_token"),
        (["aloha_expires_at": "60"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "-1"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "soon"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "\(now + 60).5"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "\(now + 60)000"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "\(now + 86_401)"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "99999999999999999999"], "invalid_request", "aloha_expires_at"),
        (["aloha_expires_at": "\(now)"], "expired_aloha_token", "aloha_token"),
        (["aloha_expires_at": "\(now - 1)"], "expired_aloha_token", "aloha_token"),
        (["provider": "openid"], "invalid_request", "aloha_token"),
    ]

    @Test(arguments: refused)
    func `is refused, and nobody asked, when it is wrong, over, or for another provider`(
        changes: [String: String?], error: String, name: String
    ) async throws {
        var browser = try await browser()
        let asked = browser.api.stage.transport.requests.count
        let answer = try Location(
            of: await browser.visit("/auth/authorize", BrowserStage.request(Self.brings(changes))))
        #expect(answer.base == BrowserStage.acme && answer["error"] == error && answer["state"] == "app-state")
        #expect(answer["error_description"]?.contains(name) == true)
        #expect(answer["error_description"]?.contains("7f9c") == false)
        #expect(browser.api.stage.transport.requests.count == asked && browser.cookie == nil)
    }

    @Test func `goes to the provider alone, where the app does not say when it ends, however late`() async throws {
        var browser = try await browser()
        let sent = try await browser.begin(Self.brings(["aloha_expires_at": nil]))
        #expect(sent.base == "https://carrier.example/authorize" && sent["aloha_token"] == Self.token)
        #expect(sent["aloha_expires_at"] == nil)
        var patient = BrowserStage(of: browser.api)
        let desk = ["client_id": "desk-id", "redirect_uri": "org.acme.desk:/cb", "aloha_expires_at": nil]
        let page = await patient.visit("/auth/authorize", BrowserStage.request(Self.brings(desk)))
        browser.api.stage.pass(seconds: 300)
        #expect(try Location(of: try await patient.sayYes(on: page))["aloha_token"] == Self.token)
    }

    @Test func `is not taken twice`() async throws {
        var browser = try await browser()
        let twice = BrowserStage.request(Self.brings()) + [("aloha_token", "other")]
        #expect(try Location(of: await browser.visit("/auth/authorize", twice))["error"] == "invalid_request")
    }

    @Test func `is good for a last second, and up to a day ahead`() async throws {
        for seconds in [1, 86_400] as [Int64] {
            var browser = try await browser()
            let sent = try await browser.begin(Self.brings(["aloha_expires_at": "\(Self.now + seconds)"]))
            #expect(sent["aloha_token"] == Self.token)
        }
    }

    @Test func `that ends while the provider is looked for is reported, not dropped`() async throws {
        var browser = try await browser()
        let (stage, metadata) = (browser.api.stage, browser.api.stage.carrier.metadata)
        stage.transport.answer(ProviderConfiguration.discoveryURL) { _ in
            stage.pass(seconds: 60)
            return .success(.json(metadata))
        }
        let answer = try Location(of: await browser.visit("/auth/authorize", BrowserStage.request(Self.brings())))
        #expect(answer.base == BrowserStage.acme && answer["error"] == "expired_aloha_token")
    }

    @Test func `rides through the choice of a provider to the one that takes it, until it is over`() async throws {
        var browser = try await browser()
        let request = BrowserStage.request(Self.brings(["provider": nil, "mccmnc": nil]))
        let page = await browser.visit("/auth/authorize", request)
        #expect(page.status == 200)
        let links = page.text.matches(of: /href="([^"]+provider=[a-z]+)"/)
            .map { String($0.1).replacing("&amp;", with: "&") }
        let taking = try #require(links.first { $0.hasSuffix("provider=zenkey") })
        let other = try #require(links.first { $0.hasSuffix("provider=openid") })
        #expect(taking.contains("aloha_token=") && taking.contains("aloha_expires_at="))
        #expect(!other.contains("aloha"))
        let query = String(taking.drop { $0 != "?" }.dropFirst()) + "&mccmnc=310260"
        let sent = try Location(of: await browser.api.send(.get, "/auth/authorize", query: query))
        #expect(sent["aloha_token"] == Self.token)
        browser.api.stage.pass(seconds: 60)
        let late = try Location(of: await browser.api.send(.get, "/auth/authorize", query: query))
        #expect(late["error"] == "expired_aloha_token")
        for line in browser.api.log.lines { #expect(!"\(line)".contains("7f9c-2ba4")) }
    }

    @Test func `has no choice of a provider where none takes it`() async throws {
        var browser = try await BrowserStage()
        let request = BrowserStage.request(Self.brings(["provider": nil, "mccmnc": nil]))
        let answer = try Location(of: await browser.visit("/auth/authorize", request))
        #expect(answer["error"] == "invalid_request" && answer["error_description"]?.contains("aloha_token") == true)
    }
}
