import Apps
import Crypto
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Pages
import Providers
import SignIn
import Syntax
import Telemetry
import TestSupport
import Testing
import WebAPI

@Suite struct `The API` {
    @Test(arguments: [
        "//", "/auth", "/auth/signin/", "/AUTH/signin", "/users/7", "/users/me/x", "/metrics", "/admin/users",
    ])
    func `the API has nothing at other paths`(path: String) async throws {
        let app = try await APIStage()
        let answer = await app.send(.get, path)
        #expect(answer.status == 404)
        #expect(answer.error == "not_found")
        #expect(answer.json["request_id"] == "request-1")
    }

    @Test(
        arguments: [
            (HTTPMethod.get, "/auth/signin", ["POST"]), (.put, "/auth/token", ["POST", "DELETE"]),
            (.get, "/auth/token", ["POST", "DELETE"]), (.post, "/users/me", ["GET", "HEAD", "PATCH", "DELETE"]),
            (.get, "/users", ["POST"]),
            (.delete, "/healthz", ["GET", "HEAD"]), (.post, "/.well-known/jwks.json", ["GET", "HEAD"]),
        ])
    func `names the methods of a path that answers to others`(method: HTTPMethod, path: String, allow: [String])
        async throws
    {
        let app = try await APIStage()
        let answer = await app.send(method, path)
        #expect(answer.status == 405)
        #expect(answer.error == "method_not_allowed")
        let allowed = try #require(answer.header("allow"))
        #expect(Set(allowed.split(separator: ", ").map(String.init)) == Set(allow + ["OPTIONS"]))
    }

    @Test(arguments: [
        ("/", "GET, HEAD, OPTIONS"), ("/auth/token", "POST, DELETE, OPTIONS"),
        ("/users/me/sessions/1", "DELETE, OPTIONS"), ("*", "GET, HEAD, POST, PATCH, DELETE, OPTIONS"),
    ])
    func `tells every caller what a path, and the whole service, answers to`(path: String, allow: String) async throws {
        let answer = HTTPTestAnswer(try await APIStage().api.respond(to: .sample(.options, path)))
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(answer.header("allow") == allow)
    }

    @Test func `the API is healthy and publishes its keys`() async throws {
        let app = try await APIStage(apiKeys: ["key"])
        let health = await app.send(.get, "/healthz")
        #expect(health.status == 200)
        #expect(health.json == ["status": "ok"])
        let keys = await app.send(.get, "/.well-known/jwks.json")
        #expect(keys.status == 200)
        #expect(keys.body == app.stage.issuer.keyDocument)
        #expect(keys.header("cache-control") == "public, max-age=300")
        #expect(keys.json["keys"]?.array?.count == 2)
        #expect(keys.json["keys"]?.array?.first?["d"] == nil)
    }

    @Test(arguments: ["/healthz", "/.well-known/jwks.json", "/users/me", "/nowhere"])
    func `answers within the job that asks, when there is nothing to wait for`(path: String) async throws {
        // The endpoint of `/users/me` is not asked without a key.
        let app = try await APIStage(apiKeys: ["key"])
        let loop = try EventLoop(label: "asker")
        loop.start()
        defer { loop.stop() }
        #expect(await Asker(loop: loop).othersRan(before: app.api, answers: .sample(.get, path)) == false)
    }

    @Test(arguments: ["/healthz", "/auth/signin", "/nowhere", "/users/me", "/.well-known/jwks.json"])
    func `tells browsers to guess, frame and pass on nothing`(path: String) async throws {
        let app = try await APIStage()
        for method in [HTTPMethod.get, .post] {
            let answer = await app.send(method, path)
            #expect(answer.header("x-content-type-options") == "nosniff")
            #expect(answer.header("content-security-policy") == "default-src 'none'; frame-ancestors 'none'")
            #expect(answer.header("referrer-policy") == "no-referrer")
            #expect(answer.header("content-type") == "application/json")
        }
    }

    @Test func `takes bodies of two types only`() async throws {
        let app = try await APIStage()
        for path in ["/auth/signin", "/auth/token"] {
            let answer = await app.send(.post, path, headers: [("Content-Type", "text/plain")], body: Array("{}".utf8))
            #expect(answer.status == 415)
            #expect(answer.error == "unsupported_media_type")
        }
    }

