import Accounts
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import TestSupport
import Testing

@Suite struct `Registration by ticket` {
    /// Somebody unknown signs in.
    private static func ticket(_ app: APIStage) async throws -> String {
        try #require(await app.signIn().json["link_ticket"]?.string)
    }

    @Test func `tells stock apps of an unlinked user as the sample backend does, without the subject`() async throws {
        let app = try await APIStage(registration: .ticket)
        let answer = await app.signIn()
        #expect(answer.status == 403)
        #expect(answer.error == "unlinked_user")
        let ticket = try #require(answer.json["link_ticket"]?.string)
        #expect(
            answer.json["zenkey_attributes"] == [
                "sub": .string(ticket),
                "name": ["value": "Jane Doe", "given_name": "Jane", "family_name": "Doe"],
                "email": ["value": "jane@example.com"], "phone": ["value": "+12065550100"],
                "postal_code": ["value": "90210"],
            ])
        #expect(answer.json["expires"] == 600)
        #expect(!answer.text.contains("310260-subject"))
        #expect(answer.isCompressible == false)
        #expect(answer.header("cache-control") == "no-store")
    }

    @Test(arguments: ["link_ticket", "zenkey_sub"])
    func `makes a user of a ticket under either name, from JSON`(name: String) async throws {
        let app = try await APIStage(registration: .ticket)
        let ticket = try await Self.ticket(app)
        let answer = await app.post(
            "/users",
            json: .object(
                JSONObject([
                    (name, .string(ticket)), ("username", "jane"), ("password", "secret"), ("email", "own@example.com"),
                ])))
        #expect(answer.status == 201)
        #expect(
            answer.json.object?.members.map(\.name) == [
                "access_token", "token", "refresh_token", "token_type", "expires_in", "expires",
            ])
        let token = try #require(answer.json["token"]?.string)
        let me = await app.send(.get, "/users/me", headers: bearer(token)).json
        #expect(me["username"] == "jane")
        #expect(me["email"] == "jane@example.com")
        #expect(me["own"] == ["username": "jane", "email": "own@example.com"])
        #expect(me["name"] == "Jane Doe")
        #expect(me["password"] == nil)
        // From now on the identity signs in.
        let again = await app.signIn([("code", "another")])
        #expect(again.status == 200)
        #expect(again.json["user"]?["user_id"] == me["user_id"])
        #expect(again.json["user"]?["own"]?["email"] == "own@example.com")
        let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(token)).json
        #expect(sessions.array?.map { $0["acr"] } == ["a3", "a3"])
    }

    @Test func `takes a form as well`() async throws {
        let app = try await APIStage(registration: .ticket)
        let ticket = try await Self.ticket(app)
        #expect(await app.post("/users", form: "zenkey_sub=\(ticket)&name=Jane").status == 201)
    }

    @Test func `takes a ticket once, for ten minutes and from its own client`() async throws {
        let app = try await APIStage(registration: .ticket)
        let ticket = JSONValue.string(try await Self.ticket(app))
        let foreign = await app.post("/users", json: ["link_ticket": ticket, "client_id": "ccid-other"])
        #expect(foreign.error == "unknown_client")
        #expect(await app.post("/users", json: ["link_ticket": ticket]).status == 201)
        let again = await app.post("/users", json: ["link_ticket": ticket, "name": "Eve"])
        #expect(again.status == 401)
        #expect(again.error == "invalid_grant")
        try app.stage.answerToken { $0.claims[setting: "sub"] = "310260-other" }
        app.stage.answerUserinfo(["sub": "310260-other"])
        let late = try #require(await app.signIn([("code", "late")]).json["link_ticket"])
        app.stage.pass(seconds: 600)
        #expect(await app.post("/users", json: ["link_ticket": late]).error == "invalid_grant")
    }

    @Test(arguments: ["310260-subject", "zenkey.310260-subject", "x", "zenkey."])
    func `refuses a subject in the ticket's place`(subject: String) async throws {
        let app = try await APIStage(registration: .ticket)
        _ = try await Self.ticket(app)
        for name in ["zenkey_sub", "link_ticket"] {
            let answer = await app.post("/users", json: .object(JSONObject([(name, .string(subject))])))
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_request")
            #expect(!answer.text.contains("310260-subject"))
        }
    }

    @Test func `refuses a request without a ticket, or with two`() async throws {
        let app = try await APIStage(registration: .ticket)
        #expect(await app.post("/users", json: ["name": "Jane"]).error == "invalid_request")
        #expect(await app.post("/users", json: ["link_ticket": "a", "zenkey_sub": "b"]).error == "invalid_request")
    }

    @Test func `refuses a ticket whose identity has got a user meanwhile`() async throws {
        let app = try await APIStage(registration: .ticket)
        let first = try await Self.ticket(app)
        let second = try #require(await app.signIn([("code", "second")]).json["link_ticket"])
        #expect(await app.post("/users", json: ["link_ticket": .string(first)]).status == 201)
        let answer = await app.post("/users", json: ["link_ticket": second])
        #expect(answer.status == 409)
        #expect(answer.error == "identity_in_use")
    }

    @Test func `refuses a ticket that was never made`() async throws {
        let app = try await APIStage(registration: .ticket)
        let secret = String(repeating: "A", count: 43)
        for ticket in ["zenkey.\(secret)", "nobody.\(secret)"] {
            let answer = await app.post("/users", json: ["link_ticket": .string(ticket)])
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_grant")
        }
    }
}
