import Accounts
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `An operator's role` {
    private static func entry(
        _ name: String, _ roles: Set<OperatorRole>, expiresAt: Int64? = nil
    ) -> Operators.Entry {
        Operators.Entry(name: name, token: Secret("token-of-\(name)"), roles: roles, expiresAt: expiresAt)
    }

    private static let entries = OperatorRole.allCases.map { entry($0.rawValue, [$0]) }

    /// What each operation, and each kind of search, is open to, written down once more.
    private static let table: [(method: HTTPMethod, path: String, query: String?, roles: Set<OperatorRole>)] = [
        (.get, "/metrics", nil, [.auditor, .operator, .metrics]),
        (.get, "/admin/users", nil, [.auditor, .support, .operator]),
        (.get, "/admin/users", "email=jane@example.com", [.support, .operator]),
        (.get, "/admin/users", "phone_number=12065550100", [.support, .operator]),
        (.get, "/admin/users", "issuer=https://a.example&subject=1", [.support, .operator]),
        (.get, "/admin/users/{user_id}", nil, [.support, .operator]),
        (.delete, "/admin/users/{user_id}", nil, [.operator]),
        (.get, "/admin/users/{user_id}/export", nil, [.operator]),
        (.post, "/admin/users/{user_id}/identities", nil, [.operator]),
        (.delete, "/admin/users/{user_id}/identities/{identity_id}", nil, [.support, .operator]),
        (.delete, "/admin/users/{user_id}/sessions", nil, [.support, .operator]),
        (.post, "/admin/users/{user_id}/lock", nil, [.support, .operator]),
        (.delete, "/admin/users/{user_id}/lock", nil, [.operator]),
        (.post, "/admin/users/{user_id}/merge", nil, [.operator]),
        (.delete, "/admin/sessions", nil, [.support, .operator]),
        (.delete, "/admin/sessions/{session_id}", nil, [.support, .operator]),
        (.get, "/admin/failed-sign-ins", nil, [.auditor, .support, .operator]),
        (.get, "/admin/sign-ins", nil, [.auditor, .support, .operator]),
        (.get, "/admin/audit", nil, [.auditor, .support, .operator]),
        (.get, "/openapi.json", nil, [.auditor, .support, .operator]),
        (.get, "/docs", nil, [.auditor, .support, .operator]),
        (.get, "/", nil, [.auditor, .support, .operator]),
    ]

    @Test func `is said of every operation but the probes`() {
        for operation in AdminOperations.all {
            let isSaid = Self.table.contains { $0.method == operation.method && $0.path == operation.path }
            #expect(isSaid == (operation.access == .operators), "\(operation.path)")
            #expect((operation.act != nil) == (operation.access == .operators), "\(operation.path)")
        }
    }

    @Test(arguments: OperatorRole.allCases)
    func `opens what is its own, and of all else says what it lacks`(role: OperatorRole) async throws {
        for (method, path, query, roles) in Self.table {
            let admin = try await AdminStage(token: nil, operators: Self.entries)
            try await admin.populate(1)
            let answer = await admin.send(
                method, path.replacing("{user_id}", with: "1"), query: query,
                headers: bearer("token-of-\(role.rawValue)"), json: method == .post ? [:] : nil)
            let name = "\(role) \(method) \(path) \(query ?? "")"
            guard !roles.contains(role) else {
                #expect(answer.status != 401 && answer.status != 403, "\(name)")
                continue
            }
            #expect(answer.status == 403, "\(name)")
            #expect(answer.error == "insufficient_role", "\(name)")
            let sentence = answer["error_description"]?.string ?? ""
            #expect(sentence.contains("\(role.rawValue) has \(role.rawValue)"))
            #expect(roles.allSatisfy { sentence.contains($0.rawValue) })
            #expect(try await admin.stage.repository.userCount() == 1)
            // Nobody who is refused leaves a look.
            let trail = try await admin.stage.repository.auditEvents(after: 0, limit: 10).map(\.kind)
            #expect(!trail.contains(.userViewed) && !trail.contains(.usersSearched))
        }
    }

    @Test func `of metrics is told by the probes what everybody is told`() async throws {
        let admin = try await AdminStage(token: nil, operators: Self.entries)
        #expect(await admin.send(.get, "/readyz", headers: bearer("token-of-metrics")).json == ["status": "ok"])
        #expect(await admin.send(.get, "/readyz", headers: bearer("token-of-auditor"))["checks"] != nil)
    }

    @Test func `ends with its token, and whose it was is said to nobody else`() async throws {
        let end = Sample.now + 100
        let entries = [Self.entry("ben", [.operator], expiresAt: end), Self.entry("anna", [.support])]
        let operators = Operators(entries, roleOnLoopback: .operator)
        func admit(_ name: String, at time: Int64) throws -> AdmittedOperator? {
            try operators.admit(.sample(.get, "/", headers: bearer("token-of-\(name)")), .each(0), now: time)
        }
        #expect(try admit("ben", at: end - 1)?.name == "ben")
        #expect(throws: (any Error).self) { try admit("ben", at: end) }
        #expect(try admit("anna", at: end)?.roles == [.support])
        #expect(throws: (any Error).self) { try admit("nobody", at: end) }
        let admin = try await AdminStage(token: nil, operators: [Self.entry("ben", [.operator], expiresAt: 1)])
        let refused = await admin.send(.get, "/admin/users", headers: bearer("token-of-ben"))
        #expect(refused.status == 401)
        #expect(refused["error_description"]?.string?.contains("ben") == true)
        #expect(
            await admin.send(.get, "/admin/users", headers: bearer("guess"))["error_description"]?.string?.contains(
                "ben") == false)
    }

    @Test func `on loopback without tokens is to read only, unless it is opened`() async throws {
        let local = [("Host", "127.0.0.1:8081")]
        let closed = try await AdminStage(token: nil, roleOnLoopback: .auditor)
        try await closed.populate(1)
        #expect(await closed.send(.get, "/admin/audit", headers: local).status == 200)
        #expect(await closed.send(.delete, "/admin/users/1", headers: local).status == 403)
        #expect(await closed.send(.get, "/admin/users/1", headers: local).status == 403)
        let open = try await AdminStage(token: nil, roleOnLoopback: .operator)
        try await open.populate(1)
        #expect(await open.send(.delete, "/admin/users/1", headers: local).status == 200)
        let trail = try await open.stage.repository.auditEvents(after: 0, limit: 10)
        #expect(trail.last?.origin?.actor == .operator("loopback"))
        // One token closes it to callers without one.
        let guarded = try await AdminStage(token: nil, operators: [Self.entry("anna", [.support])])
        #expect(await guarded.send(.get, "/admin/audit", headers: local).status == 401)
    }
}