    @Test func `tells what broke HTTP before there was a request`() async throws {
        let app = try await APIStage()
        let peer = SocketAddress(address: IPAddress(v4: 0), port: 1)
        let response = app.api.refuse(.bodyTooLarge, requestID: "request-2", peer: peer)
        #expect(response.status.code == 413)
        let body = try JSONValue(parsing: response.body)
        #expect(body["error"] == "payload_too_large")
        #expect(body["request_id"] == "request-2")
        #expect(response.hasCommonFields)
        #expect(app.log.lines.map(\.values) == [["status": "413", "request_id": "request-2"]])
    }
}

@Suite struct `An API key` {
    private static let routes: [(HTTPMethod, String)] = [
        (.post, "/auth/signin"), (.post, "/auth/zenkey-signin"), (.post, "/auth/token"), (.delete, "/auth/token"),
        (.get, "/users/me"),
    ]

    @Test(arguments: routes, [[], [("X-API-KEY", "wrong")], [("X-API-KEY", "")], [("X-API-KEY", "first,second")]])
    func `an API key is needed at every route for apps`(route: (HTTPMethod, String), headers: [(String, String)])
        async throws
    {
        let app = try await APIStage(apiKeys: ["first", "second"])
        let answer = await app.send(route.0, route.1, headers: headers)
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_api_key")
        #expect(answer.header("www-authenticate") == nil)
    }

    @Test func `tells browsers on every answer to come back by https, if it is reached so`() async throws {
        var browser = try await BrowserStage()
        var answers = [
            await browser.visit("/auth/authorize", BrowserStage.request(["provider": nil, "mccmnc": nil])),
            await browser.visit("/auth/authorize", [("client_id", "nobody")]),
            await browser.visit("/auth/authorize", BrowserStage.request()),
        ]
        for path in ["/healthz", "/docs", "/openapi.json", "/nothing", "/.well-known/jwks.json", "/auth/continue.js"] {
            answers.append(await browser.api.send(.get, path))
        }
        answers.append(await browser.api.signIn())
        for answer in answers {
            #expect(answer.header("strict-transport-security") == "max-age=\(APIStage.hstsSeconds)", "\(answer.status)")
        }
    }

    @Test(arguments: ["first", "second"])
    func `an API key may be any of the configured ones`(key: String) async throws {
        let app = try await APIStage(apiKeys: ["first", "second"])
        let answer = await app.post("/auth/signin", json: APIStage.authorized(), headers: [("x-api-key", key)])
        #expect(answer.status == 200)
        #expect(await app.send(.delete, "/auth/token", headers: [("X-API-KEY", key)]).status == 200)
    }

    @Test func `counts until others take its place`() async throws {
        let keys = APIKeys([APIKey(Secret("first"))])
        let stage = try await SignInStage()
        let api = WebAPI(
            providers: stage.providers, useCases: stage.useCases, apps: stage.apps, branding: Branding(name: ""),
            associationFiles: AssociationFiles(apple: nil, android: nil), apiKeys: keys, limits: .each(0),
            documentation: Documentation(version: "0.0.0", baseURL: nil, wings: .none), wings: .none, hstsSeconds: nil,
            failedSignIns: FailedSignInCounter(),
            metrics: MetricRegistry(), logger: RecordedLog().logger(.critical))
        func status(_ key: String) async -> Int {
            await api.respond(to: .sample(.delete, "/auth/token", headers: [("X-API-KEY", key)])).status.code
        }
        #expect(await (status("first"), status("second")) == (200, 401))
        keys.replace(with: [APIKey(Secret("second"))])
        #expect(await (status("first"), status("second")) == (401, 200))
    }

    @Test func `an API key is not needed where none is configured`() async throws {
        #expect(await (try APIStage()).signIn().status == 200)
        #expect(await (try APIStage()).send(.delete, "/auth/token", headers: [("X-API-KEY", "any")]).status == 200)
    }
}

/// Asks as a connection does: an actor on a loop.
private actor Asker: LoopBound {
    let loop: EventLoop
    private var hasLeftRoom = false

    init(loop: EventLoop) { self.loop = loop }

    /// Whether a job that waited already when the request came ran before the answer.
    func othersRan(before api: WebAPI, answers request: HTTPRequest) async -> Bool {
        // As a connection asks: by a task that prefers the loop.
        await Task(executorPreference: loop) { await self.ask(api, request) }.value
    }

    private func ask(_ api: WebAPI, _ request: HTTPRequest) async -> Bool {
        Task { self.hasLeftRoom = true }
        _ = await api.respond(to: request)
        return hasLeftRoom
    }
}
