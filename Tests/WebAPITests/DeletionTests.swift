import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `A request to be forgotten` {
    @Test func `ends the sessions, keeps the user, and is confirmed by a code with a page`() async throws {
        let app = try await APIStage(telling: .facebook)
        let token = try await app.signedIn().token
        let request = SigningProvider.signedRequest()
        let answer = await app.post(request: request, to: APIStage.deletion)
        #expect(answer.status == 200)
        #expect(await !app.isLive(token))
        #expect(try await app.stage.repository.userCount() == 1)
        let code = try #require(answer.json["confirmation_code"]?.string)
        #expect(answer.json["url"]?.string == "https://gatehouse.example\(APIStage.deletion)?code=\(code)")
        let page = await app.send(.get, APIStage.deletion, query: "code=\(code)")
        #expect(page.status == 200 && page.header("cache-control") == "no-store")
        #expect(page.text.contains("2026-09-21"))
        for secret in [code, "310260-subject", "Jane", "jane@example.com"] { #expect(!page.text.contains(secret)) }
        // The same request has the same code, even with other requests between.
        #expect(await app.post(request: request, to: APIStage.deletion).json == answer.json)
        let events = try await app.stage.repository.auditEvents(after: 0, limit: .max)
        #expect(events.map(\.kind) == [.userCreated, .providerDeletionRequested])
        guard case .provider? = events.last?.origin?.actor else {
            Issue.record("\(String(describing: events.last?.origin)) is not the provider's word")
            return
        }
    }

    @Test func `of somebody nobody knows is confirmed likewise`() async throws {
        let app = try await APIStage(telling: .facebook)
        let answer = await app.post(request: SigningProvider.signedRequest(), to: APIStage.deletion)
        let code = try #require(answer.json["confirmation_code"]?.string)
        #expect(code.utf8.count == 64 && code.allSatisfy { $0.isHexDigit })
        #expect(await app.send(.get, APIStage.deletion, query: "code=\(code)").status == 200)
        #expect(try await app.stage.repository.auditEvents(after: 0, limit: .max).isEmpty)
    }

    @Test func `has a code that nobody can make up, nor change`() async throws {
        let app = try await APIStage(telling: .facebook)
        let answer = await app.post(request: SigningProvider.signedRequest(), to: APIStage.deletion)
        let code = try #require(answer.json["confirmation_code"]?.string)
        for index in code.indices {
            var other = code
            other.replaceSubrange(index...index, with: code[index] == "7" ? "8" : "7")
            #expect(await app.send(.get, APIStage.deletion, query: "code=\(other)").status == 404, "\(other)")
        }
        for query in [
            "", "code=", "code=x", "code=\(code)x", "code=\(code.uppercased())", "code=%3Cscript%3E",
            "code=\(code)&code=\(code)",
        ] {
            let page = await app.send(.get, APIStage.deletion, query: query)
            #expect(page.status == 404 || page.status == 400, "\(query)")
            #expect(!page.text.contains("<script>"))
        }
        #expect(!app.log.text.contains(code))
    }

    @Test func `leaves callers who try codes waiting`() async throws {
        let app = try await APIStage(telling: .facebook, perMinute: 2)
        for _ in 0..<2 { #expect(await app.send(.get, APIStage.deletion, query: "code=x").status == 404) }
        #expect(await app.send(.get, APIStage.deletion, query: "code=x").status == 429)
    }

    @Test func `under another secret is refused, and says nothing`() async throws {
        let app = try await APIStage(telling: .facebook)
        let token = try await app.signedIn().token
        let forged = await app.post(request: SigningProvider.signedRequest(secret: "other"), to: APIStage.deletion)
        #expect(forged.status == 400 && forged.json["err"]?.string == "authentication_failed")
        #expect(forged.json["confirmation_code"] == nil)
        #expect(await app.isLive(token))
    }
}
