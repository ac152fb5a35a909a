import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite struct `The admin listener over sockets` {
    private func call(
        _ gatehouse: RunningGatehouse, _ method: String, _ path: String, token: String? = "the-token-of-this-test",
        _ body: JSONValue? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = body == nil ? [:] : ["Content-Type": "application/json"]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        return try await LoopbackClient(port: gatehouse.adminPort).send(
            method, path, headers: headers, body: body?.serialized)
    }

    private static let withToken = "the-token-of-this-test"

    @Test func `looks after users from their first sign-in to their last trace`() async throws {
        try await RunningGatehouse.with(adminToken: Self.withToken) { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            let grace = try await gatehouse.signIn("grace", at: .plain)
            let token = try #require(ada["token"]?.string)
            let id = try #require(ada["user"]?["user_id"]?.integer)
            let other = try #require(grace["user"]?["user_id"]?.integer)

            let list = try await call(gatehouse, "GET", "/admin/users?limit=1")
            #expect(list["users"]?.array?.first?["user_id"] == .integer(id))
            #expect(list["next_after"] == .integer(id))
            let shown = try await call(gatehouse, "GET", "/admin/users/\(id)")
            #expect(shown["identities"]?.array?.first?["provider"] == "zenkey")

            let issuer = gatehouse.simulation.plain
            let moved = try await call(
                gatehouse, "POST", "/admin/users/\(id)/identities", token: "the-token-of-this-test",
                ["provider": "plain", "issuer": .string(issuer), "subject": "brought-by-hand"])
            #expect(moved["outcome"] == "linked", "\(moved.text)")
            #expect(!moved.text.contains("brought-by-hand"))

            let ended = try await call(gatehouse, "DELETE", "/admin/users/\(id)/sessions")
            #expect(ended["sessions_ended"] == 1)
            #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 401)

            let export = try await call(gatehouse, "GET", "/admin/users/\(other)/export")
            #expect(export["profile"]?["email"]?.string?.isEmpty == false, "\(export.text)")
            #expect(try await call(gatehouse, "DELETE", "/admin/users/\(other)").status == 200)
            #expect(try await call(gatehouse, "GET", "/admin/users/\(other)").status == 404)
            let audit = try await call(gatehouse, "GET", "/admin/audit?user=\(other)")
            #expect(audit["events"]?.array?.first?["event"] == "user_erased")
        }
    }

    @Test func `shows nothing without its token, and is not on the public port`() async throws {
        try await RunningGatehouse.with(adminToken: Self.withToken) { gatehouse in
            for token in [nil, "wrong"] {
                let answer = try await call(gatehouse, "GET", "/admin/users", token: token)
                #expect(answer.status == 401)
                #expect(answer["error"] == "invalid_token")
                #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
                #expect(answer.header("x-content-type-options") == "nosniff")
            }
            #expect(try await call(gatehouse, "GET", "/healthz", token: nil).status == 200)
            for path in ["/admin/users", "/readyz", "/admin/audit"] {
                #expect(try await gatehouse.call("GET", path, bearer: "the-token-of-this-test").status == 404)
            }
        }
    }

    @Test func `tells everybody whether it is ready, and operators alone why`() async throws {
        try await RunningGatehouse.with(adminToken: Self.withToken) { gatehouse in
            let everybody = try await call(gatehouse, "GET", "/readyz", token: nil)
            #expect(everybody.status == 200)
            #expect(everybody.json == ["status": "ok"])
            #expect(try await call(gatehouse, "GET", "/readyz", token: "a-wrong-admin-token").status == 401)
            let operators = try await call(gatehouse, "GET", "/readyz?verbose")
            #expect(operators["status"] == "ok")
            #expect(operators["providers"]?["plain"]?["state"] == "ok")
        }
    }

    @Test(arguments: [
        ("/admin/users?mail=a", "mail"), ("/admin/users?limit=1&Provider=plain", "Provider"),
        ("/admin/audit?user_id=1", "user_id"), ("/admin/users/1?verbose", "verbose"),
        ("/admin/users/1/export?subjects=1", "subjects"),
    ])
    func `refuses a query with a parameter it does not know`(path: String, name: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await call(gatehouse, "GET", path, token: nil)
            #expect(answer.status == 400)
            #expect(answer["error"] == "invalid_request")
            #expect(answer["error_description"]?.string?.hasPrefix("The parameter \(name) is not known here") == true)
        }
    }

    @Test func `repeats nothing of a query that could be somebody's data`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await call(gatehouse, "GET", "/admin/users?jane@example.com", token: nil)
            #expect(answer.status == 400)
            #expect(!answer.text.contains("jane"))
        }
    }

    @Test func `tells broken HTTP as the public one does`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await LoopbackClient(port: gatehouse.adminPort).answer(
                to: Array("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n".utf8))
            #expect(answer.status == 400)
            #expect(answer["error"] == "invalid_request")
        }
    }

    @Test func `knows that the store has gone, and tells the providers' state`() async throws {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("ada")
            let ready = try await call(gatehouse, "GET", "/readyz", token: nil)
            #expect(ready.status == 200)
            #expect(ready["checks"] == ["store": "ok", "signing_keys": "ok"])
            #expect(ready["providers"]?["zenkey"] == ["state": "ok", "failed": 0, "of": 1])
            #expect(ready["providers"]?["plain"] == ["state": "ok", "failed": 0, "of": 0])
            #expect(ready["store"]?["state"] == "ok")
        }
    }
}

@Suite struct `The admin token of a running process` {
    @Test func `changes on SIGHUP`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "own")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let (file, log) = (folder.appending(path: "gatehouse.yaml"), folder.appending(path: "log"))
            func configure(_ token: String?) throws {
                let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, adminToken: token)
                try Data(yaml.utf8).write(to: file)
            }
            func text() -> String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
            try configure("the-old-admin-token")
            let server = try await ServerProcess(configuration: file, log: log)
            defer { server.kill() }
            try await eventually("the operators' port") { text().contains("admin listening address=") }
            let listening = try #require(text().firstMatch(of: /admin listening address=127\.0\.0\.1:(\d+)/))
            let port = try #require(UInt16(listening.1))
            func status(_ token: String) async throws -> Int {
                try await LoopbackClient(port: port).send(
                    "GET", "/admin/users", headers: ["Authorization": "Bearer \(token)"]
                ).status
            }
            #expect(try await status("the-old-admin-token") == 200)
            try configure("the-new-admin-token")
            server.signal(SIGHUP)
            try await eventually("the settings to be read again") { text().contains("were read again") }
            #expect(try await status("the-old-admin-token") == 401)
            #expect(try await status("the-new-admin-token") == 200)
            #expect(!text().contains("-token"))
        }
    }
}
