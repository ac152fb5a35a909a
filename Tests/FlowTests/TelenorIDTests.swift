import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

/// What TelenorID+ asks of a backend, line by line, against a simulator of it.
@Suite struct `TelenorID+` {
    @Test func `is found by discovery, and asked for a code with S256 and everything that the profile has`()
        async throws
    {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let asked = try await flow.begin()
            #expect(asked.string?.hasPrefix(gatehouse.simulation.telenor + "/connect/authorize?") == true)
            for (name, value) in [
                ("response_type", "code"), ("client_id", "gatehouse-telenor"), ("code_challenge_method", "S256"),
                ("redirect_uri", "\(BrowserFlow.issuer)/auth/telenor/callback"),
                ("scope", "openid profile email phone offline_access"),
            ] { #expect(asked[name] == value, "\(name)") }
            #expect(asked["state"] != "app-state" && asked["nonce"] != "app-nonce")
            let back = try await flow.approve(asked)
            let app = try BrowserFlow.location(of: try await flow.browser.comeBack(back))
            #expect(app["code"] != nil && app["state"] == "app-state")
        }
    }

    @Test func `gets the hints that the app gives, as they are`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let hints = [
                "login_hint": "+13105550101", "ui_locales": "no", "acr_values": "urn:telenor.identity.aal.2",
                "prompt": "login",
            ]
            let asked = try await flow.begin(hints)
            for (name, value) in hints { #expect(asked[name] == value) }
            // An MSISDN names its subscriber, whom the page offers alone.
            let page = try await flow.visit(asked)
            #expect(page.text.contains("Ada Lovelace") && !page.text.contains("Grace Hopper"))
        }
    }

    @Test func `asks nobody with prompt=none: the app is told login_required, or gets a code from a session`()
        async throws
    {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let refused = try await flow.passThrough(try await flow.begin(["prompt": "none"]))
            #expect(refused["error"] == "login_required" && refused["state"] == "app-state")
            _ = try await flow.signIn()
            #expect(try await flow.passThrough(try await flow.begin(["prompt": "none"]))["code"] != nil)
            // prompt=login asks signed-in users, too.
            #expect(try await flow.visit(try await flow.begin(["prompt": "login"])).status == 200)
        }
    }

    @Test func `may answer by a form, which our page posts once more with the cookie`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let back = try await flow.approve(try await flow.begin())
            let form = Dictionary((back.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
            let cookie = flow.browser.cookie
            flow.browser.cookie = nil
            let page = try await flow.browser.visit(back.path, form: form)
            #expect(page.status == 200 && page.text.contains("gatehouse_resubmitted"))
            flow.browser.cookie = cookie
            let again = try await flow.browser.visit(
                back.path, form: form.merging(["gatehouse_resubmitted": "1"]) { $1 })
            #expect(try BrowserFlow.location(of: again)["code"] != nil)
        }
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post"])
    func `takes the secret in a Basic header or in the body`(method: String) async throws {
        try await TelenorFlow.with(["telenor": ["clientAuthentication: \(method)"]]) { gatehouse in
            var flow = TelenorFlow(gatehouse)
            _ = try await flow.tokens()
            let exchange = try #require(gatehouse.simulation.requests(at: .token).last)
            #expect(exchange.authorizationScheme == (method == "client_secret_basic" ? "basic" : nil))
            #expect((exchange.formField("client_secret") != nil) == (method == "client_secret_post"))
            #expect(exchange.formField("code_verifier")?.utf8.count == 43)
            #expect(exchange.issuer == .telenor)
        }
    }

    @Test(arguments: [
        ("token_invalid_grant", "server_error"), ("token_invalid_client", "server_error"),
        ("token_temporarily_unavailable", "temporarily_unavailable"), ("token_server_error", "server_error"),
        ("token_access_denied", "access_denied"), ("token_html_400", "server_error"),
    ])
    func `may refuse a code: the app is told, by the way back, and nobody is signed in`(
        misbehaviour: String, error: String
    ) async throws {
        try await TelenorFlow.with { gatehouse in
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: misbehaviour)), of: .telenor)
            var flow = TelenorFlow(gatehouse)
            let told = try await flow.signIn()
            #expect(told["error"] == error && told["code"] == nil && told["state"] == "app-state")
            #expect(gatehouse.simulation.requests(at: .token).count == 1)
        }
    }

    @Test(arguments: ["id_token_alg_none", "id_token_hs256_client_secret", "id_token_hs256_public_key"])
    func `signs with RS256, and nothing else counts`(misbehaviour: String) async throws {
        try await TelenorFlow.with { gatehouse in
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: misbehaviour)), of: .telenor)
            var flow = TelenorFlow(gatehouse)
            #expect(try await flow.signIn()["error"] == "server_error")
        }
    }

    @Test func `levels are compared as levels`() async throws {
        try await TelenorFlow.with(["telenor": ["minimumACR: 'urn:telenor.identity.aal.2'"]]) { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let higher = try await flow.signIn(["acr_values": "urn:telenor.identity.aal.3", "prompt": "login"])
            #expect(higher["code"] != nil)
            let lower = try await flow.signIn(["acr_values": "urn:telenor.identity.aal.1", "prompt": "login"])
            #expect(lower["error"] == "unmet_authentication_requirements")
        }
    }

    @Test func `tells by scope what the user is, and its subject leaves us nowhere`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let tokens = try await flow.tokens()
            let userinfo = try await gatehouse.call(
                "GET", "/auth/userinfo", bearer: try #require(tokens["access_token"]?.string))
            for (name, value) in [
                ("given_name", "Ada"), ("family_name", "Lovelace"), ("email", "ada@example.com"),
                ("phone_number", "+13105550101"), ("birthdate", "1985-12-10"),
            ] { #expect(userinfo[name]?.string == value, "\(name)") }
            let subject = gatehouse.simulation.subject(of: "ada", for: "gatehouse-telenor", at: .telenor)
            for text in [tokens.text, userinfo.text, gatehouse.log.text] { #expect(!text.contains(subject)) }
            #expect(userinfo["kurtid"] == nil)
        }
    }
}

