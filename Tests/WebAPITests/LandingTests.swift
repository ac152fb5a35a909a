import Apps
import HTTPServer
import HTTPTesting
import Syntax
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `The page at an app's address on our own host` {
    /// Where the stage has its issuer.
    private static let host = "https://gatehouse.example"

    private static func app(_ name: String, _ redirectURIs: [String]) -> RegisteredApp {
        RegisteredApp(
            name: name, clientID: "\(name)-id", secret: nil, redirectURIs: redirectURIs.map { RedirectURI($0) },
            providers: [], origins: ["https://web.example"], postLogoutRedirectURIs: [], otherBrowser: .refuse,
            consent: .implicit,
            idTokenAlgorithm: .es256)
    }

    private static func stage(apiKeys: [String] = []) async throws -> APIStage {
        let apps = [
            app("Acme", ["\(host)/acme/cb"]), app("Desk", ["\(host)/desk", "org.acme.desk:/cb"]),
            app("Greedy", ["\(host)/auth/token", "\(host)/docs"]),
        ]
        return try await APIStage(apiKeys: apiKeys, apps: AppRegistry(apps, resourceServers: []))
    }

    /// Asks without a look at the document, which has none of the configuration's paths.
    private static func ask(
        _ app: APIStage, _ method: HTTPMethod = .get, _ path: String = "/acme/cb", query: String? = nil,
        headers: [(String, String)] = []
    ) async -> HTTPTestAnswer {
        HTTPTestAnswer(await app.api.respond(to: .sample(method, path, query: query, headers: headers)))
    }

    private static func href(_ answer: HTTPTestAnswer) throws -> String {
        let links = answer.text.matches(of: /href="([^"]*)"/).map { String($0.1) }
        #expect(links.count == 1)
        return try #require(links.first)
    }

    @Test func `links to the very address that was asked for, with what came`() async throws {
        let app = try await Self.stage(apiKeys: ["my-api-key"])
        let answer = await Self.ask(app, query: "code=c0de&state=st%26te&iss=https%3A%2F%2Fgatehouse.example")
        #expect(answer.status == 200)
        let link = "\(Self.host)/acme/cb?code=c0de&amp;state=st%26te&amp;iss=https%3A%2F%2Fgatehouse.example"
        #expect(try Self.href(answer) == link)
        #expect(answer.text.contains(">Open Acme</a>"))
        #expect(answer.text.contains("Acme Telecom"))
        let scheme = await Self.ask(app, .get, "/desk", query: "code=c0de")
        #expect(try Self.href(scheme) == "org.acme.desk:/cb?code=c0de")
        #expect(try Self.href(await Self.ask(app)) == "\(Self.host)/acme/cb")
    }

    @Test func `may do nothing, is kept by nobody and shown in no frame`() async throws {
        let answer = await Self.ask(try await Self.stage(), query: "code=c0de")
        #expect(answer.header("content-type") == "text/html; charset=utf-8")
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.header("referrer-policy") == "no-referrer")
        #expect(answer.header("x-content-type-options") == "nosniff")
        let policy = try #require(answer.header("content-security-policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.hasSuffix("; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"))
        #expect(!answer.text.contains("<script") && !answer.text.contains("<form") && !answer.text.contains("src="))
        #expect(answer.header("set-cookie") == nil && answer.header("location") == nil)
    }

    @Test func `is in the browser's language`() async throws {
        let app = try await Self.stage()
        let answer = await Self.ask(app, query: "ui_locales=es", headers: [("Accept-Language", "da")])
        #expect(answer.header("content-language") == "da")
        #expect(answer.text.contains(">Åbn Acme</a>"))
    }

    @Test(arguments: [
        "error=access_denied&error_description=The+user+said+no", "code=c0de",
        "code=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "x\"><script>alert(1)</script>", "' onclick='alert(1)", "//evil.example", "@evil.example",
        "javascript:alert(1)",
        "a\r\nSet-Cookie: x=1", "%0D%0ASet-Cookie:%20x=1", "%FF%FE%00", "%", "&amp;&lt;", "</a><a href=//evil.example>",
    ])
    func `has of what came nothing but in the link, which leads where it is configured to`(query: String) async throws {
        let app = try await Self.stage()
        let (answer, empty) = (await Self.ask(app, query: query), await Self.ask(app))
        let link = try Self.href(answer)
        #expect(link.hasPrefix("\(Self.host)/acme/cb?"))
        #expect(
            link.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"'\\#".utf8.contains($0) } || link.contains("&#39;"))
        #expect(answer.text.replacing(link, with: "\(Self.host)/acme/cb") == empty.text)
        #expect(answer.headers.map(\.name) == empty.headers.map(\.name))
        #expect(answer.headers.map(\.value) == empty.headers.map(\.value))
        #expect(answer.status == 200)
    }

    @Test func `takes as long a query as a request may have`() async throws {
        let query = "code=" + String(repeating: "a%3C", count: 4096)
        #expect(try Self.href(await Self.ask(try await Self.stage(), query: query)) == "\(Self.host)/acme/cb?\(query)")
    }

    @Test func `is logged by its path, without what came`() async throws {
        let app = try await Self.stage()
        _ = await Self.ask(app, query: "code=c0de&state=st4te&error=x")
        #expect(app.log.lines.map(\.message) == ["request"])
        var values = try #require(app.log.lines.first).values
        values["ms"] = nil
        #expect(values == ["method": "GET", "route": "/acme/cb", "status": "200", "request_id": "request-1"])
        #expect(!app.log.text.contains("c0de") && !app.log.text.contains("st4te"))
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
    func `answers GET and HEAD alone`(method: HTTPMethod) async throws {
        let app = try await Self.stage()
        let answer = await Self.ask(app, method, query: "code=c0de")
        #expect(answer.status == 405)
        #expect(answer.header("allow") == "GET, HEAD, OPTIONS")
        #expect(await Self.ask(app, .head, query: "code=c0de").status == 200)
    }

    @Test func `is for no script of another origin`() async throws {
        let app = try await Self.stage()
        let headers = [("Origin", "https://web.example"), ("Access-Control-Request-Method", "GET")]
        #expect(await Self.ask(app, headers: headers).header("access-control-allow-origin") == nil)
        #expect(await Self.ask(app, .options, headers: headers).header("access-control-allow-origin") == nil)
    }

    @Test func `is at no other path, and at none of ours`() async throws {
        let app = try await Self.stage()
        for path in ["/acme", "/acme/cb/", "/ACME/cb", "/acme/cb/x", "//acme/cb", "/acme%2Fcb"] {
            #expect(await Self.ask(app, .get, path).status == 404)
        }
        #expect(await Self.ask(app, .get, "/auth/token").status == 405)
        #expect(await Self.ask(app, .get, "/docs").text.contains("Open Greedy") == false)
    }

    @Test func `can take no operation's path, since all of those are reserved`() throws {
        for issuer in [Self.host, Self.host + "/base"] {
            let host = try #require(OwnHost(issuer: issuer))
            // The root may be an app's, whose page is there then.
            let paths = Operations.all(with: .ofTests).map(\.path) + IssuerMetadata.paths(of: BaseURL(issuer))
            for path in paths where path != "/" {
                let filled = path.replacing(/\{[a-z_]+\}/, with: "x")
                #expect(host.isReserved(RedirectURI(Self.host + filled)), "\(path)")
            }
        }
    }
}
