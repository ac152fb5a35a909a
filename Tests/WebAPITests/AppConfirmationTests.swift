import Accounts
import Apps
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@testable import WebAPI

/// A program on the machine can send a browser here in an app's name, and wait for the answer at a port of its own or
/// at the app's private scheme (RFC 8252 §8.6).
@Suite struct `An app that can be imitated` {
    private static let port = "http://127.0.0.1:51004/cb"
    private static let scheme = "org.acme.desk:/cb"
    private static let addresses = [port, scheme]

    private static func desk(
        _ address: String = port, _ changes: [String: String?] = [:]
    ) -> [String: String?] {
        ["client_id": "desk-id", "redirect_uri": address].merging(changes) { $1 }
    }

    /// A token that is issued now, to somebody who authenticated that long ago; nil where nobody says.
    private static func authenticated(_ browser: BrowserStage, secondsAgo: Int64?) -> (inout TokenDraft) -> Void {
        let now = browser.api.stage.now
        return {
            $0.claims[setting: "auth_time"] = secondsAgo.map { .integer(now - $0) }
            $0.claims[setting: "iat"] = .integer(now)
            $0.claims[setting: "exp"] = .integer(now + 300)
        }
    }

    /// When the store last took a sign-in of the user.
    private func lastSignIn(_ browser: BrowserStage) async throws -> Int64? {
        try await browser.api.stage.repository.identities(of: UserID(rawValue: 1)).first?.lastSignInAt
    }

    private func ask(_ browser: inout BrowserStage, _ changes: [String: String?]) async -> HTTPTestAnswer {
        await browser.visit("/auth/authorize", BrowserStage.request(changes))
    }

    @Test(arguments: addresses)
    func `is named on a page of ours before its user goes anywhere`(address: String) async throws {
        var browser = try await BrowserStage()
        let page = await ask(&browser, Self.desk(address))
        #expect(page.status == 200 && page.text.contains("<h1>Sign in to desk</h1>"))
        #expect(browser.api.stage.transport.requests.isEmpty)
        #expect(page.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
        #expect(page.header("x-frame-options") == "DENY")
        let request = try Location(of: try await browser.sayYes(on: page))
        #expect(request.base == "https://carrier.example/authorize" && request["login_hint"] == nil)
        let answer = try Location(of: try await browser.comeBack(from: request))
        #expect(answer.base == address && answer["code"] != nil && answer["state"] == "app-state")
    }

