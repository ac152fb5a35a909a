import HTTPServer
import HTTPTesting
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `A challenge` {
    private static func nonce(_ app: APIStage) async throws -> String {
        try #require(await app.post("/auth/challenge", json: [:]).json["nonce"]?.string)
    }

    /// Signs in with a nonce, which the carrier puts into the ID token.
    private static func signIn(_ app: APIStage, _ nonce: String?, code: String = "the-code") async throws
        -> HTTPTestAnswer
    {
        try app.stage.answerToken { $0.claims[setting: "nonce"] = nonce.map { .string($0) } }
        return await app.signIn([("nonce", nonce.map { .string($0) }), ("code", .string(code))])
    }

    @Test func `a challenge is a nonce that works once`() async throws {
        let app = try await APIStage { $0.requiresChallenge = true }
        let answer = await app.send(.post, "/auth/challenge")
        #expect(answer.status == 200)
        #expect(answer.json["expires"] == 300)
        #expect(answer.header("cache-control") == "no-store")
        let nonce = try #require(answer.json["nonce"]?.string)
        #expect(try await Self.nonce(app) != nonce)
        #expect(try await Self.signIn(app, nonce).status == 200)
        let again = try await Self.signIn(app, nonce, code: "another")
        #expect(again.status == 401)
        #expect(again.error == "invalid_challenge")
    }

    @Test func `a challenge is demanded where the provider's section says so`() async throws {
        let app = try await APIStage { $0.requiresChallenge = true }
        #expect(try await Self.signIn(app, nil).error == "challenge_required")
        #expect(try await Self.signIn(app, "the-app's-own").error == "invalid_challenge")
        #expect(try await Self.signIn(app, "gh.dGhlLWFwcHMtb3du").error == "invalid_challenge")
        // The code was not spent on any of them.
        #expect(app.stage.tokenRequests.isEmpty)
        #expect(try await Self.signIn(app, try await Self.nonce(app)).status == 200)
    }

    @Test func `ends after five minutes`() async throws {
        for isRequired in [true, false] {
            let app = try await APIStage { $0.requiresChallenge = isRequired }
            let nonce = try await Self.nonce(app)
            app.stage.pass(seconds: 300)
            #expect(try await Self.signIn(app, nonce).error == "invalid_challenge")
        }
    }

    @Test func `counts once even where none is demanded`() async throws {
        let app = try await APIStage()
        let nonce = try await Self.nonce(app)
        #expect(try await Self.signIn(app, nonce).status == 200)
        #expect(try await Self.signIn(app, nonce, code: "another").error == "invalid_challenge")
        #expect(try await Self.signIn(app, "the-app's-own", code: "third").status == 200)
        #expect(try await Self.signIn(app, "the-app's-own", code: "fourth").status == 200)
    }

    @Test func `a challenge that was tampered with is none`() async throws {
        let app = try await APIStage { $0.requiresChallenge = true }
        let nonce = try await Self.nonce(app)
        let changed = String(nonce.dropLast()) + (nonce.hasSuffix("A") ? "E" : "A")
        #expect(try await Self.signIn(app, changed).error == "invalid_challenge")
    }
}
