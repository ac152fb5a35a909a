import Accounts
import HTTPServer
import HTTPTesting
import JSON
import SignIn
import TestSupport
import Testing

@Suite struct `An operator's list of users` {
    @Test func `comes in pages`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(5)
        var seen: [Int64] = []
        var after = "0"
        for _ in 0..<3 {
            let page = await admin.send(.get, "/admin/users", query: "limit=2&after=\(after)")
            #expect(page.status == 200)
            #expect(page.header("cache-control") == "no-store")
            seen += (page.json["users"]?.array ?? []).compactMap { $0["user_id"]?.integer }
            guard let next = page.json["next_after"]?.integer else { break }
            after = "\(next)"
        }
        #expect(seen == [1, 2, 3, 4, 5])
    }

    @Test func `says where it ends, and nothing personal`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(2)
        let page = await admin.send(.get, "/admin/users")
        #expect(page.json["next_after"] == nil)
        let user = try #require(page.json["users"]?.array?.first?.object)
        #expect(user.members.map(\.name) == ["user_id", "created_at", "updated_at", "identities"])
        #expect(user["identities"] == 1)
        #expect(user["last_sign_in_at"] == nil)
        #expect(!page.text.contains("@example.com"))
    }

    @Test func `an operator's list of users may be that of one provider`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(2)
        try await admin.stage.signIn()
        let page = await admin.send(.get, "/admin/users", query: "provider=zenkey")
        #expect(page.json["users"]?.array?.count == 1)
        #expect(page.json["users"]?.array?.first?["user_id"] == 3)
    }

    @Test func `finds all who have an address or a number, and tells a provider's word from the user's own`()
        async throws
    {
        let admin = try await AdminStage()
        try await admin.populate(2)
        let thief = UserID(rawValue: 1)
        try await admin.edit(thief, "email", "user2@example.com")
        let found = await admin.send(.get, "/admin/users", query: "email=USER2%40example.com")
        #expect(found.status == 200)
        #expect(found.header("cache-control") == "no-store")
        let users = try #require(found.json["users"]?.array)
        #expect(users.map { $0["user_id"] } == [2, 1])
        #expect(users.first?["matches"] == [["provider": "plain", "verified": false, "counts": true, "own": false]])
        #expect(users.last?["matches"] == [["verified": false, "own": true]])
        #expect(found.json["more"] == false)
        #expect(found.json["complete"] == true)
        #expect(!found.text.contains("@example.com"))
        let first = await admin.send(.get, "/admin/users", query: "email=user2%40example.com&limit=1")
        #expect(first.json["users"]?.array?.map { $0["user_id"] } == [2])
        #expect(first.json["more"] == true)
        let nobody = await admin.send(.get, "/admin/users", query: "phone_number=%2B1206")
        #expect(nobody.status == 200)
        #expect(nobody.json["users"] == [])
        #expect(!admin.log.text.contains("user2"))
    }

    @Test(arguments: [
        "email=a%40b&phone_number=1", "email=a%40b&provider=plain", "phone_number=1&after=3",
        "email=a%40b&issuer=x&subject=y", "email=a&email=b", "phone_number=none", "email=%20",
    ])
    func `finds nobody by what is no single address or number`(query: String) async throws {
        let admin = try await AdminStage()
        let refused = await admin.send(.get, "/admin/users", query: query)
        #expect(refused.status == 400)
        #expect(refused.error == "invalid_request")
    }

    @Test func `finds who has a subject, and never shows it`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(3)
        let issuer = "issuer=https%3A%2F%2Fid.plain.example"
        let found = await admin.send(.get, "/admin/users", query: "\(issuer)&subject=secret-subject-2")
        #expect(found.json["users"]?.array?.map { $0["user_id"] } == [2])
        #expect(!found.text.contains("secret-subject"))
        let nobody = await admin.send(.get, "/admin/users", query: "\(issuer)&subject=other")
        #expect(nobody.status == 200)
        #expect(nobody.json["users"] == [])
    }

    @Test func `finds whom apps know by a reference`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(3)
        let reference = try #require(await admin.send(.get, "/admin/users/2").json["reference"]?.string)
        let found = await admin.send(.get, "/admin/users", query: "reference=\(reference)")
        #expect(found.json["users"]?.array?.map { $0["user_id"] } == [2])
        let nobody = await admin.send(.get, "/admin/users", query: "reference=\(reference.dropLast())")
        #expect(nobody.status == 200)
        #expect(nobody.json["users"] == [])
    }

    @Test(
        arguments: [
            ("reference=a&after=1", "reference"), ("reference=a&email=a%40b", "reference"),
            ("reference=a%00", "reference"),
            ("reference=a&issuer=https%3A%2F%2Fa&subject=b", "reference"),
            ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("after=-1", "after"),
            ("after=1&after=2", "after"), ("issuer=https%3A%2F%2Fa", "issuer"), ("subject=a", "subject"),
            ("after=%zz", "query"), ("issuer=https%3A%2F%2Fa&subject=a%00", "subject"),
            ("issuer=a%00&subject=a", "issuer"), ("provider=a%00", "provider"), ("email=a%40b%00", "email"),
        ])
    func `refuses a wrong query and names what is wrong`(query: String, name: String) async throws {
        let admin = try await AdminStage()
        let answer = await admin.send(.get, "/admin/users", query: query)
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
        #expect(answer.json["error_description"]?.string?.contains(name) == true)
    }
}

