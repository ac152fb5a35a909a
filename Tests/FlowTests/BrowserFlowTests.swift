import Crypto
import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite
@testable import Composition
@testable import Operations

@Suite struct `A sign-in through the browser over real sockets` {
    @Test func `ends with tokens for the app, and knows its user again by any way in`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let tokens = try await browser.redeem(try await browser.code())
            #expect(tokens.status == 200 && tokens["id_token"] != nil, "\(tokens.text)")
            let bearer = try #require(tokens["access_token"]?.string)
            let userinfo = try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer)
            let posted = try await gatehouse.signIn("ada")
            #expect(posted["new_user"] == false)
            let shown = try await gatehouse.call("GET", "/users/me", bearer: posted["token"]?.string)
            #expect(shown["zenkey_sub"] != nil && userinfo["sub"] == shown["zenkey_sub"])
        }
    }

    @Test func `follows a user who has moved to another carrier`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let before = try await browser.redeem(try await browser.code())
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let network = try #require(gatehouse.simulation.mccmnc(of: .borealis))
            let after = try await browser.redeem(try await browser.code(["mccmnc": network]))
            func user(_ tokens: HTTPTestAnswer) async throws -> JSONValue? {
                let bearer = try #require(tokens["access_token"]?.string)
                return try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer)["sub"]
            }
            let known = before["refresh_token"]?.string
            // The first session has ended with the move.
            #expect(try await user(before) == nil)
            let refresh = try #require(known?.split(separator: ".").dropFirst().first)
            let first = try #require(Base64URL.decode(String(refresh)))
            #expect(try await user(after) == JSONValue(parsing: first)["sub"])
        }
    }

    @Test func `is finished by a server that was started meanwhile`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let folder = gatehouse.folder.appending(path: "second")
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, top: BrowserFlow.configuration)
            let first = try await RunningGatehouse.start(yaml, RecordedLog(), [:])
            browser.port = first.address.port
            let back = try await browser.throughProvider()
            await first.stop()
            let second = try await RunningGatehouse.start(yaml, RecordedLog(), [:])
            browser.port = second.address.port
            #expect(try BrowserFlow.location(of: try await browser.comeBack(back))["code"] != nil)
            await second.stop()
        }
    }

    @Test func `keeps nothing of itself in the log`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = try await browser.throughProvider()
            let key = browser.cookie?.drop { $0 != "=" }.dropFirst().prefix { $0 != "." }
            let location = try BrowserFlow.location(of: try await browser.comeBack(back))
            let code = try #require(location["code"])
            let tokens = try await browser.redeem(code)
            let secrets = [
                back["state"], back["code"], code, browser.verifier, tokens["access_token"]?.string,
                tokens["refresh_token"]?.string, key.map(String.init),
                "app-state", "app-nonce", "secret-of-the-web-app",
            ]
            for secret in secrets {
                let secret = try #require(secret)
                #expect(!gatehouse.log.text.contains(secret))
            }
        }
    }
}

@Suite struct `A bad way back from a provider` {
    /// What is done to the way back, by its name, and the status that it ends with.
    static let ways: [(String, Int, @Sendable (URLComponents, inout BrowserFlow) -> URLComponents)] = [
        ("a wrong state", 400, { back, _ in back.changing("state", to: Random.token(byteCount: 32)) }),
        ("no state", 400, { back, _ in back.changing("state", to: nil) }),
        (
            "no cookie", 403,
            { back, browser in
                browser.cookie = nil; return back
            }
        ),
        (
            "a foreign cookie", 403,
            { back, browser in
                browser.cookie = "gatehouse=" + Random.token(byteCount: 32); return back
            }
        ),
        (
            "two cookies", 403,
            { back, browser in
                browser.cookie = (browser.cookie ?? "") + "; gatehouse=x"; return back
            }
        ),
        (
            "another provider's address", 400,
            { back, _ in
                var changed = back
                changed.path = "/auth/plain/callback"
                return changed
            }
        ),
        (
            "no provider's address", 400,
            { back, _ in
                var changed = back
                changed.path = "/auth/nobody/callback"
                return changed
            }
        ),
    ]

