import Accounts
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@Suite struct `A merge of two accounts` {
    /// Somebody of whom the carrier says now that they have authenticated.
    private static func signIn(_ app: APIStage, _ name: String) async throws -> String {
        let now = app.stage.now
        try app.stage.answerToken {
            $0.claims[setting: "sub"] = .string(name)
            $0.claims[setting: "iat"] = .integer(now)
            $0.claims[setting: "exp"] = .integer(now + 300)
            $0.claims[setting: "auth_time"] = .integer(now)
        }
        app.stage.answerUserinfo(["sub": .string(name)])
        return try #require(await app.signIn([("code", .string("\(name) \(now)"))]).json["token"]?.string)
    }

    private static func merge(_ app: APIStage, _ kept: String, _ absorbed: String) async -> HTTPTestAnswer {
        await app.post("/users/me/merge", json: ["token": .string(absorbed)], headers: bearer(kept))
    }

    @Test func `leaves one by the word of both, whose other tokens are good for nothing`() async throws {
        let app = try await APIStage()
        let (kept, absorbed) = (try await Self.signIn(app, "kept"), try await Self.signIn(app, "absorbed"))
        let answer = await Self.merge(app, kept, absorbed)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["user_id"] == 1 && answer.json["merged_user_id"] == 2)
        #expect(answer.json["identities"]?.array?.map { $0["origin"] } == ["sign-in", "link"])
        #expect(await app.send(.get, "/users/me", headers: bearer(kept)).json["user_id"] == 1)
        #expect(await app.send(.get, "/users/me", headers: bearer(absorbed)).status == 401)
        // The same again, as of a phone that has lost the answer, finds no other account any more.
        #expect(await Self.merge(app, kept, absorbed).status == 400)
        app.stage.pass(seconds: 2)
        let again = try await Self.signIn(app, "absorbed")
        #expect(await app.send(.get, "/users/me", headers: bearer(again)).json["user_id"] == 1)
        // What has come is on probation, so that who had the other account takes nothing of this one away.
        let first = answer.json["identities"]?.array?.first?["identity_id"]?.integer ?? 0
        let refused = await app.send(.delete, "/users/me/identities/\(first)", headers: bearer(again))
        #expect(refused.error == "identity_too_new")
    }

    @Test func `takes that both have authenticated just now, so that a stolen token of either is not enough`()
        async throws
    {
        let app = try await APIStage()
        let (kept, absorbed) = (try await Self.signIn(app, "kept"), try await Self.signIn(app, "absorbed"))
        app.stage.pass(seconds: 301)
        let fresh = try await Self.signIn(app, "kept")
        let old = await Self.merge(app, fresh, absorbed)
        #expect(old.status == 400 && old.error == "invalid_request")
        #expect(old.json["error_description"]?.string?.contains("300 seconds") == true)
        let other = try await Self.signIn(app, "absorbed")
        #expect(await Self.merge(app, kept, other).error == "insufficient_user_authentication")
        #expect(try await app.stage.repository.userCount() == 2)
    }

    @Test func `is not made of one account, nor by what is no access token`() async throws {
        let app = try await APIStage()
        let token = try await Self.signIn(app, "kept")
        let same = await Self.merge(app, token, try await Self.signIn(app, "kept"))
        #expect(same.status == 400 && same.json["error_description"]?.string?.contains("one account") == true)
        for text in ["", "nonsense", "\(token)x"] {
            let answer = await Self.merge(app, token, text)
            #expect(answer.status == 400 && answer.error == "invalid_request", "\(text)")
            #expect(text.isEmpty || !answer.text.contains(text))
        }
    }

    @Test func `by an operator is told by both numbers, and refused where one is locked`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(3)
        let answer = await admin.send(.post, "/admin/users/1/merge", json: ["user_id": 2])
        #expect(answer.json == ["user_id": 1, "merged_user_id": 2, "identity_ids": [2]], "\(answer.text)")
        #expect(await admin.send(.post, "/admin/users/1/merge", json: ["user_id": 2]).status == 404)
        #expect(await admin.send(.post, "/admin/users/2/merge", json: ["user_id": 1]).status == 404)
        #expect(await admin.send(.post, "/admin/users/1/merge", json: ["user_id": 1]).status == 400)
        for body in [JSONValue.object(JSONObject()), ["user_id": "two"], ["user_id": 0]] {
            #expect(await admin.send(.post, "/admin/users/1/merge", json: body).error == "invalid_request")
        }
        #expect(await admin.send(.post, "/admin/users/3/lock", json: [:]).status == 200)
        #expect(await admin.send(.post, "/admin/users/1/merge", json: ["user_id": 3]).status == 423)
        let trail = try await admin.stage.repository.auditEvents(after: 0, limit: 50)
        let merge = trail.filter { [.usersMerged, .userAbsorbed].contains($0.kind) }
        #expect(merge.map(\.user) == [UserID(rawValue: 1), UserID(rawValue: 2)])
        #expect(merge.allSatisfy { if case .operator = $0.origin?.actor { true } else { false } })
    }
}

