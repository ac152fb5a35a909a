import Crypto
import HTTPServer
import HTTPTesting
import JSON
import OpenAPI
import Syntax
import Testing

@testable import WebAPI

@Suite struct `The documentation` {
    @Test func `the documentation is served to tools, whatever API keys there are`() async throws {
        let app = try await APIStage(apiKeys: ["first"])
        let answer = await app.send(.get, "/openapi.json")
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "application/json")
        #expect(answer.header("cache-control") == "public, max-age=300")
        #expect(answer.json == DocumentedAnswers.document)
    }

    @Test(arguments: ["/openapi.json", "/docs", "/"])
    func `the documentation is sent again only when it has changed`(path: String) async throws {
        let app = try await APIStage()
        let tag = try #require(await app.send(.get, path).header("etag"))
        #expect(tag.hasPrefix("W/\"") && tag.hasSuffix("\""))
        for known in [tag, String(tag.dropFirst(2)), "\"other\", \(tag)", "*"] {
            let answer = await app.send(.get, path, headers: [("If-None-Match", known)])
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
            #expect(answer.header("etag") == tag)
        }
        #expect(await app.send(.get, path, headers: [("If-None-Match", "W/\"other\", \"x\"")]).status == 200)
    }

    @Test func `the documentation is a page under a policy that lets in its own style and nothing else`() async throws {
        let app = try await APIStage()
        let answer = await app.send(.get, "/docs")
        #expect(answer.header("content-type") == "text/html; charset=utf-8")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("referrer-policy") == "no-referrer")
        let policies = answer.headers.filter { $0.name == "Content-Security-Policy" }
        #expect(policies.count == 1)
        let style = try #require(answer.text.firstMatch(of: /<style>(.*)<\/style>/)?.1)
        let hash = Base64.encode(Digest.sha256.hash(Array(style.utf8)))
        let policy = try #require(policies.first?.value)
        #expect(policy.contains("default-src 'none'; style-src 'sha256-\(hash)';"))
        let entrance = await app.send(.get, "/")
        #expect(
            entrance.header("content-security-policy") == policy && entrance.text.contains("<style>\(style)</style>"))
        #expect(!answer.text.contains("<script") && !answer.text.contains(" style="))
        #expect(!answer.text.contains(#/(src|href)="[a-z]+:/#))
    }

    @Test func `shows every operation and every code, with links that lead somewhere`() async throws {
        let page = await (try APIStage()).send(.get, "/docs").text
        for operation in Operations.all(with: .ofTests) {
            #expect(page.contains("id=\"\(operation.description.id)\""))
            #expect(page.contains(operation.path))
        }
        for code in ErrorCode.ofTests where !ErrorCode.ofOperators.contains(code) {
            let isInWords = ErrorCode.ofClients.contains(code)
            let place = isInWords ? "<code>\(code.rawValue)</code>" : "id=\"error-\(code.rawValue)\""
            #expect(page.contains(place), "\(code)")
        }
        let anchors = page.matches(of: /href="#([^"]*)"/).map { String($0.1) }
        #expect(anchors.count > 100)
        for anchor in Set(anchors) { #expect(page.contains("id=\"\(anchor)\""), "\(anchor)") }
        let ids = page.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
    }

    @Test(arguments: ["evil.example", "\"><script>alert(1)</script>", "$(id)", "127.0.0.1:8080"])
    func `shows no reader what another one's Host is`(host: String) async throws {
        let app = try await APIStage()
        for path in ["/docs", "/", "/openapi.json"] {
            let first = await app.send(.get, path, headers: [("Host", host)])
            #expect(first.status == 200)
            #expect(
                first.body == (await app.send(.get, path, headers: [("Host", "other.example")])).body)
        }
        #expect(await app.send(.get, "/docs").text.contains(host) == (host == "127.0.0.1:8080"))
    }

    @Test func `has a line to copy for each operation, at the address that is configured`() {
        let document = APIDocument.make(version: "1", baseURL: "https://signin.example.com", wings: .ofTests)
        let page = DocumentationPage(document, wording: APIDocument.wording).html
        let lines = page.split(separator: "<pre><code>").filter { $0.hasPrefix("curl ") }
        #expect(lines.count == Operations.all(with: .ofTests).count)
        #expect(lines.allSatisfy { $0.contains("https://signin.example.com/") })
        #expect(
            page.contains("curl https://signin.example.com/users/me \\\n  -H &quot;Authorization: Bearer $TOKEN&quot;"))
        #expect(page.contains("-X PATCH https://signin.example.com/users/me"))
    }

    @Test func `names what there is at the root, for people`() async throws {
        let page = await (try APIStage()).send(.get, "/").text
        for path in ["/docs", "/openapi.json", "/healthz"] { #expect(page.contains("href=\"\(path)\"")) }
    }
}
