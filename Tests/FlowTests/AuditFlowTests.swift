import Accounts
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import System
import Testing

@Suite struct `The audit trail of a running service` {
    private static let token = "the-token-of-this-test"

    private func admin(
        _ gatehouse: RunningGatehouse, _ method: String, _ path: String, token: String = Self.token,
        _ more: [String: String] = [:]
    ) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: gatehouse.adminPort).send(
            method, path, headers: ["Authorization": "Bearer \(token)"].merging(more) { $1 })
    }

    private func number(_ answer: HTTPTestAnswer) throws -> Int64 {
        try #require(answer["user"]?["user_id"]?.integer, "\(answer.text)")
    }

    @Test func `has three different rows for users erased by themselves, by the API and by the command line`()
        async throws
    {
        try await RunningGatehouse.with(adminToken: Self.token) { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            let others = [try await gatehouse.signIn("grace"), try await gatehouse.signIn("grace", at: .plain)]
            let bearer = try #require(ada["token"]?.string)
            #expect(try await gatehouse.call("DELETE", "/users/me", bearer: bearer).status == 200)
            let asked = ["X-Reason": "ticket 7"]
            let (api, command) = (try number(others[0]), try number(others[1]))
            #expect(try await admin(gatehouse, "DELETE", "/admin/users/\(api)", asked).status == 200)
            let run = try await gatehouse.run("users", "erase", "\(command)", "--yes", "--reason", "ticket 8")
            #expect(run.status == 0, "\(run.errors)")

            let answer = try await admin(gatehouse, "GET", "/admin/audit?event=user_erased&order=asc")
            let rows = try #require(answer["events"]?.array, "\(answer.text)")
            #expect(rows.map { $0["actor"] } == ["user", "operator:admin", .string("cli:\(Account.name)")])
            #expect(rows.map { $0["user_id"] } == [.integer(try number(ada)), .integer(api), .integer(command)])
            #expect(rows.map { $0["reason"] } == [nil, "ticket 7", "ticket 8"])
            #expect(rows[0]["session_id"]?.string?.utf8.count == 32)
            #expect(rows[0]["app"] == .string(RunningGatehouse.clientID))
            #expect(rows.map { $0["request_id"] != nil } == [true, true, false])
        }
    }

    @Test func `names the operators by what the configuration calls them, and holds them to their roles`()
        async throws
    {
        try await RunningGatehouse.with(
            adminToken: "\(Self.token), tokens: {anna: {token: the-token-of-anna, roles: [support]}, "
                + "ben: {token: the-token-of-ben-, roles: [operator], expires: 2020-01-01}}, reasons: required"
        ) { gatehouse in
            let user = try number(try await gatehouse.signIn("ada"))
            let path = "/admin/users/\(user)"
            func anna(_ method: String, _ path: String, _ more: [String: String] = [:]) async throws -> HTTPTestAnswer {
                try await admin(gatehouse, method, path, token: "the-token-of-anna", more)
            }
            #expect(try await anna("GET", path).status == 400)
            #expect(try await anna("GET", path, ["X-Reason": "ticket 7"]).status == 200)
            #expect(try await anna("DELETE", path).error == "insufficient_role")
            #expect(try await admin(gatehouse, "DELETE", path, token: "the-token-of-ben-").status == 401)
            #expect(gatehouse.log.text.contains("admin.tokens.ben.expires"))
            let rows = try await admin(gatehouse, "GET", "/admin/audit?actor=operator:anna")
            #expect(rows["events"]?.array?.map { $0["event"] } == ["user_viewed"])
        }
    }

    @Test func `is exported beside the server, with the looks of operators who run commands`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let user = try number(try await gatehouse.signIn("ada"))
            let shown = try await gatehouse.run("users", "show", "\(user)", "--reason", "ticket 7")
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(try await gatehouse.run("users", "show", "\(user)", "--reason", "a\u{202E}b").status == 1)
            let rotated = try await gatehouse.run("keys", "rotate", "--receipts")
            #expect(rotated.status == 0, "\(rotated.errors)")
            let all = try await gatehouse.run("audit", "export", "--since", "2020-01-01", "--json")
            #expect(all.status == 0, "\(all.errors)")
            let rows = try all.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            let actor = JSONValue.string("cli:\(Account.name)")
            #expect(rows.map { $0["event"] } == ["user_created", "user_viewed", "key_rotated"])
            #expect(rows.map { $0["actor"] } == ["user", actor, actor])
            #expect(rows.map { $0["reason"] } == [nil, "ticket 7", nil])
            let some = try await gatehouse.run(
                "audit", "export", "--since", "2020-01-01", "--event", "user_viewed", "--user", "\(user)", "--actor",
                "cli:\(Account.name)", "--json")
            #expect(some.output.split(separator: "\n").count == 1, "\(some.everything)")
            #expect(try await gatehouse.run("audit", "export", "--since", "2099-01-01", "--json").output.isEmpty)
            let own = try await gatehouse.run("audit", "export", "--since", "2020-01-01", "--event", "audit_exported")
            #expect(own.output.split(separator: "\n").count == 3, "\(own.output)")
            #expect(try await gatehouse.run("audit", "export", "--since", "yesterday").status != 0)
            #expect(try await gatehouse.run("audit", "export", "--since", "0", "--actor", "anna").status != 0)
        }
    }

    @Test func `names who has taken the store out, put it back, and changed its keys`() async throws {
        try await OperatedServer.with { operated in
            _ = try await operated.signIn("ada")
            func rows() async throws -> [JSONValue] {
                let run = try await operated.run("audit", "export", "--since", "0", "--json")
                #expect(run.status == 0, "\(run.errors)")
                return try run.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            }
            let actor = JSONValue.string("cli:\(Account.name)")
            let backup = operated.folder.appending(path: "backup.db").path
            let made = try await operated.run("store", "backup", backup, "--reason", "ticket 7")
            #expect(made.status == 0, "\(made.errors)")
            let taken = try #require(try await rows().last)
            #expect(taken["event"] == "store_backed_up" && taken["actor"] == actor && taken["reason"] == "ticket 7")
            try await operated.stop()
            let newKey = operated.folder.appending(path: "new.key").path
            let changed = try await operated.run("keys", "change-master", "--new-key-file", newKey)
            #expect(changed.status == 0, "\(changed.errors)")
            let oldKey = operated.masterKey + "-old"
            try FileManager.default.moveItem(atPath: operated.masterKey, toPath: oldKey)
            try FileManager.default.moveItem(atPath: newKey, toPath: operated.masterKey)
            let key = try #require(try await rows().first { $0["event"] == "master_key_changed" })
            #expect(key["actor"] == actor && key["fields"] == ["ordinary"])
            // A backup from before opens with the old key.
            try FileManager.default.removeItem(atPath: operated.masterKey)
            try FileManager.default.moveItem(atPath: oldKey, toPath: operated.masterKey)
            let restored = try await operated.run("store", "restore", backup, "--without-ledger")
            #expect(restored.status == 0, "\(restored.errors)")
            let back = try await rows().suffix(2)
            #expect(back.map { $0["event"] } == ["store_restored", "sessions_revoked"])
            #expect(back.allSatisfy { $0["actor"] == actor })
        }
    }
}