@Suite struct `What an operator does` {
    @Test func `is in the trail by name, with request and reason`() async throws {
        let anna = Operators.Entry(name: "anna", token: Secret("token-of-anna"), roles: [.operator], expiresAt: nil)
        let admin = try await AdminStage(operators: [anna])
        try await admin.populate(1)
        let headers = bearer("token-of-anna") + [("X-Reason", "  ticket 7,  as asked ")]
        #expect(await admin.send(.get, "/admin/users/1", headers: headers).status == 200)
        #expect(await admin.send(.get, "/admin/users/1/export", headers: headers).status == 200)
        #expect(await admin.send(.get, "/admin/users", query: "email=a@b.example", headers: headers).status == 200)
        #expect(await admin.send(.get, "/admin/audit", query: "user=1", headers: headers).status == 200)
        #expect(await admin.send(.delete, "/admin/users/1", headers: headers).status == 200)
        let rows = try await admin.stage.repository.auditEvents(after: 0, limit: 100).suffix(5)
        #expect(rows.map(\.kind) == [.userViewed, .userExported, .usersSearched, .auditViewed, .userErased])
        #expect(
            rows.allSatisfy {
                $0.origin
                    == AuditOrigin(actor: .operator("anna"), request: "request-1", reason: "ticket 7, as asked")
            })
        #expect(rows.map(\.fields) == [[], [], ["email"], [], []])
        let shown = await admin.send(.get, "/admin/audit", query: "actor=operator:anna&event=user_erased")
        let event = try #require(shown["events"]?.array?.first)
        #expect(event["actor"] == "operator:anna" && event["reason"] == "ticket 7, as asked")
        #expect(event["request_id"] == "request-1")
    }

    @Test func `takes a reason where it is a look at a person, if reasons are demanded`() async throws {
        let admin = try await AdminStage(demandsReasons: true)
        try await admin.populate(1)
        for (path, query) in [
            ("/admin/users/1", nil), ("/admin/users/1/export", nil), ("/admin/users", "email=a@b.example"),
            ("/admin/users", "issuer=https://a.example&subject=1"),
        ] as [(String, String?)] {
            let refused = await admin.send(.get, path, query: query)
            #expect(refused.status == 400 && refused.error == "invalid_request", "\(path)")
            #expect(refused["error_description"]?.string?.contains("X-Reason is missing") == true)
            let headers = bearer(AdminStage.token) + [("X-Reason", "ticket 7")]
            #expect(await admin.send(.get, path, query: query, headers: headers).status == 200, "\(path)")
        }
        // What is nobody's in particular takes none.
        #expect(await admin.send(.get, "/admin/users").status == 200)
        #expect(await admin.send(.delete, "/admin/users/1/sessions").status == 200)
    }

    @Test(arguments: [
        "", "   ", String(repeating: "a", count: 201), "a\u{202E}b", "a\u{200B}b", "tab\there",
    ])
    func `is refused with a reason that is too long, or not as it looks`(reason: String) async throws {
        let admin = try await AdminStage()
        try await admin.populate(1)
        let headers = bearer(AdminStage.token) + [("X-Reason", reason)]
        let answer = await admin.send(.get, "/admin/users/1", headers: headers)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer["error_description"]?.string?.hasPrefix("The field X-Reason ") == true)
        #expect(try await !admin.stage.repository.auditEvents(after: 0, limit: 10).contains { $0.kind == .userViewed })
    }
}