    @Test(arguments: ways.map(\.0)) func `is a page, and nothing is sent to the provider`(name: String) async throws {
        let (_, status, change) = try #require(Self.ways.first { $0.0 == name })
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = change(try await browser.throughProvider(), &browser)
            let answer = try await browser.comeBack(back)
            #expect(answer.status == status && answer.header("location") == nil, "\(answer.text)")
            #expect(answer.header("content-type") == "text/html; charset=utf-8")
            #expect(gatehouse.simulation.requests(at: .token).isEmpty)
        }
    }

    @Test func `is one that was gone already`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = try await browser.throughProvider()
            #expect(try await browser.comeBack(back).status == 303)
            #expect(try await browser.comeBack(back).status == 400)
            #expect(gatehouse.simulation.requests(at: .token).count == 1)
        }
    }

    @Test func `is one that took too long`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = try await browser.throughProvider()
            let store = try SQLiteConnection(path: gatehouse.folder.appending(path: "users.db").path, isWritable: true)
            try store.execute("UPDATE pending_sign_ins SET expires = 1")
            #expect(try await browser.comeBack(back).status == 400)
            #expect(gatehouse.simulation.requests(at: .token).isEmpty)
        }
    }

    @Test func `by form_post is posted once more by our page, and is refused where the cookie is missing then, too`()
        async throws
    {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = try await browser.throughProvider()
            var form = Dictionary(
                (back.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
            let cookie = browser.cookie
            browser.cookie = nil
            let page = try await browser.visit(back.path, form: form)
            #expect(page.status == 200 && page.text.contains("/auth/continue.js"))
            form["gatehouse_resubmitted"] = "1"
            #expect(try await browser.visit(back.path, form: form).status == 403)
            #expect(gatehouse.simulation.requests(at: .token).isEmpty)
            browser.cookie = cookie
            #expect(try BrowserFlow.location(of: try await browser.visit(back.path, form: form))["code"] != nil)
        }
    }

    @Test(arguments: [
        ["code_challenge": ""], ["code_challenge_method": "plain"], ["code_challenge_method": ""],
        ["code_challenge": "plain-verifier"],
    ])
    func `is never reached without PKCE by S256`(changes: [String: String]) async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let answer = try await browser.visit("/auth/authorize?" + FormText.encode(browser.request(changes)))
            let location = try BrowserFlow.location(of: answer)
            #expect(location["error"] == "invalid_request" && location.host == "desk.example" && browser.cookie == nil)
        }
    }

    @Test func `gives the code to one of many who come at once`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let back = try await browser.throughProvider()
            let cookie = try #require(browser.cookie)
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let answer = try? await gatehouse.call(
                            "GET", "\(back.path)?\(back.percentEncodedQuery ?? "")", headers: ["Cookie": cookie])
                        return answer?.status ?? 0
                    }
                }
                return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [303: 1, 400: 15])
        }
    }

    @Test func `ends nowhere else than the app has said, however the address is spelled`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            for address in [
                "http://127.0.0.1:49152/CB", "http://127.0.0.1:49152/cb/", "http://localhost:49152/cb",
                "http://x@127.0.0.1:49152/cb", "http://127.0.0.1:49152/cb#f", "http://127.0.0.1:49152/cb?x",
                "https://127.0.0.1:49152/cb", "HTTP://127.0.0.1:49152/cb", "https://web.example/cb",
            ] {
                let answer = try await browser.visit(
                    "/auth/authorize?" + FormText.encode(browser.request(["redirect_uri": address])))
                #expect(answer.status == 400 && answer.header("location") == nil, "\(address)")
            }
        }
    }

    @Test func `brings no code that another app, another verifier or a second try could use`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let code = try await browser.code()
            let stolen = [
                ["client_id": "web", "client_secret": "secret-of-the-web-app"],
                ["code_verifier": Authorized.makeVerifier()],
                ["redirect_uri": "http://127.0.0.1:1/cb"],
            ]
            for changes in stolen { #expect(try await browser.redeem(code, changes).status == 400) }
            #expect(try await browser.redeem(code, ["client_id": "nobody"]).status == 401)
            let tokens = try await browser.redeem(code)
            #expect(tokens.status == 200)
            let bearer = try #require(tokens["access_token"]?.string)
            #expect(try await browser.redeem(code, stolen[1]).status == 400)
            #expect(try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer).status == 200)
            #expect(try await browser.redeem(code).status == 400)
            #expect(try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer).status == 401)
        }
    }

    @Test(arguments: ["authorization_wrong_iss", "authorization_missing_iss"])
    func `ends at the app, and sends nothing, when it does not say whose answer it is`(name: String) async throws {
        try await BrowserFlow.with { gatehouse in
            gatehouse.simulation.misbehave(try #require(Misbehaviour(name: name)), at: .authorize, of: .plain)
            var browser = BrowserFlow(gatehouse)
            let web = ["client_id": "web", "redirect_uri": "https://web.example/cb", "provider": "plain"]
            let location = try BrowserFlow.location(of: try await browser.comeBack(browser.throughProvider(web)))
            #expect(location["error"] != nil && location["code"] == nil && location.host == "web.example")
            #expect(gatehouse.simulation.requests(at: .token).isEmpty)
        }
    }

    @Test(arguments: [
        ("access_denied", "access_denied"), ("authentication_timed_out", "authentication_timed_out"),
        ("device_unavailable", "device_unavailable"), ("temporarily_unavailable", "temporarily_unavailable"),
    ])
    func `tells the app what the carrier has said`(said: String, told: String) async throws {
        try await BrowserFlow.with { gatehouse in
            let misbehaviour = try #require(Misbehaviour(name: "authorization_\(said)"))
            gatehouse.simulation.misbehave(misbehaviour, at: .authorize, of: .aurora)
            var browser = BrowserFlow(gatehouse)
            let location = try BrowserFlow.location(of: try await browser.comeBack(browser.throughProvider()))
            #expect(location["error"] == told && location["iss"] == BrowserFlow.issuer)
            #expect(location["error_description"]?.contains("offer") == true || told == "device_unavailable")
        }
    }

    @Test(arguments: [("apple", "access_denied"), ("standard", "server_error")])
    func `tells the app that the user has cancelled, in whichever word the provider has`(
        dialect: String, told: String
    ) async throws {
        try await BrowserFlow.with(zenkey: ["dialect: \(dialect)"]) { gatehouse in
            gatehouse.simulation.misbehave(.authorization(.userCancelled), at: .authorize, of: .aurora)
            var browser = BrowserFlow(gatehouse)
            let location = try BrowserFlow.location(of: try await browser.comeBack(browser.throughProvider()))
            #expect(location["error"] == told, "\(location)")
            #expect(gatehouse.log.text.contains("provider_error=user_cancelled_authorize"), "\(gatehouse.log.text)")
        }
    }

    @Test func `tells the app that nobody could be asked`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let silent = try await browser.comeBack(browser.throughProvider(["login_hint": ""]))
            let location = try BrowserFlow.location(of: silent)
            #expect(location["error"] == "login_required" && location["state"] == "app-state")
            #expect(location["iss"] == BrowserFlow.issuer && location["code"] == nil)
        }
    }
}
