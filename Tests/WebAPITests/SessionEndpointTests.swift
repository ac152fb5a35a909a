import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@Suite struct `The token endpoint` {
    private static func refresh(_ token: String) -> JSONValue {
        ["grant_type": "refresh_token", "refresh_token": .string(token)]
    }

    @Test func `gives a new pair for a refresh token, as JSON or as a form`() async throws {
        let app = try await APIStage()
        let first = try await app.signedIn().refreshToken
        let answer = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(first)")
        #expect(answer.status == 200)
        #expect(
            answer.json.object?.members.map(\.name) == [
                "access_token", "token", "refresh_token", "token_type", "expires_in", "expires",
            ])
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.isCompressible == false)
        let second = try #require(answer.json["refresh_token"]?.string)
        #expect(await app.post("/auth/token", json: Self.refresh(second)).status == 200)
    }

    @Test(
        arguments: [
            ("refresh_token=x", "grant_type"), ("grant_type=refresh_token", "refresh_token"),
            ("grant_type=refresh_token&refresh_token=", "refresh_token"),
            ("grant_type=password&refresh_token=x", "grant_type"),
            ("grant_type=authorization_code&code=x", "client_id"), ("", "grant_type"),
        ])
    func `refuses another grant or none`(form: String, parameter: String) async throws {
        let app = try await APIStage()
        let answer = await app.post("/auth/token", form: form)
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
        #expect(answer.json["error_description"]?.string?.contains(parameter) == true)
    }

    @Test func `refuses a refresh token that is none or comes back late`() async throws {
        let app = try await APIStage()
        #expect(await app.post("/auth/token", json: Self.refresh("garbage")).error == "invalid_grant")
        let first = try await app.signedIn().refreshToken
        let second = await app.post("/auth/token", json: Self.refresh(first)).json["refresh_token"]?.string
        #expect(await app.post("/auth/token", json: Self.refresh(try #require(second))).status == 200)
        let answer = await app.post("/auth/token", json: Self.refresh(first))
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_grant")
        #expect(answer.json["error_description"] == "The refresh token was used before; its sessions are revoked.")
    }

    @Test func `signs out with 200 and an empty object`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.send(.delete, "/auth/token", headers: bearer(token))
        #expect(answer.status == 200)
        #expect(answer.text == "{}")
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 401)
        let again = await app.send(.delete, "/auth/token", headers: bearer(token))
        #expect(again.status == 401)
        #expect(again.error == "invalid_token")
        #expect(again.header("www-authenticate") == "Bearer error=\"invalid_token\"")
    }

    @Test func `signs out by a token that has expired, and by none that is altered`() async throws {
        let app = try await APIStage()
        let (token, refreshToken) = try await app.signedIn()
        app.stage.pass(seconds: 900)
        let altered = String(token.dropLast(4)) + "AAAA"
        #expect(await app.send(.delete, "/auth/token", headers: bearer(altered)).error == "invalid_token")
        let answer = await app.send(.delete, "/auth/token", headers: bearer(token))
        #expect(answer.status == 200)
        let refresh = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(refreshToken)")
        #expect(refresh.error == "invalid_grant")
    }

    @Test func `signs nobody out without a token, which is fine`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = await app.send(.delete, "/auth/token")
        #expect(answer.status == 200)
        #expect(answer.text == "{}")
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 200)
    }
}

@Suite struct `Revocation of a token` {
    private static func isLive(_ app: APIStage, _ token: String) async -> Bool {
        await app.send(.get, "/users/me", headers: bearer(token)).status == 200
    }

    @Test(arguments: [nil, "access_token", "refresh_token", "nonsense"])
    func `ends the session of either token, whatever the hint`(hint: String?) async throws {
        let app = try await APIStage()
        for isRefreshToken in [true, false] {
            let signedIn = await app.signIn([("code", .string("code-\(isRefreshToken)"))]).json
            let token = try #require(signedIn["token"]?.string)
            let sent = isRefreshToken ? try #require(signedIn["refresh_token"]?.string) : token
            let answer = await app.post(
                "/auth/revoke", form: "token=\(sent)" + (hint.map { "&token_type_hint=\($0)" } ?? ""))
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
            #expect(await !Self.isLive(app, token))
        }
    }

    @Test func `takes a refresh token that was replaced, however long ago`() async throws {
        for generations in 1...3 {
            let app = try await APIStage()
            let (token, first) = try await app.signedIn()
            var newest = first
            for _ in 0..<generations {
                app.stage.pass(seconds: 60)
                let answer = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(newest)")
                newest = try #require(answer.json["refresh_token"]?.string)
            }
            #expect(await app.post("/auth/revoke", json: ["token": .string(first)]).status == 200)
            #expect(await !Self.isLive(app, token))
            let refresh = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(newest)")
            #expect(refresh.error == "invalid_grant")
        }
    }