@Suite struct `The audit trail of the listener for operators` {
    @Test func `goes back from the newest event by cursors, and on from the oldest`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(3)
        let all = try await admin.stage.repository.auditEvents(after: 0, limit: 100).map(\.id)
        for order in ["desc", "asc"] {
            var (seen, query): ([Int64], String) = ([], "limit=2&order=\(order)")
            for _ in 0..<all.count {
                let page = await admin.send(.get, "/admin/audit", query: query)
                #expect(page.status == 200, "\(page.text)")
                seen += page["events"]?.array?.compactMap { $0["id"]?.integer } ?? []
                guard let cursor = page["next_cursor"]?.string, seen.count < all.count else { break }
                query = "limit=2&order=\(order)&cursor=\(cursor)"
            }
            #expect(seen == (order == "asc" ? all : all.reversed()))
        }
        let plain = await admin.send(.get, "/admin/audit")
        #expect(plain["events"]?.array?.compactMap { $0["id"]?.integer } == all.reversed())
        #expect(plain["next_cursor"] == nil)
    }

    @Test func `keeps its place for who follows, also where nothing is new`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(1)
        let first = await admin.send(.get, "/admin/audit", query: "order=asc")
        let cursor = try #require(first["next_cursor"]?.string)
        #expect(first["next_after"] == nil)
        let none = await admin.send(.get, "/admin/audit", query: "order=asc&cursor=\(cursor)")
        #expect(none["events"]?.array?.isEmpty == true && none["next_cursor"]?.string == cursor)
        _ = await admin.send(.get, "/admin/users/1")
        let next = await admin.send(.get, "/admin/audit", query: "order=asc&cursor=\(cursor)")
        #expect(next["events"]?.array?.map { $0["event"] } == ["user_viewed"])
    }

    @Test(arguments: [
        "order=up", "cursor=x", "cursor=eA&after=1", "after=1&order=desc", "actor=anna", "actor=operator:",
        "since=yesterday", "event=a&event=b",
    ])
    func `refuses a question that it can't have meant`(query: String) async throws {
        let admin = try await AdminStage()
        let answer = await admin.send(.get, "/admin/audit", query: query)
        #expect(answer.status == 400 && answer.error == "invalid_request", "\(query): \(answer.text)")
    }

    @Test(arguments: ["since", "until", "after", "user"])
    func `takes the greatest number that there is for any other`(name: String) async throws {
        let admin = try await AdminStage()
        try await admin.populate(1)
        for number in [Int64.max, .max - 1] {
            let answer = await admin.send(.get, "/admin/audit", query: "\(name)=\(number)")
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `takes a cursor in its own order only`() async throws {
        let admin = try await AdminStage()
        try await admin.populate(2)
        let page = await admin.send(.get, "/admin/audit", query: "limit=1")
        let cursor = try #require(page["next_cursor"]?.string)
        #expect(await admin.send(.get, "/admin/audit", query: "order=asc&cursor=\(cursor)").status == 400)
    }
}
