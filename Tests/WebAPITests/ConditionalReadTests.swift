import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@Suite struct `A conditional read` {
    @Test(arguments: [
        "/.well-known/jwks.json", "/auth/client-jwks.json", "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
    ])
    func `sends keys and metadata only to who has others`(path: String) async throws {
        let app = try await APIStage()
        let first = await app.send(.get, path)
        let tag = try #require(first.header("etag"))
        let again = await app.send(.get, path, headers: [("If-None-Match", tag)])
        #expect(again.status == 304 && again.body.isEmpty && again.header("etag") == tag)
        #expect(again.header("cache-control") == "public, max-age=300")
        let other = await app.send(.get, path, headers: [("If-None-Match", "W/\"other\"")])
        #expect(other.status == 200 && other.body == first.body)
    }

    @Test func `sends a user's profile when it has changed, and when they or their providers change it`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let first = await app.send(.get, "/users/me", headers: bearer(token))
        #expect(first.header("cache-control") == "private, no-cache")
        #expect(first.header("vary")?.contains("Authorization") == true)
        let tag = try #require(first.header("etag"))
        func again() async -> HTTPTestAnswer {
            await app.send(.get, "/users/me", headers: bearer(token) + [("If-None-Match", tag)])
        }
        let unchanged = await again()
        #expect(unchanged.status == 304 && unchanged.body.isEmpty)
        #expect(unchanged.header("cache-control") == "private, no-cache")
        #expect(await app.patch("/users/me", ["nickname": "J"], token).header("cache-control") == "no-store")
        let changed = await again()
        #expect(changed.status == 200 && changed.json["nickname"] == "J")
        #expect(await app.send(.get, "/users/me?attributes=true", headers: bearer(token)).header("etag") != tag)
    }

    /// What is told of a tag is told to who may read: else anybody could ask whether a guess is right.
    @Test func `tells nobody anything who may not read`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let tag = try #require(await app.send(.get, "/users/me", headers: bearer(token)).header("etag"))
        #expect(await app.send(.get, "/users/me", headers: [("If-None-Match", tag)]).status == 401)
        let wrong = await app.send(.get, "/users/me", headers: bearer(token + "x") + [("If-None-Match", "*")])
        #expect(wrong.status == 401 && wrong.header("etag") == nil)
        #expect(await app.send(.delete, "/auth/token", headers: bearer(token)).status == 200)
        #expect(
            await app.send(.get, "/users/me", headers: bearer(token) + [("If-None-Match", tag)]).status == 401)
    }
}
