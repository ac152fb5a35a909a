import Accounts
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@Suite struct `A user's own account` {
    @Test func `keeps the user's own values over the carrier's, but for address and number`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let edited = await app.patch(
            "/users/me", ["email": "own@example.com", "postal_code": "10001", "nickname": "J", "sub": "x"], token)
        #expect(edited.status == 200)
        #expect(edited.json["email"] == "jane@example.com")
        #expect(edited.json["email_verified"] == "false")
        #expect(edited.json["nickname"] == "J")
        #expect(edited.json["postal_code"] == "10001")
        #expect(edited.json["own"] == ["email": "own@example.com", "postal_code": "10001", "nickname": "J"])
        #expect(edited.json["sub"] == nil)
        app.stage.answerUserinfo([
            "sub": "310260-subject", "email": "new@example.com", "email_verified": true, "name": "Jane D.",
        ])
        let again = await app.signIn([("code", "another")])
        #expect(again.json["user"]?["email"] == "new@example.com")
        #expect(again.json["user"]?["email_verified"] == true)
        #expect(again.json["user"]?["own"]?["email"] == "own@example.com")
        #expect(again.json["user"]?["name"] == "Jane D.")
        let reverted = await app.patch("/users/me", ["email": .null, "nickname": "", "postal_code": .null], token)
        #expect(reverted.json["email"] == "new@example.com")
        #expect(reverted.json["email_verified"] == "true")
        #expect(reverted.json["nickname"] == nil)
        #expect(reverted.json["own"] == nil)
    }

    @Test func `shows what only the user says, and never as verified`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(["sub": "310260-subject"])
        let first = await app.signIn()
        #expect(first.json["user"]?["email_verified"] == nil)
        let token = try #require(first.json["token"]?.string)
        let edits: JSONValue = ["email": "own@example.com", "phone_number": "+12065550199"]
        let edited = await app.patch("/users/me", edits, token)
        #expect(edited.json["email"] == "own@example.com")
        #expect(edited.json["email_verified"] == "false")
        #expect(edited.json["phone_number_verified"] == "false")
        #expect(edited.json["own"] == edits)
        let again = await app.signIn([("code", "another")])
        #expect(again.json["user"]?["phone_number"] == "+12065550199")
        #expect(again.json["user"]?["phone_number_verified"] == false)
        #expect(again.json["user"]?["own"] == edits)
    }

    @Test func `stays as it is when all that is shown is sent back, however old the authentication is`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        _ = await app.patch("/users/me", ["email": "own@example.com", "nickname": "J"], token)
        let shown = await app.send(.get, "/users/me", headers: bearer(token)).json
        let user = UserID(rawValue: try #require(shown["user_id"]?.integer))
        let before = try await app.stage.repository.user(user)
        app.stage.pass(seconds: 600)
        #expect(await app.patch("/users/me", ["email": "other@example.com"], token).status == 401)
        #expect(await app.patch("/users/me", shown, token).json == shown)
        #expect(try await app.stage.repository.user(user) == before)
    }

    @Test func `takes changes as a form`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.send(
            .patch, "/users/me",
            headers: bearer(token) + [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("name=Janet&email=".utf8))
        #expect(answer.status == 200)
        #expect(answer.json["name"] == "Janet")
    }

    @Test(arguments: [
        "{}", "[]", "{\"sub\":\"x\"}", "{\"name\":5}", "{\"name\":\"a\\u0000b\"}", "{\"name\":{}}", "nonsense",
    ])
    func `refuses changes that are none`(body: String) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.send(
            .patch, "/users/me", headers: bearer(token) + [("Content-Type", "application/json")], body: Array(body.utf8)
        )
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
    }

    @Test(arguments: [
        ("picture", "javascript:alert(1)", "must be an http or https URL"), ("picture", "data:text/html,x", "must be"),
        ("locale", "../../etc", "must be a language tag"), ("zoneinfo", "../../etc", "must be a time zone's name"),
        ("birthdate", "not-a-date", "must be a date"), ("name", "Jane\u{202E}", "direction of writing"),
        ("username", "ad\u{200B}min", "nobody can see"), ("nickname", "\u{3164}", "nobody can see"),
        ("email", "jane\u{AD}@example.com", "nobody can see"), ("given_name", "a\u{2028}b", "control characters"),
    ])
    func `refuses a value that is not as it looks, or not what the attribute is, and says why`(
        name: String, value: String, problem: String
    ) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.patch("/users/me", .object(JSONObject([(name, .string(value))])), token)
        #expect(answer.status == 400 && answer.error == "invalid_request")
        let description = answer.json["error_description"]?.string ?? ""
        #expect(description.contains("The parameter \(name) ") && description.contains(problem), "\(description)")
    }

    @Test func `takes what attributes are`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let edits: JSONValue = [
            "picture": "https://img.example/jane.png", "locale": "fa-IR", "zoneinfo": "Asia/Tehran",
            "birthdate": "0000-02-29", "nickname": "می\u{200C}خواهم 👩\u{200D}💻",
        ]
        let answer = await app.patch("/users/me", edits, token)
        #expect(answer.status == 200 && answer.json["own"] == edits, "\(answer.text)")
    }

    @Test func `a user's own account is opened by a provider that says odd things, without them`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo([
            "sub": "310260-subject", "name": "Jane\u{202E}", "picture": "javascript:alert(1)", "locale": "../../etc",
            "birthdate": "not-a-date", "zoneinfo": "\u{0}", "postal_code": "90210",
        ])
        let signedIn = await app.signIn()
        #expect(signedIn.status == 200)
        for name in ["name", "picture", "locale", "birthdate", "zoneinfo"] {
            #expect(signedIn.json["user"]?[name] == nil)
        }
        #expect(signedIn.json["user"]?["postal_code"] == "90210")
    }

    @Test(arguments: ["310260\u{0}subject", "\u{0}", "310260-subject\n", "310260\u{85}subject"])
    func `a user's own account is nobody's whose subject has control characters`(subject: String) async throws {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "sub"] = .string(subject) }
        app.stage.answerUserinfo(["sub": .string(subject)])
        let answer = await app.signIn()
        #expect(answer.status == 401 && answer.error == "invalid_id_token" && answer.json["reason"] == "subject")
        let users = try await app.stage.repository.users(after: nil, limit: 10, provider: nil)
        #expect(users.isEmpty)
    }

    @Test func `a user's own account keeps nothing of an acr and amr that no store takes`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken {
            $0.claims[setting: "acr"] = "x\u{0}"
            $0.claims[setting: "amr"] = ["pin", "hw\u{0}k", "face\n"]
        }
        let answer = await app.signIn()
        #expect(answer.status == 200 && answer.json["acr"] == nil)
        let user = UserID(rawValue: try #require(answer.json["user"]?["user_id"]?.integer))
        let record = try await app.stage.repository.sessions(of: user, now: app.stage.now)
        #expect(record.map(\.authentication.amr) == [["pin"]])
    }

    @Test func `refuses a value that is too long, and a form field that is there twice`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let long = String(repeating: "é", count: 513)
        #expect(await app.patch("/users/me", ["name": .string(long)], token).error == "invalid_request")
        let twice = await app.send(
            .patch, "/users/me",
            headers: bearer(token) + [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("name=a&name=b".utf8))
        #expect(twice.error == "invalid_request")
    }

    @Test func `a user's own account is erased for good, and the same person is a new user then`() async throws {
        let app = try await APIStage()
        let (token, refreshToken) = try await app.signedIn()
        let before = await app.send(.get, "/users/me", headers: bearer(token)).json["user_id"]
        let answer = await app.send(.delete, "/users/me", headers: bearer(token))
        #expect(answer.status == 200)
        #expect(answer.text == "{}")
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).error == "invalid_token")
        #expect(await app.send(.delete, "/users/me", headers: bearer(token)).error == "invalid_token")
        let refresh = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(refreshToken)")
        #expect(refresh.error == "invalid_grant")
        // What began in the second of the erasure, or before, is over with it.
        #expect(await app.signIn([("code", "another")]).error == "insufficient_user_authentication")
        app.stage.pass(seconds: NotBefore.codeSeconds)
        try app.stage.answerToken { [now = app.stage.now] draft in
            for (name, time) in [("iat", now), ("auth_time", now), ("exp", now + 300)] {
                draft.claims[setting: name] = .integer(time)
            }
        }
        let again = await app.signIn([("code", "a third")])
        #expect(again.json["new_user"] == true)
        #expect(again.json["user"]?["user_id"] != before)
    }

    @Test(arguments: [
        (HTTPMethod.get, "/users/me"), (.patch, "/users/me"), (.delete, "/users/me"), (.get, "/users/me/identities"),
        (.post, "/users/me/identities"), (.delete, "/users/me/identities/1"), (.get, "/users/me/sessions"),
        (.delete, "/users/me/sessions"), (.delete, "/users/me/sessions/1"), (.post, "/auth/transaction"),
    ])
    func `opens to nobody without a session`(method: HTTPMethod, path: String) async throws {
        let app = try await APIStage()
        for headers in [[], bearer("garbage"), [("Authorization", "Basic eDp5")]] {
            let answer = await app.send(method, path, headers: headers)
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_token")
            // Who has shown nothing is told of no error of theirs (RFC 6750 §3.1).
            let challenge = headers.isEmpty ? "Bearer" : "Bearer error=\"invalid_token\""
            #expect(answer.header("www-authenticate") == challenge)
        }
    }
}

