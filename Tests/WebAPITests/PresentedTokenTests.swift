import HTTPServer
import HTTPTesting
import JSON
import Testing

@testable import WebAPI

@Suite struct `An Authorization field` {
    /// What holds no bearer token, and yet is there.
    private static let unreadable = ["Basic amFuZTpzZWNyZXQ=", "Digest x", "Bearer", "Bearer ", "", "x"]

    @Test(arguments: unreadable)
    func `that can't be read signs nobody out, and says so`(field: String) async throws {
        let app = try await APIStage()
        let (token, _) = try await app.signedIn()
        let answer = await app.send(.delete, "/auth/token", headers: [("Authorization", field)])
        #expect((answer.status, answer.error) == (401, "invalid_token"))
        #expect(answer.header("www-authenticate") == "Bearer error=\"invalid_token\"")
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 200)
    }

    @Test func `that is absent is a sign-out of nobody, with an API key or where none is asked for`() async throws {
        let open = try await APIStage()
        #expect(await open.send(.delete, "/auth/token").text == "{}")
        let locked = try await APIStage(apiKeys: ["key"])
        #expect(await locked.send(.delete, "/auth/token", headers: [("X-API-KEY", "key")]).text == "{}")
    }

    @Test func `with the token of a session that is over is refused where a session may be shown`() async throws {
        let app = try await APIStage.withPushes()
        let (token, _) = try await app.signedIn()
        #expect(await app.send(.delete, "/auth/token", headers: bearer(token)).status == 200)
        #expect(await app.send(.delete, "/auth/token", headers: bearer(token)).error == "invalid_token")
        #expect(await app.beginPush(headers: bearer(token)).error == "invalid_token")
    }

    @Test(arguments: unreadable)
    func `that can't be read begins no push`(field: String) async throws {
        let app = try await APIStage.withPushes()
        let answer = await app.beginPush(headers: [("Authorization", field)])
        #expect((answer.status, answer.error) == (401, "invalid_token"))
        #expect(await app.beginPush().status == 200)
    }
}
