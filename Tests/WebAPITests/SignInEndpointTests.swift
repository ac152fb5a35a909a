import Accounts
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import TestSupport
import Testing

@Suite struct `The sign-in endpoint` {
    @Test(arguments: ["/auth/signin", "/auth/zenkey-signin"])
    func `answers a stock app with a session`(path: String) async throws {
        let app = try await APIStage()
        let answer = await app.post(path, json: APIStage.authorized())
        #expect(answer.status == 200)
        let body = try #require(answer.json.object)
        #expect(
            body.members.map(\.name) == [
                "access_token", "token", "refresh_token", "token_type", "expires_in", "expires", "user", "new_user",
                "migrated", "acr", "auth_time",
            ])
        #expect(body["token_type"] == "Bearer")
        #expect(body["access_token"] == body["token"] && body["expires_in"] == 900)
        #expect(body["expires"] == 900)
        #expect(body["new_user"] == true)
        #expect(body["migrated"] == false)
        #expect(body["acr"] == "a3")
        #expect(body["auth_time"] == .integer(SigningProvider.now - 10))
        #expect(
            body["user"] == [
                "user_id": 1, "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
                "email": "jane@example.com",
                "phone_number": "+12065550100", "postal_code": "90210", "email_verified": false,
                "phone_number_verified": false,
            ])
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.isCompressible == false)
        #expect(!answer.text.contains("310260-subject"))
    }

    @Test func `takes the guides' spelling`() async throws {
        let app = try await APIStage()
        let answer = await app.post(
            "/auth/signin",
            json: [
                "clientId": "ccid-0123456789abcdef", "code": "c",
                "redirectURI": .string("ccid-0123456789abcdef://com.xci.provider.sdk"),
                "mccmnc": 310_260, "codeVerifier": .string(String(repeating: "v", count: 43)), "nonce": "the-nonce",
                "acrValues": "a3", "correlationId": 12_345_678, "sdkVersion": "2.0",
            ])
        #expect(answer.status == 200)
        let request = try #require(app.stage.tokenRequests.first)
        #expect(request.bodyText.hasSuffix("&correlation_id=12345678&sdk_version=2.0"))
    }

    @Test func `takes a form, and a network in two parts`() async throws {
        let app = try await APIStage()
        let answer = await app.post(
            "/auth/signin",
            form:
                "client_id=ccid-0123456789abcdef&code=c&redirect_uri=ccid-0123456789abcdef%3A%2F%2Fcom.xci.provider.sdk"
                + "&mcc=310&mnc=260&nonce=the-nonce&code_verifier=\(String(repeating: "v", count: 43))")
        #expect(answer.status == 200)
    }

    @Test func `finds the provider by its name`() async throws {
        let app = try await APIStage()
        #expect(await app.signIn([("client_id", nil), ("provider", "zenkey")]).status == 200)
        // There is one only, so it need not be told; what is told must be right.
        #expect(await app.signIn([("client_id", nil), ("code", "another")]).status == 200)
        #expect(await app.signIn([("client_id", "other")]).error == "unknown_client")
        #expect(await app.signIn([("provider", "other")]).error == "unknown_provider")
    }

    @Test(
        arguments: [
            ("code", nil, "invalid_request"), ("mccmnc", nil, "invalid_request"),
            ("mccmnc", "31026", "invalid_request"), ("code_verifier", nil, "invalid_request"),
            ("code_verifier", "short", "invalid_request"),
            ("redirect_uri", "https://evil.example", "redirect_uri_not_allowed"),
            ("context", .string(String(repeating: "x", count: 281)), "invalid_request"), ("code", 7, "invalid_request"),
        ] as [(String, JSONValue?, String)])
    func `refuses what is missing or ill-formed and asks nobody`(name: String, value: JSONValue?, error: String)
        async throws
    {
        let app = try await APIStage()
        let answer = await app.signIn([(name, value)])
        #expect(answer.status == 400)
        #expect(answer.error == error)
        #expect(answer.json["error_description"]?.string?.contains(name) == true)
        #expect(app.stage.transport.requests.isEmpty)
    }

    @Test func `names the rule an ID token breaks`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "nonce"] = "another" }
        let answer = await app.signIn()
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_id_token")
        #expect(answer.json["reason"] == "nonce")
    }

    @Test func `sends a user whom no carrier serves to discovery`() async throws {
        let app = try await APIStage()
        app.stage.transport.answer(
            "https://discovery.example/.well-known/openid_configuration",
            json: ["error": "provider_not_found", "redirect_uri": "https://app.example/ui"])
        let answer = await app.signIn()
        #expect(answer.status == 400)
        #expect(answer.json["discovery_ui"] == "https://app.example/ui")
    }

    @Test func `refuses a code that was used`() async throws {
        let app = try await APIStage()
        #expect(await app.signIn().status == 200)
        let answer = await app.signIn([("correlation_id", "thief")])
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_grant")
    }

    @Test func `keeps what the app says it is, cut to what a list can show`() async throws {
        let app = try await APIStage()
        let name = String(repeating: "ü", count: 300)
        let answer = await app.post("/auth/signin", json: APIStage.authorized(), headers: [("User-Agent", name)])
        let token = try #require(answer.json["token"]?.string)
        let session = try await app.stage.sessions.principal(of: token).session
        #expect(session.userAgent == String(repeating: "ü", count: 200))
    }

    @Test(arguments: ["App\u{202E}/1", "App\u{200B}/1", "App/1" + String(repeating: "\u{301}", count: 4000)])
    func `keeps nothing of what the app says it is that is not as it looks`(name: String) async throws {
        let app = try await APIStage()
        let answer = await app.post("/auth/signin", json: APIStage.authorized(), headers: [("User-Agent", name)])
        let token = try #require(answer.json["token"]?.string)
        #expect(try await app.stage.sessions.principal(of: token).session.userAgent == "App/1")
    }

    @Test func `leaves out what the carrier did not say`() async throws {
        let app = try await APIStage()
        try app.stage.answerToken {
            $0.claims[setting: "acr"] = nil
            $0.claims[setting: "auth_time"] = nil
        }
        app.stage.answerUserinfo(["sub": "310260-subject"])
        let body = try #require(await app.signIn().json.object)
        #expect(body["acr"] == nil)
        #expect(body["auth_time"] == nil)
        #expect(body["user"] == ["user_id": 1])
    }
}