    @Test func `says what it asks for, and a yes is consent`() async throws {
        var browser = try await BrowserStage()
        let page = await ask(&browser, Self.desk(Self.scheme, ["scope": "openid email account.erase"]))
        for text in [
            "desk is an app at org.acme.desk.", "<li>see your e-mail address</li>", "<li>delete your account</li>",
            "That ends after 15 minutes.",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        let onDevice = await ask(&browser, Self.desk())
        #expect(onDevice.text.contains("desk is an app on this device."))
        let request = try Location(of: try await browser.sayYes(on: page))
        #expect(try Location(of: try await browser.comeBack(from: request))["code"] != nil)
        let consents = try await browser.api.stage.repository.consents(of: UserID(rawValue: 1))
        #expect(consents.map(\.client) == ["desk-id"] && consents.map(\.scope) == ["openid email account.erase"])
    }

    @Test(arguments: addresses)
    func `signs nobody in without a word`(address: String) async throws {
        var browser = try await BrowserStage()
        _ = try await browser.code(Self.desk(address))
        for changes in [["prompt": "none"], ["prompt": "none", "provider": nil]] as [[String: String?]] {
            let answer = try Location(of: await ask(&browser, Self.desk(address, changes)))
            #expect(answer.base == address && answer["error"] == "interaction_required" && answer["code"] == nil)
        }
    }

    @Test func `with an https address is sent on at once`() async throws {
        var browser = try await BrowserStage()
        let request = try Location(of: await ask(&browser, ["prompt": "none"]))
        #expect(request.base == "https://carrier.example/authorize" && request["prompt"] == "none")
    }

    @Test func `is not asked about again where its user has said yes before and authenticates now`() async throws {
        var browser = try await BrowserStage()
        _ = try await browser.code(Self.desk())
        browser.api.stage.pass(seconds: 3600)
        let request = try Location(of: await ask(&browser, Self.desk()))
        #expect(request.base == "https://carrier.example/authorize")
        browser.api.stage.pass(seconds: 5)
        let answer = try Location(
            of: try await browser.comeBack(
                from: request, token: Self.authenticated(browser, secondsAgo: 1)))
        #expect(answer.base == Self.port && answer["code"] != nil)
    }

    @Test(arguments: [3600, nil] as [Int64?])
    func `is asked about again where its user has said yes before and the provider answers for them`(
        secondsAgo: Int64?
    ) async throws {
        var browser = try await BrowserStage()
        _ = try await browser.code(Self.desk())
        let before = browser.api.stage.now
        browser.api.stage.pass(seconds: 7200)
        let stale = Self.authenticated(browser, secondsAgo: secondsAgo)
        let first = try Location(of: await ask(&browser, Self.desk()))
        let page = try await browser.comeBack(from: first, token: stale)
        #expect(page.status == 200 && page.text.contains("<h1>Sign in to desk</h1>"))
        // Nobody is signed in by what was not confirmed.
        #expect(try await lastSignIn(browser) == before)
        let second = try Location(of: try await browser.sayYes(on: page))
        #expect(second["state"] != first["state"] && second["nonce"] != first["nonce"])
        let answer = try Location(of: try await browser.comeBack(from: second, token: stale))
        #expect(answer.base == Self.port && answer["code"] != nil)
        #expect(try await lastSignIn(browser) == before + 7200)
        // Neither page nor way back works another time.
        #expect(try await browser.sayYes(on: page).status == 400)
        #expect(try await browser.comeBack(from: first).status == 400)
    }

    @Test func `is asked about each time where the provider never tells when its user authenticated`() async throws {
        var browser = try await BrowserStage { $0.authenticationTimes = .never }
        _ = try await browser.code(Self.desk())
        #expect(await ask(&browser, Self.desk()).status == 200)
    }

    @Test func `is confirmed by its address, in one browser, and nowhere else`() async throws {
        var browser = try await BrowserStage()
        _ = try await browser.code(Self.desk())
        #expect(await ask(&browser, Self.desk("http://127.0.0.1:40000/cb")).status == 303)
        #expect(await ask(&browser, Self.desk(Self.scheme)).status == 200)
        #expect(await ask(&browser, ["client_id": "tim-id", "redirect_uri": BrowserStage.tim]).status == 200)
        var other = BrowserStage(of: browser.api)
        #expect(await ask(&other, Self.desk()).status == 200)
        for cookie in ["", "x", browser.confirmedApps.map { "\($0); \($0)" } ?? ""] {
            other.confirmedApps = "__Host-gatehouse-apps=" + cookie
            #expect(await ask(&other, Self.desk()).status == 200)
        }
    }

    @Test func `goes nowhere by a page that another browser was shown`() async throws {
        var attacker = try await BrowserStage()
        let page = await ask(&attacker, Self.desk())
        var victim = BrowserStage(of: attacker.api)
        #expect(try await victim.sayYes(on: page).status == 403)
        _ = await ask(&victim, Self.desk())
        #expect(try await victim.sayYes(on: page).status == 403)
        // Who says yes to themselves has a way back that is good in their own browser alone.
        let request = try Location(of: try await attacker.sayYes(on: page))
        #expect(try await victim.comeBack(from: request).status == 403)
    }

    @Test func `is not confirmed by the token of anything else`() async throws {
        var browser = try await BrowserStage()
        let request = try await browser.begin()
        for token in [request["state"] ?? "", String(repeating: "A", count: 43), ""] {
            let answer = await browser.visit("/auth/zenkey/confirm", [("token", token)], method: .post)
            #expect(answer.status == 400)
        }
    }

    @Test func `has its user choose a provider on the same page, among its own`() async throws {
        var browser = try await BrowserStage()
        let tim: [String: String?] = [
            "client_id": "tim-id", "redirect_uri": BrowserStage.tim, "provider": nil, "mccmnc": nil,
        ]
        let page = await ask(&browser, tim)
        #expect(page.text.contains("/auth/zenkey/confirm") && page.text.contains("/auth/openid/confirm"))
        let request = try Location(of: try await browser.sayYes(on: page, with: "openid"))
        #expect(request["client_id"] == "other-client")
        let desk = await ask(&browser, Self.desk(Self.scheme))
        #expect(!desk.text.contains("/auth/openid/confirm"))
        #expect(try await browser.sayYes(on: desk, with: "openid").status == 400)
    }

    @Test func `keeps at most so many apps in a browser, the latest of them`() throws {
        func address(_ number: Int) -> AppAddress? {
            let uri = "http://127.0.0.1/\(number)"
            let app = RegisteredApp(
                name: "a", clientID: "a", secret: nil, redirectURIs: [RedirectURI(uri)], providers: [], origins: [],
                postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit, idTokenAlgorithm: .rs256)
            return try? AppAddress(
                AuthorizationParameters([("client_id", "a"), ("redirect_uri", uri)]),
                apps: AppRegistry([app], resourceServers: []), issuer: "https://gatehouse.example")
        }
        var apps = ConfirmedApps()
        let addresses = try (0...ConfirmedApps.maximum).map { try #require(address($0)) }
        for address in addresses { apps.confirm(address) }
        apps.confirm(addresses[3])
        let read = try #require(ConfirmedApps(apps.text))
        #expect(addresses.map(read.contains) == addresses.indices.map { $0 != 0 })
        #expect(apps.text.utf8.count < 300)
    }
}
