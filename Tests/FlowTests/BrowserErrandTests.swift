import Accounts
import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@testable import Composition
@testable import Operations

/// What an app can have done through the browser beside a sign-in.
private enum Errand {
    static let configuration = """
        session: {issuer: '\(BrowserFlow.issuer)'}
        apps: [desk, web, asking, thin]
        app:
          desk: {clientID: desk, redirectURIs: ['https://desk.example/cb'], \(BrowserFlow.trusted)}
          web: {clientID: web, redirectURIs: ['https://web.example/cb'], secret: secret-of-the-web-app, \(BrowserFlow.trusted)}
          asking: {clientID: asking, redirectURIs: ['https://desk.example/cb'], idTokenAlgorithm: ES256, scopes: [openid, transactions]}
          thin: {clientID: thin, redirectURIs: ['https://desk.example/cb'], idTokenAlgorithm: ES256, scopes: [openid, email]}
        """

    static func payload(_ token: String) throws -> JSONValue {
        let parts = token.split(separator: ".")
        return try JSONValue(parsing: try #require(Base64URL.decode(String(parts[1]))))
    }
}

@Suite struct `An approval through the browser` {
    private static let context = "Pay 120.00 € to Bo?"
    private static let request = [
        "context": context, "acr_values": "a3", "scope": "openid transactions", "correlation_id": "pay-0001",
    ]

    @Test func `ends in a receipt for the user of the session, in the token answer and nowhere else`() async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let answer = try await browser.redeem(try await browser.code(Self.request))
            let receipt = try Errand.payload(try #require(answer["receipt"]?.string, "\(answer.text)"))
            let hash = Base64URL.encode(Digest.sha256.hash(Array(Self.context.utf8).span))
            #expect(receipt["context_hash"]?.string == hash && receipt["acr"] == "a3", "\(receipt)")
            #expect(receipt["nonce"] == "app-nonce" && receipt["client_id"] == "desk")
            let access = try Errand.payload(try #require(answer["access_token"]?.string))
            #expect(receipt["sid"] == access["sid"])
            let stored = try await gatehouse.server.repository.receipts(of: UserID(rawValue: 1))
            #expect(stored.count == 1)
            // A refresh has none: it was told once.
            let refreshed = try await gatehouse.call(
                "POST", "/auth/token",
                form: [
                    "grant_type": "refresh_token", "client_id": "desk",
                    "refresh_token": answer["refresh_token"]?.string ?? "",
                ])
            #expect(refreshed.status == 200 && refreshed["receipt"] == nil, "\(refreshed.text)")
        }
    }

    @Test(arguments: [
        ["acr_values": ""], ["scope": "openid"], ["context": ""],
        ["client_id": "thin", "scope": "openid transactions"],
    ])
    func `is none without a level, a text, or the permission`(_ changes: [String: String]) async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let request = ["client_id": "asking"].merging(Self.request) { $1 }.merging(changes) { $1 }
            let code = try await browser.code(request)
            let answer = try await browser.redeem(code, request.filter { $0.key == "client_id" })
            #expect(answer.status == 200 && answer["receipt"] == nil, "\(answer.text)")
            let stored = try await gatehouse.server.repository.receipts(of: UserID(rawValue: 1))
            #expect(stored.isEmpty)
        }
    }

    @Test(arguments: [
        "id_token_wrong_context", "id_token_missing_context", "id_token_old_auth_time", "id_token_wrong_acr",
    ])
    func `of another text, of long ago or of a lower level signs nobody in`(misbehaviour: String) async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: misbehaviour)), at: .token, of: .aurora)
            let back = try await browser.comeBack(browser.throughProvider(Self.request))
            let location = try BrowserFlow.location(of: back)
            #expect(location["code"] == nil && location["error"] != nil, "\(location)")
            #expect(try await gatehouse.server.repository.userCount() == 0)
        }
    }
}

@Suite struct `A registration by ticket through the browser` {
    private static let configuration = Errand.configuration + "\nregistration: ticket"

    private static func register(
        _ gatehouse: RunningGatehouse, _ ticket: String, _ changes: [String: String?] = [:]
    ) async throws -> HTTPTestAnswer {
        let form: [String: String?] = ["link_ticket": ticket, "client_id": "desk", "name": "Ada L."]
        return try await gatehouse.call(
            "POST", "/users", form: form.merging(changes) { $1 }.compactMapValues(\.self))
    }

