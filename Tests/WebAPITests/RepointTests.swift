import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `Re-pointing an identity` {
    private static func body(_ changes: [String: JSONValue] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "provider": "plain", "issuer": "https://id.plain.example", "subject": "secret-subject-1",
        ]
        members.merge(changes) { $1 }
        return .object(JSONObject(members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }))
    }

    @Test func `moves it from another user and says from whom`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(2)
        let answer = await admin.send(.post, "/admin/users/2/identities", json: Self.body())
        #expect(answer.status == 200)
        #expect(answer.json["outcome"] == "moved")
        #expect(answer.json["from_user_id"] == 1)
        #expect(answer.json["from_user_identities_left"] == 0)
        #expect(answer.json["identity"]?["origin"] == "link")
        #expect(!answer.text.contains("secret-subject"))
        #expect(try await admin.stage.repository.user(with: .plain("secret-subject-1")) == UserID(rawValue: 2))
        let again = await admin.send(.post, "/admin/users/2/identities", json: Self.body())
        #expect(again.json == ["user_id": 2, "outcome": "already_there"])
    }

    @Test func `gives a user one that nobody has`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(1)
        let answer = await admin.send(.post, "/admin/users/1/identities", json: Self.body(["subject": "new"]))
        #expect(answer.json["outcome"] == "linked")
        #expect(try await admin.stage.repository.user(with: .plain("new")) == UserID(rawValue: 1))
    }

    @Test func `finds the provider by the issuer where only one fits`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(1)
        let plain = await admin.send(
            .post, "/admin/users/1/identities", json: Self.body(["provider": "", "subject": "new"]))
        #expect(plain.json["identity"]?["provider"] == "plain")
        let carrier = await admin.send(
            .post, "/admin/users/1/identities",
            json: Self.body(["provider": .null, "issuer": .string(admin.stage.carrier.issuer)]))
        #expect(carrier.json["identity"]?["provider"] == "zenkey", "\(carrier.text)")
        let two = try await AdminStage(more: [Provider(.plain(named: "one")), Provider(.plain(named: "two"))])
        let several = await two.send(.post, "/admin/users/1/identities", json: Self.body(["provider": .null]))
        #expect(several.status == 400)
        #expect(several.json["error_description"]?.string?.contains("provider") == true)
    }

    @Test(
        arguments: [
            (["provider": "zenkey", "issuer": "https://carrier.example/?a=b"], 400, "invalid_request", "issuer"),
            (["provider": .null, "issuer": "https://carrier.example/#a"], 400, "invalid_request", "issuer"),
            (["issuer": ""], 400, "invalid_request", "issuer"), (["issuer": .null], 400, "invalid_request", "issuer"),
            (["subject": ""], 400, "invalid_request", "subject"),
            (["subject": .string(String(repeating: "s", count: 256))], 400, "invalid_request", "subject"),
            (["provider": "other"], 400, "unknown_provider", "provider"),
            (["issuer": "https://id.plain.example/"], 400, "invalid_request", "issuer"),
            (["provider": .null, "issuer": "https://elsewhere.example"], 400, "invalid_request", "issuer"),
            (["provider": 7], 400, "invalid_request", "provider"),
        ] as [([String: JSONValue], Int, String, String)])
    func `re-pointing an identity is refused when no sign-in could have it`(
        changes: [String: JSONValue], status: Int, code: String, name: String
    ) async throws {
        let admin = try await AdminStage()
        try await admin.populate(1)
        let answer = await admin.send(.post, "/admin/users/1/identities", json: Self.body(changes))
        #expect(answer.status == status)
        #expect(answer.error == code)
        #expect(answer.json["error_description"]?.string?.contains(name) == true)
        #expect(!answer.text.contains("secret-subject"))
    }

    @Test func `re-pointing an identity is refused for a user who is not there`() async throws {
        let admin = try await AdminStage()
        let answer = await admin.send(.post, "/admin/users/9/identities", json: Self.body())
        #expect(answer.status == 404)
        #expect(answer.error == "not_found")
    }

    @Test func `re-pointing an identity is refused when the body is of another type`() async throws {
        let admin = try await AdminStage()
        let headers = bearer(AdminStage.token) + [("Content-Type", "text/plain")]
        let answer = await admin.send(.post, "/admin/users/1/identities", headers: headers, json: Self.body())
        #expect(answer.status == 415)
    }
}