    @Test func `takes an access token that has expired`() async throws {
        let app = try await APIStage()
        let (token, refreshToken) = try await app.signedIn()
        app.stage.pass(seconds: 900)
        #expect(await app.post("/auth/revoke", json: ["token": .string(token)]).status == 200)
        let refresh = await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(refreshToken)")
        #expect(refresh.error == "invalid_grant")
    }

    @Test func `revocation of a token of what is no token of ours ends nothing, and is fine`() async throws {
        let app = try await APIStage()
        let (token, refreshToken) = try await app.signedIn()
        let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(token)).json
        let session = try #require(sessions.array?.first?["session_id"]?.string)
        let guess = String(repeating: "A", count: 43)
        for unknown in ["garbage", "\(session).\(guess)", token + "x", refreshToken + "x", "a.b.c"] {
            let answer = await app.post("/auth/revoke", json: ["token": .string(unknown)])
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
        }
        #expect(await Self.isLive(app, token))
        for none in ["{}", "{\"token\":\"\"}", "{\"token\":7}"] {
            let answer = await app.send(
                .post, "/auth/revoke", headers: [("Content-Type", "application/json")], body: Array(none.utf8))
            #expect(answer.error == "invalid_request")
        }
    }
}

@Suite struct `The current user` {
    @Test func `the current user is flat strings beside a number`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo([
            "sub": "310260-subject", "name": ["value": "Jane Doe", "given_name": "Jane", "family_name": "Doe"],
            "email": ["value": "jane@example.com"], "phone": ["value": "+12065550100", "verified": true],
            "postal_code": ["value": 90_210],
            "isAdult18": true,
        ])
        let answer = await app.send(.get, "/users/me", headers: bearer(try await app.signedIn().token))
        #expect(answer.status == 200)
        #expect(answer.header("cache-control") == "private, no-cache")
        #expect(answer.isCompressible == false)
        let body = try #require(answer.json.object)
        #expect(
            body.members.map(\.name) == [
                "user_id", "username", "zenkey_sub", "name", "given_name", "family_name", "email", "phone_number",
                "postal_code", "isAdult18", "email_verified", "phone_number_verified",
            ])
        #expect(body["user_id"] == 1)
        for member in body.members.dropFirst() { #expect(member.value.string != nil) }
        #expect(body["username"] == "jane@example.com")
        #expect(body["postal_code"] == "90210")
        #expect(body["email_verified"] == "false")
        #expect(body["phone_number_verified"] == "true")
        #expect(!answer.text.contains("310260-subject"))
    }

    @Test func `the current user has a reference for a name when nothing is known`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(["sub": "310260-subject"])
        let body = await app.send(.get, "/users/me", headers: bearer(try await app.signedIn().token)).json
        #expect(body["username"] == body["zenkey_sub"])
        #expect(try #require(body["zenkey_sub"]?.string).utf8.count == 22)
    }

    @Test func `keeps our own members whatever a carrier calls its attributes`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo([
            "sub": "310260-subject", "user_id": "9", "zenkey_sub": "9", "username": "9", "own": "9", "claims": "9",
            "email": "jane@example.com", "customer": "9",
        ])
        let answer = await app.send(.get, "/users/me", headers: bearer(try await app.signedIn().token))
        let body = try #require(answer.json.object)
        #expect(body["user_id"] == 1)
        #expect(body["username"] == "jane@example.com")
        #expect(!body.members.contains { $0.value == "9" })
    }

    @Test func `the current user is told to nobody for a refresh token`() async throws {
        let app = try await APIStage()
        let answer = await app.send(.get, "/users/me", headers: bearer(try await app.signedIn().refreshToken))
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_token")
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer garbage", "Basic dXNlcjpwYXNz", "garbage", "Token x",
    ])
    func `the current user is told to nobody without a session`(authorization: String?) async throws {
        let app = try await APIStage()
        let headers = authorization.map { [("Authorization", $0)] } ?? []
        let answer = await app.send(.get, "/users/me", headers: headers)
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_token")
        let challenge = authorization == nil ? "Bearer" : "Bearer error=\"invalid_token\""
        #expect(answer.header("www-authenticate") == challenge)
        #expect(answer.header("cache-control") == "no-store")
    }

    @Test(arguments: ["bearer", "BEARER", "Bearer"])
    func `the current user is told to a bearer in any letter case`(scheme: String) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        #expect(await app.send(.get, "/users/me", headers: [("Authorization", "\(scheme) \(token)")]).status == 200)
    }
}