@Suite struct `A line that a handset has authenticated` {
    private static func brings(_ line: (token: String, lifetime: Int64), late: Int64 = 0) -> [String: String] {
        let expiry = Int64(Date().timeIntervalSince1970) + line.lifetime - late
        return ["aloha_token": line.token, "aloha_expires_at": String(expiry)]
    }

    @Test func `signs its subscriber in without a question, and is kept nowhere`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let line = try await flow.line(of: "grace")
            let asked = try await flow.begin(Self.brings(line))
            #expect(asked["aloha_token"] == line.token && asked["aloha_expires_at"] == nil)
            let told = try await flow.passThrough(asked)
            let tokens = try await flow.browser.redeem(try #require(told["code"], "\(told)"))
            let userinfo = try await gatehouse.call(
                "GET", "/auth/userinfo", bearer: try #require(tokens["access_token"]?.string))
            #expect(userinfo["name"] == "Grace Hopper")
            #expect(!gatehouse.log.text.contains(line.token))
            for name in try FileManager.default.contentsOfDirectory(atPath: gatehouse.folder.path) {
                let stored = try Data(contentsOf: gatehouse.folder.appending(path: name))
                #expect(stored.range(of: Data(line.token.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test func `that is over is reported before the provider is asked, and the next one counts`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let line = try await flow.line(of: "grace")
            let told = try await flow.begin(Self.brings(line, late: 60))
            #expect(told.string?.hasPrefix(BrowserFlow.redirectURI) == true)
            #expect(told["error"] == "expired_aloha_token" && told["state"] == "app-state")
            let next = try await flow.begin(Self.brings(try await flow.line(of: "grace")))
            #expect(try await flow.passThrough(next)["code"] != nil)
        }
    }

    @Test func `is shown over the cellular network, handed over alone, and taken by the provider once`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let line = try await flow.aloha(of: "+12125550102")
            let asked = try await flow.begin(["aloha_token": line.token])
            #expect(asked["aloha_token"] == line.token && asked["aloha_expires_at"] == nil)
            let told = try await flow.passThrough(asked)
            let tokens = try await flow.browser.redeem(try #require(told["code"], "\(told)"))
            let userinfo = try await gatehouse.call(
                "GET", "/auth/userinfo", bearer: try #require(tokens["access_token"]?.string))
            #expect(userinfo["name"] == "Grace Hopper")
            #expect(!gatehouse.log.text.contains(line.token))
            // Somebody who has read it on the way finds the page to sign in with, and no subscriber.
            var thief = TelenorFlow(gatehouse)
            #expect(try await thief.visit(try await thief.begin(["aloha_token": line.token])).status == 200)
            let silent = try await thief.passThrough(
                try await thief.begin(["aloha_token": line.token, "prompt": "none"]))
            #expect(silent["code"] == nil && silent["error"] == "login_required")
        }
    }

    @Test func `is no other provider's business`() async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let line = Self.brings(try await flow.line(of: "grace"))
            let told = try await flow.begin(line.merging(["provider": "plain"]) { $1 })
            #expect(told["error"] == "invalid_request" && told["error_description"]?.contains("aloha_token") == true)
        }
    }
}

