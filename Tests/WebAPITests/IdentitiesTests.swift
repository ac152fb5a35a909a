import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@Suite struct `A user's identities` {
    /// The carrier now vouches for somebody else.
    private static func answer(as subject: String, _ app: APIStage) throws {
        try app.stage.answerToken { $0.claims[setting: "sub"] = .string(subject) }
        app.stage.answerUserinfo(["sub": .string(subject), "birthdate": "1990-02-28"])
    }

    private static func link(_ app: APIStage, _ token: String, code: String) async -> HTTPTestAnswer {
        await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", .string(code))]), headers: bearer(token))
    }

    @Test func `a user's identities are listed without their subjects`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.send(.get, "/users/me/identities", headers: bearer(token))
        #expect(answer.status == 200)
        let identity = try #require(answer.json.array?.first)
        #expect(identity["provider"] == "zenkey")
        #expect(identity["issuer"] == .string(app.stage.carrier.issuer))
        #expect(identity["origin"] == "sign-in")
        #expect(identity["linked_at"] == .integer(app.stage.now))
        #expect(identity["last_sign_in_at"] == .integer(app.stage.now))
        #expect(!answer.text.contains("310260-subject"))
    }

    @Test func `grow by a second verified sign-in, and each of them signs the user in`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        try Self.answer(as: "310260-second", app)
        let linked = await Self.link(app, token, code: "second")
        #expect(linked.status == 201)
        #expect(linked.json["origin"] == "link")
        let again = await Self.link(app, token, code: "again")
        #expect(again.status == 200)
        #expect(again.json["identity_id"] == linked.json["identity_id"])
        let me = await app.send(.get, "/users/me", headers: bearer(token)).json
        #expect(me["birthdate"] == "1990-02-28")
        let signedIn = await app.signIn([("code", "third")])
        #expect(signedIn.json["user"]?["user_id"] == me["user_id"])
        #expect(signedIn.json["new_user"] == false)
    }

    @Test func `a user's identities are never another user's`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        try Self.answer(as: "310260-other", app)
        #expect(await app.signIn([("code", "other")]).json["new_user"] == true)
        let answer = await Self.link(app, token, code: "steal")
        #expect(answer.status == 409)
        #expect(answer.error == "identity_in_use")
        let again = await Self.link(app, token, code: "steal")
        #expect(again.error == "invalid_grant")
    }

    @Test func `shrink, but never to none`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let list = try #require(await app.send(.get, "/users/me/identities", headers: bearer(token)).json.array)
        let first = try #require(list.first?["identity_id"]?.integer)
        let last = await app.send(.delete, "/users/me/identities/\(first)", headers: bearer(token))
        #expect(last.status == 409)
        #expect(last.error == "last_identity")
        try Self.answer(as: "310260-second", app)
        #expect(await Self.link(app, token, code: "second").status == 201)
        #expect(await app.send(.delete, "/users/me/identities/\(first)", headers: bearer(token)).text == "{}")
        // What was opened by it ended with it.
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).error == "invalid_token")
    }

    @Test(arguments: ["0", "99", "-1", "nonsense", "9223372036854775808"])
    func `a user's identities that are not there can't be taken away`(id: String) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.send(.delete, "/users/me/identities/\(id)", headers: bearer(token))
        #expect(answer.status == 404)
        #expect(answer.error == "not_found")
    }
}
