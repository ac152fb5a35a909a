import Accounts
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Telemetry
import TestSupport
import Testing

@testable import SignIn
@testable import WebAPI

@Suite struct `Signing out where the provider has signed the user in` {
    private static let endSession = "https://carrier.example/endsession"
    private static let bye = "https://acme.example/bye"

    /// A browser whose provider keeps sessions of its own, which are ended at these endpoints; and an app's ID token of
    /// ours.
    private func signedIn(
        _ endpoints: [String: String] = ["end_session_endpoint": endSession], keepsTokens: Bool = true
    ) async throws -> (browser: BrowserStage, hint: String, bearer: String) {
        var browser = try await BrowserStage {
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            $0.keepsTokens = keepsTokens
        }
        let carrier = browser.api.stage.carrier
        var metadata = try #require(carrier.metadata.object)
        for (name, address) in endpoints { metadata.append(name, .string(address)) }
        browser.api.stage.transport.answer(carrier.metadataURL, json: .object(metadata))
        let tokens = await browser.redeem(try await browser.code(["mccmnc": nil])).json
        return (
            browser, try #require(tokens["id_token"]?.string), try #require(tokens["access_token"]?.string)
        )
    }

    private func logOut(
        _ browser: inout BrowserStage, _ hint: String, to address: String = bye, state: String = "app state"
    ) async throws -> Location {
        try Location(
            of: await browser.visit(
                "/auth/logout",
                [("id_token_hint", hint), ("post_logout_redirect_uri", address), ("state", state)]))
    }

    private func comeBack(
        _ browser: inout BrowserStage, _ state: String?, provider: String = "zenkey"
    ) async -> HTTPTestAnswer {
        await browser.visit("/auth/\(provider)/logged-out", state.map { [("state", $0)] } ?? [])
    }

    @Test func `ends here first, then there, and then the browser is back at the app`() async throws {
        var (browser, hint, bearer) = try await signedIn()
        let there = try await logOut(&browser, hint)
        #expect(
            await browser.api.send(.get, "/auth/userinfo", headers: [("Authorization", "Bearer \(bearer)")]).status
                == 401)
        #expect(there.base == Self.endSession && there["client_id"] == "ccid-0123456789abcdef")
        #expect(there["post_logout_redirect_uri"] == "https://gatehouse.example/auth/zenkey/logged-out")
        let theirs = try #require(there["id_token_hint"])
        #expect(theirs != hint && theirs.split(separator: ".").count == 3)
        #expect(there["state"]?.contains("state") == false)
        // Shown once more it does no more than before.
        for _ in 0..<2 {
            let back = try Location(of: await comeBack(&browser, there["state"]))
            #expect(back.base == Self.bye && back.names == ["state"] && back["state"] == "app state")
        }
        for line in browser.api.log.lines {
            let text = "\(line)"
            #expect(!text.contains(theirs) && !text.contains(hint) && !text.contains("app state"))
        }
    }

    @Test func `is led nowhere by a state that is none of ours, or another provider's`() async throws {
        var (browser, hint, _) = try await signedIn()
        let state = try await logOut(&browser, hint)["state"]
        for (shown, provider) in [
            (nil, "zenkey"), ("", "zenkey"), ("x", "zenkey"), (hint, "zenkey"), (state.map { $0 + "A" }, "zenkey"),
            (state, "openid"), (state, "nobody"), (String(repeating: "A", count: 3000), "zenkey"),
        ] as [(String?, String)] {
            let answer = await comeBack(&browser, shown, provider: provider)
            #expect(answer.status == 400 && answer.header("location") == nil)
        }
    }

    @Test func `ends on a page where the app's address is not registered, was none, or is none any more`() async throws
    {
        var (browser, hint, _) = try await signedIn()
        let there = try await logOut(&browser, hint, to: "https://evil.example/bye")
        #expect(there.base == Self.endSession)
        let page = await comeBack(&browser, there["state"])
        #expect(page.status == 200 && page.header("location") == nil && !page.text.contains("evil"))
        let states = LogoutStates(challenges: browser.api.stage.useCases.challenges, clock: browser.api.stage.clock)
        for target in [
            LogoutReturn(clientID: "acme-id", address: "https://former.example/bye", state: "s"),
            LogoutReturn(clientID: "gone-id", address: Self.bye, state: "s"),
        ] {
            let state = try await states.state(for: target, at: "zenkey")
            #expect(await comeBack(&browser, state).status == 200)
        }
    }

    @Test func `ends on a page for who comes back too late`() async throws {
        var (browser, hint, _) = try await signedIn()
        let there = try await logOut(&browser, hint)
        browser.api.stage.pass(seconds: 300)
        #expect(await comeBack(&browser, there["state"]).status == 200)
    }

    @Test(arguments: [
        [:], ["end_session_endpoint": "http://carrier.example/endsession"],
        ["end_session_endpoint": endSession, "custom_logout_endpoint": "https://carrier.example/logout"],
    ])
    func `goes straight back where no browser is needed, or there is no place for it`(
        endpoints: [String: String]
    ) async throws {
        var (browser, hint, _) = try await signedIn(endpoints)
        let back = try await logOut(&browser, hint)
        #expect(back.base == Self.bye && back["state"] == "app state")
    }

    @Test func `goes straight back where nothing was kept, and with a state that no address has room for`() async throws
    {
        var (browser, hint, _) = try await signedIn(keepsTokens: false)
        #expect(try await logOut(&browser, hint).base == Self.bye)
        var (other, otherHint, _) = try await signedIn()
        let long = String(repeating: "x", count: 2000)
        #expect(try await logOut(&other, otherHint, state: long)["state"] == long)
    }

    @Test func `is told from server to server where the provider has a place for that`() async throws {
        let logout = "https://carrier.example/logout"
        var (browser, hint, _) = try await signedIn(["custom_logout_endpoint": logout])
        let stage = browser.api.stage
        _ = try await logOut(&browser, hint)
        let outbox = OutboxDelivery(
            repository: stage.repository, providers: stage.providers, transport: stage.transport, clock: stage.clock,
            giveUpSeconds: 3600, observers: .none)
        // What lies behind it fails first: that is told again, and nothing after that.
        stage.transport.answer(logout, .json([:], status: 424))
        try await outbox.deliver { _ in }
        #expect(try await stage.repository.outboxStatus().pending == 1)
        stage.transport.answer(logout, json: [:])
        stage.pass(seconds: 600)
        try await outbox.deliver { _ in }
        try await outbox.deliver { _ in }
        #expect(try await stage.repository.outboxStatus().pending == 0)
        let requests = stage.transport.requests(to: logout)
        #expect(requests.count == 2)
        let sent = try #require(requests.last).body
        let body = try JSONValue(parsing: sent.span)
        #expect(body["id_token_hint"]?.string?.split(separator: ".").count == 3 && body["state"]?.string != nil)
    }

    @Test(arguments: [400, 401]) func `is not told again where the provider refuses`(status: Int) async throws {
        let logout = "https://carrier.example/logout"
        var (browser, hint, _) = try await signedIn(["custom_logout_endpoint": logout])
        let stage = browser.api.stage
        _ = try await logOut(&browser, hint)
        stage.transport.answer(logout, .json([:], status: status))
        let outbox = OutboxDelivery(
            repository: stage.repository, providers: stage.providers, transport: stage.transport, clock: stage.clock,
            giveUpSeconds: 3600, observers: .none)
        try await outbox.deliver { _ in }
        #expect(try await stage.repository.outboxStatus().pending == 0)
        #expect(stage.transport.requests(to: logout).count == 1)
    }
}