@Suite struct `One person at two clients` {
    private static let web = "clientID: gatehouse-telenor-web"

    private func users(_ phone: [String], _ web: [String]) async throws -> [String?] {
        var users: [String?] = []
        try await TelenorFlow.with(["telenor": phone, "web": web]) { gatehouse in
            for provider in ["telenor", "web", "telenor"] {
                var flow = TelenorFlow(gatehouse)
                let tokens = try await flow.tokens(as: "ada", ["provider": provider])
                let bearer = try #require(tokens["access_token"]?.string)
                users.append(try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer)["sub"]?.string)
            }
            let subjects = ["gatehouse-telenor", "gatehouse-telenor-web"]
                .map { gatehouse.simulation.subject(of: "ada", for: $0, at: .telenor) }
            #expect(subjects[0] != subjects[1])
        }
        return users
    }

    @Test func `is one user where kurtid is the key, and two where it is not`() async throws {
        let one = try await users(["crossClientKey: kurtid"], [Self.web, "crossClientKey: kurtid"])
        #expect(one[0] != nil && one[1] == one[0] && one[2] == one[0])
        let two = try await users([], [Self.web])
        #expect(two[0] != nil && two[1] != nil && two[1] != two[0] && two[2] == two[0])
    }
}

@Suite struct `Signing out at TelenorID+` {
    private static func logOut(_ flow: inout TelenorFlow, _ tokens: HTTPTestAnswer) async throws -> URLComponents {
        let query = FormText.encode([
            "id_token_hint": try #require(tokens["id_token"]?.string), "state": "logout-state",
            "post_logout_redirect_uri": "http://127.0.0.1:5000/bye",
        ])
        return try BrowserFlow.location(of: try await flow.browser.visit("/auth/logout?" + query))
    }

    @Test func `goes with the browser where TelenorID+ has no other way, and back to the app`() async throws {
        try await TelenorFlow.with(["telenor": ["keepTokens: true"]]) { gatehouse in
            gatehouse.simulation.misbehave(.document(.withoutCustomLogout), of: .telenor)
            var flow = TelenorFlow(gatehouse)
            let tokens = try await flow.tokens()
            let there = try await Self.logOut(&flow, tokens)
            #expect(there.string?.hasPrefix(gatehouse.simulation.telenor + "/connect/endsession?") == true)
            // The session here is over before anything happens there.
            let bearer = try #require(tokens["access_token"]?.string)
            #expect(try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer).status == 401)
            let back = try BrowserFlow.location(of: try await flow.visit(there))
            let app = try BrowserFlow.location(of: try await flow.browser.comeBack(back))
            #expect(app.string?.hasPrefix("http://127.0.0.1:5000/bye?") == true && app["state"] == "logout-state")
            // Nobody is signed in there any more.
            let refused = try await flow.passThrough(try await flow.begin(["prompt": "none"]))
            #expect(refused["error"] == "login_required")
        }
    }

    @Test func `is told from server to server, and the browser goes straight to the app`() async throws {
        try await TelenorFlow.with(["telenor": ["keepTokens: true"]]) { gatehouse in
            let housekeeping = gatehouse.server.housekeeping
            let work = Task { await housekeeping.run() }
            defer { housekeeping.stop() }
            gatehouse.simulation.misbehave(.logout(.upstreamFailed), of: .telenor, times: 1)
            var flow = TelenorFlow(gatehouse)
            let app = try await Self.logOut(&flow, try await flow.tokens())
            #expect(app.string?.hasPrefix("http://127.0.0.1:5000/bye?") == true && app["state"] == "logout-state")
            // A 424 does not undo what has ended here, and is not the last word.
            let patience = ContinuousClock.now + .seconds(60)
            while gatehouse.simulation.counts[.telenor, .customLogout] < 2, ContinuousClock.now < patience {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(gatehouse.simulation.counts[.telenor, .customLogout] == 2)
            let request = try #require(gatehouse.simulation.requests(at: .customLogout).last)
            #expect(request.header("Content-Type") == "application/json")
            var silent = try await flow.passThrough(try await flow.begin(["prompt": "none"]))
            while silent["error"] == nil, ContinuousClock.now < patience {
                silent = try await flow.passThrough(try await flow.begin(["prompt": "none"]))
            }
            #expect(silent["error"] == "login_required")
            housekeeping.stop()
            await work.value
        }
    }
}