@Suite struct `A user's sessions` {
    @Test func `a user's sessions are listed, with the present one marked`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        app.stage.pass(seconds: 5)
        _ = await app.signIn([("code", "another")])
        let list = try #require(await app.send(.get, "/users/me/sessions", headers: bearer(token)).json.array)
        #expect(list.map { $0["current"] } == [true, false])
        #expect(list.first?["client_id"] == "ccid-0123456789abcdef")
        #expect(list.first?["provider"] == "zenkey")
        #expect(list.first?["acr"] == "a3")
        #expect(list.first?["session_id"]?.string?.utf8.count == 32)
    }

    @Test func `a user's sessions end one by one, at once, and only for their user`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let other = try #require(await app.signIn([("code", "another")]).json["token"]?.string)
        let list = try #require(await app.send(.get, "/users/me/sessions", headers: bearer(token)).json.array)
        let second = try #require(list.first { $0["current"] == false }?["session_id"]?.string)
        try app.stage.answerToken { $0.claims[setting: "sub"] = "310260-other" }
        app.stage.answerUserinfo(["sub": "310260-other"])
        let stranger = try #require(await app.signIn([("code", "third")]).json["token"]?.string)
        let refused = await app.send(.delete, "/users/me/sessions/\(second)", headers: bearer(stranger))
        #expect(refused.status == 404)
        #expect(refused.error == "not_found")
        #expect(await app.send(.delete, "/users/me/sessions/\(second)", headers: bearer(token)).text == "{}")
        #expect(await app.send(.get, "/users/me", headers: bearer(other)).status == 401)
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 200)
        #expect(await app.send(.delete, "/users/me/sessions/nonsense", headers: bearer(token)).status == 404)
    }

    @Test func `a user's sessions end all together`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let other = try #require(await app.signIn([("code", "another")]).json["token"]?.string)
        let answer = await app.send(.delete, "/users/me/sessions", headers: bearer(token))
        #expect(answer.json == ["revoked": 2])
        for token in [token, other] {
            #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 401)
        }
    }
}