@Suite struct `An operator's view of a user` {
    @Test func `an operator's view of a user has identities and sessions, and nothing personal`() async throws {
        let admin = try await AdminStage()
        try await admin.stage.signIn()
        let answer = await admin.send(.get, "/admin/users/1")
        #expect(answer.status == 200)
        let identity = try #require(answer.json["identities"]?.array?.first?.object)
        #expect(
            identity.members.map(\.name) == [
                "identity_id", "provider", "issuer", "origin", "linked_at", "last_sign_in_at",
            ])
        #expect(identity["origin"] == "sign-in")
        #expect(answer.json["sessions"]?.array?.count == 1)
        for secret in ["310260-subject", "jane@example.com", "Jane"] { #expect(!answer.text.contains(secret)) }
    }

    @Test func `an operator's view of a user is whole in an export, but for the subjects`() async throws {
        let admin = try await AdminStage()
        try await admin.stage.signIn()
        let answer = await admin.send(.get, "/admin/users/1/export")
        #expect(answer.status == 200)
        #expect(answer.isCompressible == false)
        #expect(answer.json["profile"]?["email"] == "jane@example.com")
        #expect(answer.json["own"] == [:])
        #expect(answer.json["sessions"]?.array?.first?["user_agent"] == "App/1.0")
        #expect(answer.json["audit"]?.array?.map { $0["event"] } == ["user_created"])
        let reference = try #require(answer.json["reference"]?.string)
        #expect(answer.json["identities"]?.array?.first?["subject_reference"] == .string("\(reference).1"))
        #expect(!answer.text.contains("310260-subject"))
    }

    @Test(arguments: ["7", "0", "-1", "x", "99999999999999999999"])
    func `an operator's view of a user is not there for nobody's number`(id: String) async throws {
        let admin = try await AdminStage()
        for (method, path) in [
            (HTTPMethod.get, ""), (.delete, ""), (.get, "/export"), (.delete, "/sessions"),
        ] {
            let answer = await admin.send(method, "/admin/users/\(id)\(path)")
            #expect(answer.status == 404, "\(method) \(path)")
            #expect(answer.error == "not_found")
        }
    }

    @Test func `goes with the user`() async throws {
        let admin = try await AdminStage()
        let tokens = try await admin.stage.signIn().tokens
        let answer = await admin.send(.delete, "/admin/users/1")
        #expect(answer.status == 200)
        #expect(answer.json == ["user_id": 1, "erased": true])
        #expect(await admin.send(.get, "/admin/users/1").status == 404)
        #expect(await admin.send(.delete, "/admin/users/1").status == 404)
        await #expect(throws: (any Error).self) {
            try await admin.stage.sessions.principal(of: tokens.accessToken).session
        }
        let audit = await admin.send(.get, "/admin/audit", query: "user=1")
        #expect(audit.json["events"]?.array?.map { $0["event"] } == ["user_erased", "user_created"])
    }

    @Test func `loses its sessions at once`() async throws {
        let admin = try await AdminStage()
        let tokens = try await admin.stage.signIn().tokens
        try await admin.stage.signIn(["code": "another"])
        let answer = await admin.send(.delete, "/admin/users/1/sessions")
        #expect(answer.status == 200)
        #expect(answer.json == ["user_id": 1, "sessions_ended": 2])
        await #expect(throws: (any Error).self) {
            try await admin.stage.sessions.principal(of: tokens.accessToken).session
        }
        #expect(await admin.send(.delete, "/admin/users/1/sessions").json["sessions_ended"] == 0)
    }

    @Test func `tells when the store can't be asked`() async throws {
        let admin = try await AdminStage()
        await admin.stage.repository.close()
        for (method, path) in [(HTTPMethod.get, "/admin/users"), (.delete, "/admin/users/1"), (.get, "/admin/audit")] {
            let answer = await admin.send(method, path)
            #expect(answer.status == 503)
            #expect(answer.error == "storage_unavailable")
            #expect(answer.header("retry-after") == "1")
        }
    }
}

@Suite struct `The audit trail for operators` {
    @Test func `comes in pages`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(2)
        let first = await admin.send(.get, "/admin/audit", query: "limit=3&order=asc")
        let events = try #require(first.json["events"]?.array)
        #expect(
            events.map { $0["event"] } == ["user_imported", "identity_imported", "user_imported"])
        #expect(
            events.first?.object?.members.map(\.name) == [
                "id", "at", "event", "user_id", "actor",
            ])
        let next = try #require(first.json["next_after"]?.integer)
        let second = await admin.send(.get, "/admin/audit", query: "limit=3&after=\(next)")
        #expect(second.json["events"]?.array?.count == 1)
        #expect(second.json["next_after"] == nil)
    }
}
