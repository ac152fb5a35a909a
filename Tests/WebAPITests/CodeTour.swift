import Accounts
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import TestSupport

/// Asks every operation that takes an authorization code for every answer it has.
struct CodeTour {
    let path: String
    let app: APIStage
    let token: String

    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        var seen: Set<String> = []
        for path in ["/auth/signin", "/auth/zenkey-signin", "/users/me/identities", "/auth/transaction"] {
            let tour = try await CodeTour(path: path, app: try await APIStage())
            try await tour.parameters()
            try await tour.outcomes()
            await tour.provider()
            try await tour.storage()
            seen.formUnion(tour.app.seenAnswers)
            seen.formUnion(try await challenges(path))
            let hurried = try await APIStage(perMinute: 1)
            let token = try await hurried.signedIn().token
            _ = await hurried.post(path, json: [:], headers: bearer(token))
            seen.formUnion(hurried.seenAnswers)
            seen.formUnion(try await migrationConflict(path))
        }
        return seen
    }

    private init(path: String, app: APIStage, token: String? = nil) async throws {
        self.path = path
        self.app = app
        if let token { self.token = token } else { self.token = try await app.signedIn().token }
    }

    /// Posts a code with what a transaction needs, too.
    @discardableResult
    private func post(_ code: String, _ changes: [(String, JSONValue?)] = []) async -> HTTPTestAnswer {
        let all: [(String, JSONValue?)] = [("code", .string(code)), ("context", "Pay 20 dollars")] + changes
        return await app.post(path, json: APIStage.authorized(all), headers: bearer(token))
    }

    private func parameters() async throws {
        await post("x", [("code_verifier", nil)])
        await post("x", [("iss", "https://evil.example")])
        await post("x", [("client_id", "other")])
        await post("x", [("provider", "other")])
        await post("x", [("redirect_uri", "https://evil.example")])
        _ = await app.send(.post, path, headers: bearer(token) + [("Content-Type", "text/plain")])
    }

    private func outcomes() async throws {
        await post("good")
        await post("good", [("correlation_id", "thief")])
        if path == "/users/me/identities" { try await link() }
        try app.stage.answerToken { $0.claims[setting: "nonce"] = "another" }
        await post("nonce")
        try app.stage.answerToken()
        app.stage.answerUserinfo(["sub": "another"])
        await post("userinfo")
        app.stage.answerUserinfo(SignInStage.userinfo)
    }

    /// An identity that is new, and one that is somebody else's.
    private func link() async throws {
        for (subject, signsIn) in [("second", false), ("other", true)] {
            try app.stage.answerToken { $0.claims[setting: "sub"] = .string(subject) }
            app.stage.answerUserinfo(["sub": .string(subject)])
            if signsIn { _ = await app.signIn([("code", "other")]) }
            await post("link-" + subject)
        }
        app.stage.answerUserinfo(SignInStage.userinfo)
    }

    private func provider() async {
        let endpoint = app.stage.carrier.tokenEndpoint
        app.stage.transport.answer(endpoint, .json(["error": "access_denied"], status: 400))
        await post("denied")
        app.stage.transport.answer(endpoint, .json(["error": "interaction_required"], status: 400))
        await post("act")
        app.stage.transport.answer(endpoint, .json(["error": "authentication_timed_out"], status: 400))
        await post("too late")
        app.stage.transport.answer(endpoint, .page)
        await post("page")
        app.stage.transport.fail(endpoint, .couldNotConnect)
        await post("away")
        app.stage.transport.fail(endpoint, .timedOut(requestSent: true))
        await post("late")
        app.stage.transport.answer(ProviderConfiguration.discoveryURL, json: ["error": "provider_not_found"])
        await post("nobody", [("mccmnc", "999999")])
    }

    private func storage() async throws {
        try app.stage.answerToken()
        await app.stage.repository.close()
        await post("closed")
    }

    private static func challenges(_ path: String) async throws -> Set<String> {
        let app = try await APIStage { $0.requiresChallenge = true }
        // The session that two of the operations need takes a challenge, too.
        let nonce = await app.post("/auth/challenge", json: [:]).json["nonce"]
        try app.stage.answerToken { $0.claims[setting: "nonce"] = nonce }
        let token = await app.signIn([("nonce", nonce)]).json["token"]?.string
        let tour = try await CodeTour(path: path, app: app, token: token)
        await tour.post("none", [("nonce", nil)])
        await tour.post("own", [("nonce", "the-app's-own")])
        return app.seenAnswers
    }

    /// Two users of the former carrier, and a user of the new one who says to have been both.
    private static func migrationConflict(_ path: String) async throws -> Set<String> {
        let app = try await APIStage()
        let (stage, former) = (app.stage, app.stage.former)
        stage.transport.answer(ProviderConfiguration.discoveryURL, json: former.metadata)
        for subject in ["one", "two"] {
            let idToken = try former.idToken { $0.claims[setting: "sub"] = .string(subject) }
            stage.transport.answer(former.tokenEndpoint, json: SignInStage.tokens(idToken: idToken))
            stage.transport.answer(former.userinfoEndpoint, json: ["sub": .string(subject)])
            _ = await app.signIn([("code", .string(subject)), ("mccmnc", "311480")])
        }
        stage.transport.answer(ProviderConfiguration.discoveryURL, json: stage.carrier.metadata)
        let portTokens = try ["one", "two"].map { subject in
            JSONValue.string(try former.portToken { $0.claims[setting: "sub"] = .string(subject) })
        }
        try stage.answerToken { $0.claims[setting: "aka"] = .array(portTokens) }
        _ = await app.post(path, json: APIStage.authorized())
        return app.seenAnswers
    }
}
