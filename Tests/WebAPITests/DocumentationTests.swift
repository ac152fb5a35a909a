import Crypto
import HTTPServer
import JSON
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
        #expect(answer.body == DocumentedAnswers.document)
    }

    @Test(arguments: ["/openapi.json", "/docs"])
    func `the documentation is sent again only when it has changed`(path: String) async throws {
        let app = try await APIStage()
        let tag = try #require(await app.send(.get, path).header("etag"))
        #expect(tag.hasPrefix("W/\"") && tag.hasSuffix("\""))
        for known in [tag, String(tag.dropFirst(2)), "\"other\", \(tag)", "*"] {
            let answer = await app.send(.get, path, headers: [("If-None-Match", known)])
            #expect(answer.status == 304)
            #expect(answer.response.body.isEmpty)
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
        let policies = answer.response.headers.filter { $0.name == "Content-Security-Policy" }
        #expect(policies.count == 1)
        let style = try #require(answer.text.firstMatch(of: /<style>(.*)<\/style>/)?.1)
        let hash = Base64.encode(Digest.sha256.hash(Array(style.utf8)))
        let policy = try #require(policies.first?.value)
        #expect(policy.contains("default-src 'none'; style-src 'sha256-\(hash)';"))
        #expect(!answer.text.contains("<script") && !answer.text.contains(" style="))
        #expect(!answer.text.contains(#/(src|href)="[a-z]+:/#))
    }

    @Test func `shows every operation and every code, with links that lead somewhere`() async throws {
        let page = await (try APIStage()).send(.get, "/docs").text
        for operation in Operations.all {
            #expect(page.contains("id=\"\(operation.description.id)\""))
            #expect(page.contains(operation.path))
        }
        for code in ErrorCode.allCases { #expect(page.contains("id=\"error-\(code.rawValue)\"")) }
        let anchors = page.matches(of: /href="#([^"]*)"/).map { String($0.1) }
        #expect(anchors.count > 100)
        for anchor in Set(anchors) { #expect(page.contains("id=\"\(anchor)\""), "\(anchor)") }
        let ids = page.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
    }
}
