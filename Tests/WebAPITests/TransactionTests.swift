import Crypto
import HTTPServer
import HTTPTesting
import JOSE
import JSON
import TestSupport
import Testing

@Suite struct `The approval of a transaction` {
    private static let context = "Pay 12.00 to Bob"

    /// The carrier vouches that the user approved, with some claims changed.
    private static func approve(
        _ app: APIStage, _ token: String, code: String = "approval", _ changes: [(String, JSONValue?)] = [],
        claims: [(String, JSONValue?)] = []
    ) async throws -> HTTPTestAnswer {
        let now = app.stage.now
        try app.stage.answerToken { draft in
            draft.claims[setting: "context"] = .string(context)
            draft.claims[setting: "auth_time"] = .integer(now - 10)
            draft.claims[setting: "iat"] = .integer(now)
            draft.claims[setting: "exp"] = .integer(now + 600)
            draft.claims[setting: "amr"] = ["hwk", "pin"]
            for (name, value) in claims { draft.claims[setting: name] = value }
        }
        return await app.post(
            "/auth/transaction",
            json: APIStage.authorized([("code", .string(code)), ("context", .string(context))] + changes),
            headers: bearer(token))
    }

    @Test func `gives a receipt that our published keys verify`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = try await Self.approve(app, token)
        #expect(answer.status == 200)
        let receipt = try #require(answer.json["receipt"]?.string)
        let keys = try JWKSet(
            await app.send(.get, "/.well-known/jwks.json").json, maximumKeyCount: 10)
        let verified = try JWS.verify(receipt, keys: keys, allowed: [.es256], maximumByteCount: 4096)
        #expect(verified.header.type == "transaction-receipt+jwt")
        // Key and audience are receipts' own.
        let access = try JWS.verify(token, keys: keys, allowed: [.es256], maximumByteCount: 4096)
        #expect(verified.header.keyID != access.header.keyID)
        let claims = try JSONValue(parsing: verified.payload)
        #expect(claims["context_hash"] == "TeE_fG3Kwlo-vX0-_j-1prH9Eamkwwk-kSVm_4wJsG8")
        #expect(claims["aud"] == "https://gatehouse.example/receipts")
        #expect(try JSONValue(parsing: access.payload)["aud"] == "api")
        #expect(claims["nonce"] == "the-nonce")
        #expect(claims["amr"] == ["hwk", "pin"])
        #expect(claims["acr"] == "a3")
        #expect(claims["auth_time"] == .integer(app.stage.now - 10))
        #expect(claims["jti"]?.string?.isEmpty == false)
        #expect(claims["sub"]?.string != nil)
        #expect(!String(decoding: verified.payload, as: UTF8.self).contains("310260"))
        // It is no access token.
        #expect(await app.send(.get, "/users/me", headers: bearer(receipt)).error == "invalid_token")
    }

    @Test(arguments: ["nonce", "context", "code", "code_verifier"])
    func `needs all that binds it`(parameter: String) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = try await Self.approve(app, token, [(parameter, nil)])
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
        #expect(answer.json["error_description"]?.string?.contains(parameter) == true)
    }

    private static let deviations: [(claims: [(String, JSONValue?)], reason: String)] = [
        ([("context", "Pay 12.00 to Bo")], "context"), ([("context", nil)], "context"),
        ([("nonce", "another")], "nonce"), ([("acr", "a1")], "acr"), ([("acr", "aal2")], "acr"),
        ([("acr", nil)], "acr"), ([("auth_time", nil)], "auth_time"),
    ]

    @Test(arguments: deviations)
    func `the approval of a transaction is refused when the ID token shows something else`(
        claims: [(String, JSONValue?)], reason: String
    ) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = try await Self.approve(app, token, claims: claims)
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_id_token")
        #expect(answer.json["reason"] == .string(reason))
    }

    @Test func `the approval of a transaction must be fresh, by default within five minutes`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        // The clocks may differ by a minute.
        let old: [(String, JSONValue?)] = [("auth_time", .integer(app.stage.now - 361))]
        #expect(try await Self.approve(app, token, claims: old).json["reason"] == "auth_time")
        let longer = try await Self.approve(app, token, code: "longer", [("max_age", "400")], claims: old)
        #expect(longer.status == 200)
        for age in ["0", "3601", "-1", "soon", "1e3"] {
            let answer = try await Self.approve(app, token, code: age, [("max_age", .string(age))])
            #expect(answer.error == "invalid_request")
        }
    }

    @Test func `compares levels as levels, and takes a lower one where the app asks for it`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        #expect(try await Self.approve(app, token, code: "1", claims: [("acr", "aal3")]).status == 200)
        let lower = try await Self.approve(app, token, code: "2", [("acr_values", "a1")], claims: [("acr", "aal1")])
        #expect(lower.status == 200)
    }

    @Test(arguments: [" ", "", []] as [JSONValue])
    func `keeps its level when the app asks for none in many words`(level: JSONValue) async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let answer = try await Self.approve(app, token, [("acr_values", level)], claims: [("acr", "a1")])
        #expect(answer.error == "invalid_id_token")
        #expect(answer.json["reason"] == "acr")
    }

    @Test func `the approval of a transaction is for the very bytes that were shown, over several lines too`()
        async throws
    {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let text = JSONValue.string("Café\n\t10.00")
        let same = try await Self.approve(app, token, code: "1", [("context", text)], claims: [("context", text)])
        #expect(same.status == 200, "\(same.text)")
        // The same to a reader, and to Swift's ==.
        let other = JSONValue.string("Cafe\u{301}\n\t10.00")
        let answer = try await Self.approve(app, token, code: "2", [("context", other)], claims: [("context", text)])
        #expect(answer.json["reason"] == "context")
    }

    @Test func `the approval of a transaction is not somebody else's`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        app.stage.answerUserinfo(["sub": "310260-other"])
        let answer = try await Self.approve(app, token, claims: [("sub", "310260-other")])
        #expect(answer.error == "invalid_id_token")
        #expect(answer.json["reason"] == "subject")
    }

    @Test func `takes a code once`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        #expect(try await Self.approve(app, token).status == 200)
        let again = try await Self.approve(app, token, [("correlation_id", "thief")])
        #expect(again.error == "invalid_grant")
    }
}
