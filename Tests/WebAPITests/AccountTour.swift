import Accounts
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import TestSupport

@testable import WebAPI

/// Asks every operation without an authorization code for every answer it has.
enum AccountTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        let (open, locked) = (try await APIStage(), try await APIStage(apiKeys: ["first"]))
        let (token, refreshToken) = try await open.signedIn()
        for operation in Operations.all(with: .ofTests) where operation.access != .everybody {
            await ask(operation, locked, token: nil)
            if operation.access != .app { await ask(operation, open, token: "garbage") }
            if operation.description.body != nil {
                await ask(operation, open, token: token, type: "text/plain")
                await ask(operation, open, token: token)
            }
        }
        _ = await open.post("/auth/challenge", json: [:])
        _ = await open.post("/auth/token", json: ["grant_type": "refresh_token", "refresh_token": "none"])
        _ = await open.post(
            "/auth/token", json: ["grant_type": "refresh_token", "refresh_token": .string(refreshToken)])
        _ = await open.post("/auth/revoke", json: ["token": "none"])
        try await account(open, token)
        try await sensitive(open)
        let narrow = try await APIStage(permissions: [])
        let narrowToken = try await narrow.signedIn().token
        for operation in Operations.all(with: .ofTests) where operation.permission != nil {
            await ask(operation, narrow, token: narrowToken)
        }
        _ = await narrow.post(
            "/auth/token",
            json: ["grant_type": "refresh_token", "refresh_token": "x", "scope": "a\\b"])
        return try await open.seenAnswers.union(locked.seenAnswers).union(narrow.seenAnswers).union(ended()).union(
            registration()
        ).union(closed()).union(barred()).union(merges())
    }

    @discardableResult
    private static func ask(
        _ operation: Operation<APIServices>, _ app: APIStage, token: String?, type: String = "application/json"
    ) async -> HTTPTestAnswer {
        let path = operation.path.replacing("{identity_id}", with: "7")
            .replacing("{session_id}", with: String(repeating: "0", count: 32))
        return await app.send(
            operation.method, path, headers: (token.map(bearer) ?? []) + [("Content-Type", type)],
            body: Array("{}".utf8))
    }

    private static func account(_ app: APIStage, _ token: String) async throws {
        _ = await app.send(.get, "/users/me", headers: bearer(token))
        _ = await app.send(.get, "/users/me", query: "attributes=perhaps", headers: bearer(token))
        _ = await app.patch("/users/me", ["name": "Janet"], token)
        for _ in 0..<6 { _ = await app.post("/users/me/match", json: ["name": "Jane"], headers: bearer(token)) }
        let identities = await app.send(.get, "/users/me/identities", headers: bearer(token)).json.array
        let first = identities?.first?["identity_id"]?.integer ?? 0
        _ = await app.send(.delete, "/users/me/sessions/nonsense", headers: bearer(token))
        _ = await app.send(.delete, "/users/me/identities/999", headers: bearer(token))
        _ = await app.send(.delete, "/users/me/identities/\(first)", headers: bearer(token))
        try app.stage.answerToken { $0.claims[setting: "sub"] = "second" }
        app.stage.answerUserinfo(["sub": "second"])
        let linked = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "second")]), headers: bearer(token))
        let second = linked.json["identity_id"]?.integer ?? 0
        try app.stage.answerToken { $0.claims[setting: "sub"] = "merged" }
        app.stage.answerUserinfo(["sub": "merged"])
        let merged = await app.signIn([("code", "merged")]).json["token"] ?? .null
        _ = await app.post("/users/me/merge", json: ["token": merged], headers: bearer(token))
        // The session is the first identity's, so that it outlives the second.
        _ = await app.send(.delete, "/users/me/identities/\(second)", headers: bearer(token))
    }

    /// A session that is too old for what could take the account over, and one of an identity that is too new.
    private static func sensitive(_ app: APIStage) async throws {
        try app.stage.answerToken { $0.claims[setting: "sub"] = "careful" }
        app.stage.answerUserinfo(["sub": "careful"])
        let first = await app.signIn([("code", "careful")]).json["token"]?.string ?? ""
        let identities = await app.send(.get, "/users/me/identities", headers: bearer(first)).json.array
        let identity = identities?.first?["identity_id"]?.integer ?? 0
        try app.stage.answerToken {
            $0.claims[setting: "sub"] = "added"
            $0.claims[setting: "context"] = "Pay"
        }
        app.stage.answerUserinfo(["sub": "added"])
        _ = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "added")]), headers: bearer(first))
        let second = await app.signIn([("code", "added-2")]).json["token"]?.string ?? ""
        _ = await app.post(
            "/auth/transaction", json: APIStage.authorized([("code", "added-3"), ("context", "Pay")]),
            headers: bearer(second))
        let third = await app.signIn([("code", "added-5")]).json["token"]?.string ?? ""
        let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(third)).json.array ?? []
        let other = sessions.first { $0["current"] == true }?["session_id"]?.string ?? ""
        let browser: JSONValue = ["provider": "zenkey", "redirect_uri": "https://acme.example/cb"]
        try app.stage.answerToken { $0.claims[setting: "sub"] = "absorbed" }
        app.stage.answerUserinfo(["sub": "absorbed"])
        let absorbed = await app.signIn([("code", "absorbed")]).json["token"] ?? .null
        for token in [second, first] {
            _ = await app.post("/users/me/identities/authorize", json: browser, headers: bearer(token))
            if token == first { app.stage.pass(seconds: 301) }
            _ = await app.post("/users/me/merge", json: ["token": absorbed], headers: bearer(token))
            _ = await app.post(
                "/users/me/identities", json: APIStage.authorized([("code", "added-4")]), headers: bearer(token))
            _ = await app.send(.delete, "/users/me/identities/\(identity)", headers: bearer(token))
            _ = await app.send(.delete, "/users/me", headers: bearer(token))
            _ = await app.patch("/users/me", ["email": "else@example.com"], token)
            for path in ["/users/me/sessions", "/users/me/sessions/\(other)"] {
                _ = await app.send(.delete, path, headers: bearer(token))
            }
        }
    }

    /// Each way in which a session can end, with a session of its own.
    private static func ended() async throws -> Set<String> {
        let app = try await APIStage()
        for (index, path) in ["/auth/token", "/users/me/sessions/", "/users/me/sessions", "/users/me"].enumerated() {
            // Each is another's: who has just ended all sessions does not sign in by what they got before.
            try app.stage.answerToken { $0.claims[setting: "sub"] = .string("end-\(index)") }
            app.stage.answerUserinfo(["sub": .string("end-\(index)")])
            let token = await app.signIn([("code", .string("end-\(index)"))]).json["token"]?.string ?? ""
            let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(token)).json.array
            let session = sessions?.first { $0["current"] == true }?["session_id"]?.string ?? ""
            _ = await app.send(.delete, path.hasSuffix("/") ? path + session : path, headers: bearer(token))
        }
        return app.seenAnswers
    }

    /// What is behind a line in time, and who is locked.
    private static func barred() async throws -> Set<String> {
        let app = try await APIStage()
        let repository = app.stage.repository
        let token = try await app.signedIn().token
        _ = await app.send(.delete, "/users/me/sessions", headers: bearer(token))
        for path in ["/auth/signin", "/auth/zenkey-signin"] {
            _ = await app.post(path, json: APIStage.authorized([("code", .string("before \(path)"))]))
        }
        let subject = Subject(issuer: app.stage.carrier.issuer, value: "310260-subject")
        guard let user = try await repository.user(with: subject) else { return [] }
        let lock = Lock(cause: .operator, reason: nil, since: app.stage.now, until: nil)
        _ = try await repository.lock(user, lock, line: .none, now: app.stage.now)
        for path in ["/auth/signin", "/auth/zenkey-signin"] {
            _ = await app.post(path, json: APIStage.authorized([("code", .string("locked \(path)"))]))
        }
        // The subject stays locked, and nobody links it either.
        _ = try await repository.erase(user, line: .none, now: app.stage.now)
        try app.stage.answerToken { $0.claims[setting: "sub"] = "another" }
        app.stage.answerUserinfo(["sub": "another"])
        let other = await app.signIn([("code", "another")]).json["token"]?.string ?? ""
        try app.stage.answerToken()
        app.stage.answerUserinfo(SignInStage.userinfo)
        _ = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "link")]), headers: bearer(other))
        return app.seenAnswers
    }

    /// Two accounts that can't become one.
    private static func merges() async throws -> Set<String> {
        let (app, hurried) = (try await APIStage(), try await APIStage(perMinute: 1))
        let token = try await hurried.signedIn().token
        _ = await hurried.post("/users/me/merge", json: ["token": "none"], headers: bearer(token))
        let (repository, now) = (app.stage.repository, app.stage.now)
        var tokens: [String] = []
        for name in ["kept", "absorbed"] {
            try app.stage.answerToken { $0.claims[setting: "sub"] = .string(name) }
            app.stage.answerUserinfo(["sub": .string(name)])
            tokens.append(await app.signIn([("code", .string(name))]).json["token"]?.string ?? "")
            let subject = Subject(issuer: app.stage.carrier.issuer, value: name)
            guard let user = try await repository.user(with: subject),
                let session = try await repository.sessions(of: user, now: now).first
            else { continue }
            _ = try await repository.openAccount(
                under: session.id, demands: Sample.demands, provider: "zenkey",
                name: DirectoryName(externalID: name, hash: Sample.hash()), now: now)
        }
        _ = await app.post("/users/me/merge", json: ["token": .string(tokens[1])], headers: bearer(tokens[0]))
        let event = IdentityEvent(
            subject: Subject(issuer: app.stage.carrier.issuer, value: "absorbed"), kind: .providerAccountDisabled,
            effect: .locks(openedBy: now - 100, wholeUser: false), time: now)
        _ = try await repository.take([event], line: .none, now: now)
        _ = await app.post("/users/me/merge", json: ["token": .string(tokens[1])], headers: bearer(tokens[0]))
        return app.seenAnswers.union(hurried.seenAnswers)
    }

    private static func registration() async throws -> Set<String> {
        let app = try await APIStage(perMinute: 7, registration: .ticket)
        var tickets: [JSONValue] = []
        for (index, path) in ["/auth/signin", "/auth/zenkey-signin"].enumerated() {
            let answer = await app.post(path, json: APIStage.authorized([("code", .string("ticket-\(index)"))]))
            tickets.append(answer.json["link_ticket"] ?? .null)
        }
        _ = await app.post("/users", json: ["link_ticket": tickets[0], "client_id": "other"])
        _ = await app.post("/users", json: ["link_ticket": tickets[0]], headers: bearer("none"))
        for (index, ticket) in [tickets[0], tickets[0], tickets[1]].enumerated() {
            _ = await app.post("/users", json: ["link_ticket": ticket, "name": .string("name-\(index)")])
        }
        _ = await app.post("/users", json: [:])
        return app.seenAnswers
    }

    /// The store is closed under everybody's feet.
    private static func closed() async throws -> Set<String> {
        let app = try await APIStage()
        let (token, refreshToken) = try await app.signedIn()
        await app.stage.repository.close()
        for operation in Operations.all(with: .ofTests) where operation.access != .everybody {
            await ask(operation, app, token: token)
        }
        let ticket = "zenkey." + String(repeating: "A", count: 43)
        _ = await app.post("/users", json: ["link_ticket": .string(ticket)])
        _ = await app.post(
            "/auth/token", json: ["grant_type": "refresh_token", "refresh_token": .string(refreshToken)])
        _ = await app.post("/auth/revoke", json: ["token": .string(refreshToken)])
        return app.seenAnswers
    }
}