    @Test func `gives the ticket to the app with the verifier, once, and never in an address`() async throws {
        try await RunningGatehouse.with(top: Self.configuration) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = try await browser.comeBack(browser.throughProvider(["prompt": ""]))
            let location = try BrowserFlow.location(of: back)
            #expect(Set(location.queryItems?.map(\.name) ?? []) == ["code", "state", "iss"], "\(location)")
            let code = try #require(location["code"])
            for changes in [
                ["code_verifier": Authorized.makeVerifier()], ["redirect_uri": "https://web.example/cb"],
                ["client_id": "thin"],
            ] {
                let refused = try await browser.redeem(code, changes)
                #expect(refused.status == 400 && refused["error"] == "invalid_grant", "\(refused.text)")
            }
            let answer = try await browser.redeem(code)
            #expect(answer.status == 400 && answer["error"] == "unlinked_user", "\(answer.text)")
            let ticket = try #require(answer["link_ticket"]?.string)
            #expect(answer["zenkey_attributes"]?["email"] != nil && answer["access_token"] == nil)
            #expect(try await browser.redeem(code)["error"] == "invalid_grant")
            // It is that app's, and opens a session of nobody else's.
            for changes: [String: String?] in [["client_id": nil], ["client_id": "thin"]] {
                let refused = try await Self.register(gatehouse, ticket, changes)
                #expect(refused.status == 401 && refused["error"] == "invalid_grant", "\(refused.text)")
            }
            let unproven = try await Self.register(gatehouse, ticket, ["client_id": "web"])
            #expect(unproven.status == 401 && unproven["error"] == "invalid_client", "\(unproven.text)")
            let registered = try await Self.register(gatehouse, ticket)
            #expect(registered.status == 201, "\(registered.text)")
            let token = try #require(registered["access_token"]?.string)
            #expect(try Errand.payload(token)["client_id"] == "desk")
            let user = try await gatehouse.call("GET", "/users/me", bearer: token)
            #expect(user["own"]?["name"] == "Ada L.", "\(user.text)")
            let again = try await browser.redeem(try await browser.code(["prompt": ""]))
            #expect(again.status == 200, "\(again.text)")
        }
    }

    @Test func `opens a session that may do what the app was granted, and no more`() async throws {
        try await RunningGatehouse.with(top: Self.configuration) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let thin = ["client_id": "thin", "scope": "openid email account.read account.erase"]
            let code = try await browser.code(thin.merging(["prompt": ""]) { $1 })
            let told = try await browser.redeem(code, ["client_id": "thin"])
            let ticket = try #require(told["link_ticket"]?.string, "\(told.text)")
            // The name is none of the app's business.
            #expect(told["zenkey_attributes"]?["name"] == nil && told["zenkey_attributes"]?["email"] != nil)
            let registered = try await Self.register(gatehouse, ticket, ["client_id": "thin"])
            #expect(registered["scope"]?.string.map { Set($0.split(separator: " ")) } == ["openid", "email"])
            #expect(registered["refresh_token"] == nil, "\(registered.text)")
            let token = try #require(registered["access_token"]?.string)
            for (method, path) in [("GET", "/users/me"), ("DELETE", "/users/me"), ("GET", "/users/me/sessions")] {
                #expect(try await gatehouse.call(method, path, bearer: token).status == 403, "\(path)")
            }
            #expect(try await gatehouse.call("GET", "/auth/userinfo", bearer: token)["email"] != nil)
        }
    }

    @Test func `asks for consent before the app learns who it is`() async throws {
        let top = Self.configuration.replacing("thin: {", with: "thin: {consent: explicit, ")
        try await RunningGatehouse.with(top: top) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let thin = ["client_id": "thin", "scope": "openid email", "prompt": ""]
            let page = try await browser.comeBack(browser.throughProvider(thin))
            #expect(page.status == 200 && page.text.contains("thin"), "\(page.text)")
            let form = try BrowserForm(on: page.text)
            let provider = try BrowserFlow.location(of: try await browser.visit(form.path, form: form.fields))
                .changing("prompt", to: "none")
            let back = try BrowserFlow.location(
                of: try await LoopbackClient(port: UInt16(try #require(provider.port))).send(
                    "GET", "\(provider.path)?\(provider.percentEncodedQuery ?? "")"))
            let code = try #require(try BrowserFlow.location(of: try await browser.comeBack(back))["code"])
            let told = try await browser.redeem(code, ["client_id": "thin"])
            #expect(told["link_ticket"] != nil && told["error"] == "unlinked_user", "\(told.text)")
        }
    }

    @Test func `asks nobody where nobody may be asked`() async throws {
        try await RunningGatehouse.with(top: Self.configuration) { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let location = try BrowserFlow.location(of: try await browser.comeBack(browser.throughProvider()))
            #expect(location["code"] == nil && location["error"] == "access_denied", "\(location)")
        }
    }
}

@Suite struct `One more identity through the browser` {
    private struct Stage {
        let gatehouse: RunningGatehouse
        var browser: BrowserFlow
        let token: String

        init(_ gatehouse: RunningGatehouse) async throws {
            self.gatehouse = gatehouse
            browser = BrowserFlow(gatehouse)
            let signedIn = try await browser.redeem(try await browser.code())
            token = try #require(signedIn["access_token"]?.string, "\(signedIn.text)")
        }

        func ask(_ changes: [String: String?] = [:]) async throws -> HTTPTestAnswer {
            let form: [String: String?] = [
                "provider": "plain", "redirect_uri": BrowserFlow.redirectURI, "state": "the-state", "prompt": "none",
                "login_hint": "grace",
            ]
            return try await gatehouse.call(
                "POST", "/users/me/identities/authorize", bearer: token,
                form: form.merging(changes) { $1 }.compactMapValues(\.self))
        }