@Suite struct `A ticket in a session` {
    /// A user who is there, and a ticket that a sign-in by another identity has come to.
    private static func begin(_ app: APIStage) async throws -> (token: String, ticket: JSONValue) {
        let first = try #require(await app.signIn().json["link_ticket"])
        let token = try #require(await app.post("/users", json: ["link_ticket": first]).json["token"]?.string)
        try app.stage.answerToken { $0.claims[setting: "sub"] = "310260-second" }
        app.stage.answerUserinfo(["sub": "310260-second", "birthdate": "1990-02-28"])
        return (token, try #require(await app.signIn([("code", "second")]).json["link_ticket"]))
    }

    private static func link(_ app: APIStage, _ token: String, _ body: JSONValue) async -> HTTPTestAnswer {
        await app.post("/users/me/identities", json: body, headers: bearer(token))
    }

    @Test func `links what it proves, once`() async throws {
        let app = try await APIStage(registration: .ticket)
        let (token, ticket) = try await Self.begin(app)
        let linked = await Self.link(app, token, ["link_ticket": ticket])
        #expect(linked.status == 201, "\(linked.text)")
        #expect(linked.json["origin"] == "link")
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).json["birthdate"] == "1990-02-28")
        // The same request has lost its answer; another one comes too late.
        #expect(await Self.link(app, token, ["link_ticket": ticket]).json == linked.json)
        #expect(await app.post("/users", json: ["link_ticket": ticket]).error == "invalid_grant")
        let again = await app.signIn([("code", "third")])
        #expect(again.status == 200 && again.json["user"]?["user_id"] == 1)
        app.stage.pass(seconds: 61)
        #expect(await Self.link(app, token, ["link_ticket": ticket]).error == "invalid_grant")
    }

    @Test func `makes no second account`() async throws {
        let app = try await APIStage(registration: .ticket)
        let (token, ticket) = try await Self.begin(app)
        let refused = await app.post("/users", json: ["link_ticket": ticket], headers: bearer(token))
        #expect(refused.status == 400 && refused.error == "invalid_request")
        #expect(refused.json["error_description"]?.string?.contains("POST /users/me/identities") == true)
        for value in ["Bearer nonsense", "Basic x"] {
            let unreadable = await app.post(
                "/users", json: ["link_ticket": ticket], headers: [("Authorization", value)])
            #expect(unreadable.error == "invalid_token")
        }
        #expect(try await app.stage.repository.userCount() == 1)
        #expect(await Self.link(app, token, ["link_ticket": ticket]).status == 201)
    }

    @Test func `is not taken of a session that is old, beside another proof, nor too late`() async throws {
        let app = try await APIStage(registration: .ticket)
        let (token, ticket) = try await Self.begin(app)
        for proof in ["code", "id_token"] {
            let body = JSONValue.object(JSONObject([("link_ticket", ticket), (proof, "x")]))
            #expect(await Self.link(app, token, body).error == "invalid_request")
        }
        #expect(await Self.link(app, token, ["link_ticket": "310260-second"]).error == "invalid_request")
        app.stage.pass(seconds: 301)
        let old = await Self.link(app, token, ["link_ticket": ticket])
        #expect(old.error == "insufficient_user_authentication")
        app.stage.pass(seconds: 300)
        #expect(await app.post("/users", json: ["link_ticket": ticket]).error == "invalid_grant")
        #expect(try await app.stage.repository.userCount() == 1)
    }

    @Test func `links nothing that has got a user meanwhile`() async throws {
        let app = try await APIStage(registration: .ticket)
        let (token, ticket) = try await Self.begin(app)
        let other = try #require(await app.signIn([("code", "third")]).json["link_ticket"])
        #expect(await app.post("/users", json: ["link_ticket": other]).status == 201)
        let answer = await Self.link(app, token, ["link_ticket": ticket])
        #expect(answer.status == 409 && answer.error == "identity_in_use")
    }
}
