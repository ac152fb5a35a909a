import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@Suite struct `A stolen access token` {
    /// The carrier now vouches for somebody else.
    private static func answer(as subject: String, _ app: APIStage) throws {
        let now = app.stage.now
        try app.stage.answerToken {
            $0.claims[setting: "sub"] = .string(subject)
            $0.claims[setting: "iat"] = .integer(now)
            $0.claims[setting: "exp"] = .integer(now + 300)
            $0.claims[setting: "auth_time"] = .integer(now)
            $0.claims[setting: "context"] = "Pay"
        }
        app.stage.answerUserinfo(["sub": .string(subject)])
    }

    private static func link(_ app: APIStage, _ token: String, code: String) async -> HTTPTestAnswer {
        await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", .string(code))]), headers: bearer(token))
    }

    @Test func `links nothing once its authentication is old, and spends no code`() async throws {
        let app = try await APIStage()
        let (token, refreshToken) = try await app.signedIn()
        app.stage.pass(seconds: 300)
        try Self.answer(as: "310260-thief", app)
        let asked = app.stage.tokenRequests.count
        let refreshed = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(refreshToken)")
        for token in [token, try #require(refreshed.json["token"]?.string)] {
            let answer = await Self.link(app, token, code: "thief")
            #expect(answer.status == 401)
            #expect(answer.error == "insufficient_user_authentication")
            let demand = try #require(answer.header("www-authenticate"))
            #expect(demand.hasPrefix("Bearer error=\"insufficient_user_authentication\""))
            #expect(demand.contains(", max_age=\"300\""))
            #expect(!demand.contains("acr_values"))
        }
        #expect(app.stage.tokenRequests.count == asked)
        #expect(await app.signIn([("code", "thief")]).json["new_user"] == true)
    }

    @Test func `takes nothing away once its authentication is old`() async throws {
        let app = try await APIStage { $0.minimumACR = .init(values: "a3 \"x\\") }
        let token = try await app.signedIn().token
        try Self.answer(as: "310260-second", app)
        let second = try #require(await Self.link(app, token, code: "second").json["identity_id"]?.integer)
        app.stage.pass(seconds: 300)
        for path in ["/users/me", "/users/me/identities/\(second)"] {
            let answer = await app.send(.delete, path, headers: bearer(token))
            #expect(answer.error == "insufficient_user_authentication")
            #expect(answer.header("www-authenticate")?.hasSuffix(#"max_age="300", acr_values="a3 \"x\\""#) == true)
        }
        #expect(await app.send(.get, "/users/me/identities", headers: bearer(token)).json.array?.count == 2)
    }

    @Test(arguments: ["phone_number", "email", "username"])
    func `changes nothing by which the user is reached once its authentication is old`(name: String) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        app.stage.pass(seconds: 300)
        let refused = await app.patch(
            "/users/me", JSONValue.object(JSONObject([(name, "else"), ("name", "X")])), token)
        #expect(refused.status == 401)
        #expect(refused.error == "insufficient_user_authentication")
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).json["name"] == "Jane Doe")
        #expect(await app.patch("/users/me", ["name": "X"], token).status == 200)
    }

    @Test func `signs nobody out elsewhere once its authentication is old, and itself at any time`() async throws {
        let app = try await APIStage()
        let owner = try await app.signedIn().token
        app.stage.pass(seconds: 300)
        let stolen = try #require(await app.signIn([("code", "old")]).json["token"]?.string)
        let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(stolen)).json.array ?? []
        let names = sessions.compactMap { session in
            session["session_id"]?.string.map { (path: "/users/me/sessions/\($0)", isOwn: session["current"] == true) }
        }
        let other = try #require(names.first { !$0.isOwn }).path
        for path in ["/users/me/sessions", other] {
            let answer = await app.send(.delete, path, headers: bearer(stolen))
            #expect(answer.status == 401)
            #expect(answer.error == "insufficient_user_authentication")
        }
        #expect(await app.send(.get, "/users/me", headers: bearer(owner)).status == 200)
        let own = try #require(names.first { $0.isOwn }).path
        #expect(await app.send(.delete, own, headers: bearer(stolen)).status == 200)
        // There is no other any more.
        #expect(await app.send(.delete, "/users/me/sessions", headers: bearer(owner)).json["revoked"] == 1)
    }

    @Test func `gains nothing by an authentication in the future`() async throws {
        let app = try await APIStage()
        let later = app.stage.now + 3600
        try app.stage.answerToken { $0.claims[setting: "auth_time"] = .integer(later) }
        let token = try await app.signedIn().token
        app.stage.pass(seconds: 301)
        #expect(await app.patch("/users/me", ["email": "a@example.com"], token).status == 401)
    }

    @Test func `a stolen access token of a registration by ticket is as old as the ticket's authentication`()
        async throws
    {
        let app = try await APIStage(registration: .ticket)
        let ticket = try #require(await app.signIn().json["link_ticket"])
        app.stage.pass(seconds: 280)
        let token = try #require(await app.post("/users", json: ["link_ticket": ticket]).json["token"]?.string)
        #expect(await app.patch("/users/me", ["email": "a@example.com"], token).status == 200)
        app.stage.pass(seconds: 11)
        #expect(await app.patch("/users/me", ["email": "b@example.com"], token).status == 401)
    }

    @Test
    func `a stolen access token that is recent can add an identity, which approves and takes over nothing for a day`()
        async throws
    {
        let app = try await APIStage()
        let victim = try await app.signedIn().token
        let first = try #require(
            await app.send(.get, "/users/me/identities", headers: bearer(victim)).json.array?.first?["identity_id"]?
                .integer)
        try Self.answer(as: "310260-thief", app)
        #expect(await Self.link(app, victim, code: "thief").status == 201)
        let thief = try #require(await app.signIn([("code", "thief-2")]).json["token"]?.string)
        let approval = await app.post(
            "/auth/transaction", json: APIStage.authorized([("code", "thief-3"), ("context", "Pay")]),
            headers: bearer(thief))
        let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(thief)).json.array ?? []
        let owners = try #require(sessions.first { $0["current"] == false }?["session_id"]?.string)
        var answers = [
            approval, await Self.link(app, thief, code: "thief-4"),
            await app.send(.delete, "/users/me/identities/\(first)", headers: bearer(thief)),
            await app.send(.delete, "/users/me", headers: bearer(thief)),
            await app.send(.delete, "/users/me/sessions", headers: bearer(thief)),
            await app.send(.delete, "/users/me/sessions/\(owners)", headers: bearer(thief)),
        ]
        for name in ["phone_number", "email", "username"] {
            answers.append(await app.patch("/users/me", JSONValue.object(JSONObject([(name, "else")])), thief))
        }
        for answer in answers {
            #expect(answer.status == 403)
            #expect(answer.error == "identity_too_new")
            #expect(answer.header("retry-after") == "86400")
        }
        // Under the victim's own session it approves nothing either, and what was spent stays spent.
        let other = await app.post(
            "/auth/transaction", json: APIStage.authorized([("code", "thief-5"), ("context", "Pay")]),
            headers: bearer(victim))
        #expect(other.error == "identity_too_new")
        let again = await app.post(
            "/auth/transaction", json: APIStage.authorized([("code", "thief-5"), ("context", "Pay")]),
            headers: bearer(victim))
        #expect(again.error == "invalid_grant")
    }
}