        /// What a browser opens.
        func path(_ changes: [String: String?] = [:]) async throws -> String {
            let asked = try await ask(changes)
            let url = try #require(asked["url"]?.string, "\(asked.text)")
            #expect(asked["expires_in"]?.integer == 600)
            return String(url.dropFirst(BrowserFlow.issuer.count))
        }

        /// Says yes on the page, and goes through the provider.
        mutating func goOn(_ page: HTTPTestAnswer) async throws -> URLComponents {
            let form = try BrowserForm(on: page.text)
            #expect(form.path == "/auth/plain/confirm")
            let provider = try BrowserFlow.location(of: try await browser.visit(form.path, form: form.fields))
            return try BrowserFlow.location(
                of: try await LoopbackClient(port: UInt16(try #require(provider.port))).send(
                    "GET", "\(provider.path)?\(provider.percentEncodedQuery ?? "")"))
        }

        func identities() async throws -> Int? {
            try await gatehouse.call("GET", "/users/me/identities", bearer: token).json.array?.count
        }
    }

    @Test func `is added when the browser comes back, and told at the app's address`() async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            var stage = try await Stage(gatehouse)
            let page = try await stage.browser.visit(try await stage.path())
            #expect(page.status == 200 && page.text.contains("Ada"), "\(page.text)")
            #expect(try await stage.identities() == 1)
            let back = try await stage.goOn(page)
            let location = try BrowserFlow.location(of: try await stage.browser.comeBack(back))
            #expect(location["state"] == "the-state" && location["iss"] == BrowserFlow.issuer, "\(location)")
            #expect(location["linked_identity"] != nil && location["code"] == nil, "\(location)")
            #expect(try await stage.identities() == 2)
            // It is over, in this browser as in any other.
            #expect(try await stage.browser.comeBack(back).status == 400)
            let trail = try await gatehouse.server.repository.auditEvents(after: 0, limit: 99).map(\.kind)
            #expect(trail.contains(.identityLinked))
        }
    }

    @Test func `is for the browser that opens it first, and for no other`() async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            var stage = try await Stage(gatehouse)
            var other = BrowserFlow(gatehouse)
            let path = try await stage.path()
            let page = try await stage.browser.visit(path)
            #expect(try await other.visit(path).status == 400)
            #expect(try await stage.browser.visit(path).status == 400)
            let form = try BrowserForm(on: page.text)
            #expect(try await other.visit(form.path, form: form.fields).status == 403)
            let back = try await stage.goOn(page)
            #expect(try await other.comeBack(back).status == 403)
            #expect(try await stage.identities() == 1)
            // Who opens what another has sent them is asked, and nothing happens by itself.
            let sent = try await other.visit(try await stage.path())
            #expect(sent.status == 200 && sent.header("location") == nil)
            #expect(try await stage.identities() == 1)
        }
    }

    @Test func `is refused to a session that has ended meanwhile, and where it is somebody else's`() async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            var stage = try await Stage(gatehouse)
            // Grace has an account of her own.
            #expect(try await gatehouse.signIn("grace", at: .plain).status == 200)
            var page = try await stage.browser.visit(try await stage.path())
            var location = try BrowserFlow.location(of: try await stage.browser.comeBack(stage.goOn(page)))
            #expect(location["error"] == "access_denied" && location["linked_identity"] == nil, "\(location)")
            page = try await stage.browser.visit(try await stage.path(["login_hint": "linus"]))
            let back = try await stage.goOn(page)
            #expect(try await gatehouse.call("DELETE", "/auth/token", bearer: stage.token).status == 200)
            location = try BrowserFlow.location(of: try await stage.browser.comeBack(back))
            #expect(location["error"] == "access_denied", "\(location)")
            #expect(try await gatehouse.server.repository.identities(of: UserID(rawValue: 1)).count == 1)
        }
    }

    @Test func `takes a user who was there just now, an app of ours, and an address of its own`() async throws {
        try await RunningGatehouse.with(top: Errand.configuration) { gatehouse in
            let stage = try await Stage(gatehouse)
            for (changes, status, error): ([String: String?], Int, String) in [
                (["redirect_uri": nil], 400, "invalid_request"),
                (["redirect_uri": "https://evil.example/cb"], 400, "invalid_request"),
                (["provider": nil], 400, "invalid_request"), (["provider": "nobody"], 400, "unknown_provider"),
                (["max_age": "soon"], 400, "invalid_request"),
            ] {
                let refused = try await stage.ask(changes)
                #expect(refused.status == status && refused["error"]?.string == error, "\(refused.text)")
            }
            gatehouse.simulation.misbehave(.idToken(.oldAuthenticationTime), at: .token, of: .aurora, times: 1)
            let old = try await Stage(gatehouse).ask()
            #expect(old.status == 401 && old["error"] == "insufficient_user_authentication", "\(old.text)")
            let posted = try #require(try await gatehouse.signIn("linus")["token"]?.string)
            let refused = try await gatehouse.call(
                "POST", "/users/me/identities/authorize", bearer: posted,
                form: ["provider": "plain", "redirect_uri": BrowserFlow.redirectURI])
            #expect(refused.status == 403 && refused["error"] == "unauthorized_client", "\(refused.text)")
        }
    }
}
