import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Providers
import TestSupport
import Testing

/// Signs in once more.
private func signedInAgain(_ app: APIStage, code: String) async throws -> (token: String, refreshToken: String) {
    let now = app.stage.now
    try app.stage.answerToken { draft in
        draft.claims[setting: "iat"] = .integer(now)
        draft.claims[setting: "exp"] = .integer(now + 600)
    }
    let body = await app.signIn([("code", .string(code))]).json
    return (
        try #require(body["token"]?.string, "\(body)"), try #require(body["refresh_token"]?.string)
    )
}

@Suite struct `Comparing at the API` {
    private static let userinfo: JSONValue = [
        "sub": "310260-subject", "name": ["value": "Jane Doe", "verified": 2], "email": ["value": "jane@example.com"],
        "postal_code": ["value": "90210", "verified": 1], "birthdate": ["value": "1985-12-10"],
    ]

    private func match(
        _ app: APIStage, _ token: String, _ typed: JSONValue
    ) async -> HTTPTestAnswer {
        await app.send(
            .post, "/users/me/match", headers: bearer(token) + [("Content-Type", "application/json")],
            body: typed.serialized)
    }

    private func signedIn() async throws -> (app: APIStage, token: String) {
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.userinfo)
        return (app, try await app.signedIn().token)
    }

    @Test func `answers yes, no or unknown, and no value`() async throws {
        let (app, token) = try await signedIn()
        _ = await app.patch("/users/me", ["nickname": "J", "phone_number": "+12065550199"], token)
        let answer = await match(
            app, token,
            ["name": "JANE DOE", "postal_code": "10001", "phone_number": "+12065550199", "nickname": "J"])
        #expect(answer.status == 200 && answer.header("cache-control") == "no-store")
        #expect(answer.json == ["name": "yes", "postal_code": "no", "phone_number": "unknown"])
    }

    @Test func `gives so many tries an attribute and day, whatever comes of them and in all sessions`() async throws {
        let (app, token) = try await signedIn()
        for number in 0..<5 {
            // A right guess, and one of what nobody has said, count as a wrong one does.
            let other = number.isMultiple(of: 2) ? try await signedInAgain(app, code: "code-\(number)").token : token
            let code = number == 3 ? "90210" : "1000\(number)"
            let answer = await match(app, other, ["postal_code": .string(code), "given_name": "J"])
            #expect(answer.status == 200)
        }
        for name in ["postal_code", "given_name"] {
            let refused = await match(app, token, [(name): "90210"])
            #expect(refused.status == 429 && refused.json["error"] == "rate_limited")
            let wait = try #require(refused.header("retry-after").flatMap { Int($0) })
            #expect((86_000...86_400).contains(wait))
            #expect(refused.json["yes"] == nil && refused.json[name] == nil)
        }
        #expect(await match(app, token, ["name": "Jane Doe"]).json == ["name": "yes"])
        #expect(await match(app, token, ["name": "Jane Doe", "postal_code": "90210"]).status == 429)
    }

    @Test func `gives them again a day later`() async throws {
        let (app, token) = try await signedIn()
        for _ in 0..<5 { _ = await match(app, token, ["postal_code": "1"]) }
        #expect(await match(app, token, ["postal_code": "90210"]).status == 429)
        app.stage.pass(seconds: 86_401)
        let later = try await signedInAgain(app, code: "later").token
        #expect(await match(app, later, ["postal_code": "90210"]).json == ["postal_code": "yes"])
    }

    @Test func `is in the audit trail, by attribute and without a value`() async throws {
        let (app, token) = try await signedIn()
        _ = await match(app, token, ["postal_code": "90210", "email": "x@example.com"])
        let events = try await app.stage.repository.auditEvents(after: 0, limit: 10)
        let event = try #require(events.last)
        #expect(event.kind == .attributesMatched && event.fields == ["postal_code", "email"])
        #expect(event.origin?.actor == .user && event.origin?.session != nil)
    }

    @Test(arguments: [
        "{}", "{\"nickname\":\"J\"}", "{\"birthdate\":\"1985\"}", "{\"name\":\"--\"}", "{\"email\":{\"value\":\"x\"}}",
        "{\"name\":\"a\",\"name\":\"b\"}", "[]",
    ])
    func `refuses what can't be compared, and takes no try for it`(body: String) async throws {
        let (app, token) = try await signedIn()
        for _ in 0..<6 {
            let answer = await app.send(
                .post, "/users/me/match", headers: bearer(token) + [("Content-Type", "application/json")],
                body: Array(body.utf8))
            #expect(answer.status == 400)
        }
        let answer = await match(app, token, ["name": "Jane Doe", "birthdate": "1985-12-10", "email": "x"])
        #expect(answer.json == ["name": "yes", "birthdate": "yes", "email": "no"])
    }
}

@Suite struct `Attributes with whose word they are` {
    private static func userinfo(_ level: JSONValue) -> JSONValue {
        [
            "sub": "310260-subject", "name": "Jane Doe", "postal_code": ["value": "90210", "verified": level],
            "email": ["value": "jane@example.com", "verified": level],
        ]
    }

    private func shown(_ app: APIStage, _ token: String) async -> JSONValue? {
        await app.send(.get, "/users/me", query: "attributes=true", headers: bearer(token)).json["attributes"]
    }

    @Test func `tell value, level, provider and since when, where they are asked for`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.userinfo(2))
        let token = try await app.signedIn().token
        let at = JSONValue.integer(app.stage.now)
        let attributes = await shown(app, token)
        #expect(
            attributes?["postal_code"]
                == ["value": "90210", "verified": true, "level": 2, "provider": "zenkey", "at": at])
        #expect(attributes?["name"] == ["value": "Jane Doe", "verified": false, "provider": "zenkey", "at": at])
        #expect(attributes?["email"]?["level"] == 2 && attributes?["email_verified"] == nil)
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).json["attributes"] == nil)
        _ = await app.patch("/users/me", ["postal_code": "10001"], token)
        #expect(await shown(app, token)?["postal_code"]?["value"] == "90210")
    }

    @Test func `keep the time for as long as the same is said, and begin anew with another level`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.userinfo(2))
        _ = try await app.signedIn()
        let first = JSONValue.integer(app.stage.now)
        app.stage.pass(seconds: 100)
        #expect(await shown(app, try await signedInAgain(app, code: "again").token)?["postal_code"]?["at"] == first)
        app.stage.answerUserinfo(Self.userinfo(0))
        app.stage.pass(seconds: 100)
        let code = await shown(app, try await signedInAgain(app, code: "lower").token)?["postal_code"]
        #expect(code?["level"] == 0 && code?["verified"] == false)
        #expect(code?["at"] == .integer(app.stage.now))
    }

    @Test func `have no level of an address about which the provider's word does not count`() async throws {
        let app = try await APIStage { $0.emailTrust = EmailTrust(.none) }
        app.stage.answerUserinfo(Self.userinfo(2))
        let attributes = await shown(app, try await app.signedIn().token)
        #expect(attributes?["email"]?["verified"] == false && attributes?["email"]?["level"] == nil)
        #expect(attributes?["postal_code"]?["level"] == 2)
    }

    @Test func `are told by true, and by nothing else`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        for (query, status) in [("attributes=yes", 400), ("attributes=true&attributes=true", 400), ("x=1", 200)] {
            #expect(await app.send(.get, "/users/me", query: query, headers: bearer(token)).status == status)
        }
        #expect(
            await app.send(.get, "/users/me", query: "attributes=false", headers: bearer(token)).json["attributes"]
                == nil)
    }
}
