import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `What an operator ends, over sockets` {
    private static let adminToken = "the-token-of-this-test"

    private func admin(
        _ gatehouse: RunningGatehouse, _ method: String, _ path: String, _ body: JSONValue? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = ["Authorization": "Bearer \(Self.adminToken)"]
        if body != nil { headers["Content-Type"] = "application/json" }
        return try await LoopbackClient(port: gatehouse.adminPort).send(
            method, path, headers: headers, body: body?.serialized)
    }

    @Test func `a locked user gets in nowhere, and in again when unlocked, by a new authentication`() async throws {
        try await RunningGatehouse.with(adminToken: Self.adminToken) { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            let id = try #require(ada["user"]?["user_id"]?.integer)
            let token = try #require(ada["token"]?.string)
            let refreshToken = try #require(ada["refresh_token"]?.string)
            let underWay = try await gatehouse.authorize("ada")

            let locked = try await admin(
                gatehouse, "POST", "/admin/users/\(id)/lock", ["reason": "reported stolen"])
            #expect(locked.status == 200 && locked["locked"] == true, "\(locked.text)")
            #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 401)
            let refused = try await gatehouse.refresh(refreshToken)
            #expect(refused.status == 400 && refused["error"] == "invalid_grant", "\(refused.text)")
            #expect(refused["error_code"] == "locked")
            let late = try await gatehouse.signIn(underWay)
            #expect(late.status == 423 && late["error"] == "locked", "\(late.text)")
            #expect(try await gatehouse.challengedSignIn("ada").status == 423)
            let shown = try await admin(gatehouse, "GET", "/admin/users/\(id)")
            #expect(shown["lock"]?["reason"] == "reported stolen" && shown["lock"]?["cause"] == "operator")
            #expect(shown["identities"]?.array?.first?["locked"] == true)

            let unlocked = try await admin(gatehouse, "DELETE", "/admin/users/\(id)/lock")
            #expect(unlocked.status == 200 && unlocked["locked"] == false)
            #expect(try await admin(gatehouse, "DELETE", "/admin/users/\(id)/lock").status == 404)
            // Who was signed in at the provider before must show that they still can.
            let nonce = try #require(try await gatehouse.post("/auth/challenge", [:])["nonce"]?.string)
            let app = try await gatehouse.authorize(
                "ada", ["nonce": nonce, "misbehave": "id_token_old_auth_time"])
            let before = try await gatehouse.signIn(app, ["nonce": .string(nonce)])
            #expect(before.status == 401 && before["error"] == "insufficient_user_authentication", "\(before.text)")
        }
    }

    @Test func `an erasure is no way out of a lock`() async throws {
        try await RunningGatehouse.with(adminToken: Self.adminToken) { gatehouse in
            let id = try #require(try await gatehouse.signIn("ada")["user"]?["user_id"]?.integer)
            _ = try await admin(gatehouse, "POST", "/admin/users/\(id)/lock", [:])
            #expect(try await admin(gatehouse, "DELETE", "/admin/users/\(id)").status == 200)
            #expect(try await gatehouse.challengedSignIn("ada").status == 423)
            #expect(try await gatehouse.challengedSignIn("grace").status == 200)
            #expect(try await admin(gatehouse, "DELETE", "/admin/users/\(id)/lock").status == 200)
            #expect(try await gatehouse.challengedSignIn("ada")["error"] != "locked")
        }
    }

    @Test func `sessions end by one, by user, by provider and all together, and others begin`() async throws {
        try await RunningGatehouse.with(adminToken: Self.adminToken) { gatehouse in
            func session(_ answer: HTTPTestAnswer) throws -> (token: String, user: Int64) {
                (try #require(answer["token"]?.string), try #require(answer["user"]?["user_id"]?.integer))
            }
            func isLive(_ token: String) async throws -> Bool {
                try await gatehouse.call("GET", "/users/me", bearer: token).status == 200
            }
            var ada = try session(try await gatehouse.challengedSignIn("ada"))
            let grace = try session(try await gatehouse.challengedSignIn("grace", at: .plain))
            let shown = try await admin(gatehouse, "GET", "/admin/users/\(ada.user)")
            let name = try #require(shown["sessions"]?.array?.first?["session_id"]?.string)
            #expect(try await admin(gatehouse, "DELETE", "/admin/sessions/\(name)")["sessions_ended"] == 1)
            #expect(try await admin(gatehouse, "DELETE", "/admin/sessions/\(name)").status == 404)
            #expect(try await !isLive(ada.token))

            ada = try session(try await gatehouse.challengedSignIn("ada"))
            let ended = try await admin(gatehouse, "DELETE", "/admin/sessions?provider=plain")
            #expect(ended["sessions_ended"] == 1, "\(ended.text)")
            #expect(try await !isLive(grace.token))
            #expect(try await isLive(ada.token))

            #expect(try await admin(gatehouse, "DELETE", "/admin/sessions?all=true")["sessions_ended"] == 1)
            #expect(try await !isLive(ada.token))
            for carrier in [SimulatedIssuer.aurora, .plain] {
                let again = try session(try await gatehouse.challengedSignIn("ada", at: carrier))
                #expect(try await isLive(again.token))
            }
            for wrong in ["", "?all=true&app=x", "?all=maybe", "?provider=none", "?app=none"] {
                let refused = try await admin(gatehouse, "DELETE", "/admin/sessions\(wrong)")
                #expect(refused.status == 400, "\(wrong) \(refused.text)")
            }
        }
    }

    @Test func `an identity goes by an operator's word, but never the last one`() async throws {
        try await RunningGatehouse.with(adminToken: Self.adminToken) { gatehouse in
            let id = try #require(try await gatehouse.signIn("ada")["user"]?["user_id"]?.integer)
            let issuer = gatehouse.simulation.plain
            _ = try await admin(
                gatehouse, "POST", "/admin/users/\(id)/identities",
                ["provider": "plain", "issuer": .string(issuer), "subject": "brought-by-hand"])
            let shown = try await admin(gatehouse, "GET", "/admin/users/\(id)")
            let identities = try #require(shown["identities"]?.array).compactMap { $0["identity_id"]?.integer }
            let paths = identities.map { "/admin/users/\(id)/identities/\($0)" }
            #expect(try await admin(gatehouse, "DELETE", paths[0])["unlinked"] == true)
            #expect(try await admin(gatehouse, "DELETE", paths[0]).status == 404)
            #expect(try await admin(gatehouse, "DELETE", paths[1])["error"] == "last_identity")
        }
    }
}

@Suite struct `What an operator ends by the command line` {
    @Test func `a lock, an end of sessions and an unlinking hold at the running server`() async throws {
        try await OperatedServer.with { server in
            let ada = try await server.signIn("ada")
            let token = try #require(ada["token"]?.string)
            let id = String(try #require(ada["user"]?["user_id"]?.integer))

            let signedOut = try await server.run("users", "sign-out", id, "--json")
            #expect(signedOut.status == 0 && signedOut.json["sessions_ended"] == 1, "\(signedOut.everything)")
            #expect(try await server.status(bearer: token) == 401)
            let locked = try await server.run("users", "lock", id, "--reason", "reported stolen", "--json")
            #expect(locked.status == 0 && locked.json["locked"] == true, "\(locked.everything)")
            #expect(try await server.signIn("ada").status == 423)
            let shown = try await server.run("users", "show", id, "--json")
            #expect(shown.json["lock"]?["reason"] == "reported stolen")
            let unlocked = try await server.run("users", "unlock", id)
            #expect(unlocked.status == 0, "\(unlocked.everything)")
            #expect(try await server.run("users", "unlock", id).status == 1)
            #expect(try await server.run("users", "unlink", id, "999").status == 1)

            let grace = try #require(try await server.signIn("grace")["token"]?.string)
            let ended = try await server.run("sessions", "end", "--all", "--json")
            #expect(ended.status == 0 && ended.json["sessions_ended"] == 1, "\(ended.everything)")
            #expect(try await server.status(bearer: grace) == 401)
            #expect(try await server.run("sessions", "end").status == 64)
            #expect(try await server.run("sessions", "end", "--all", "--app", "x").status == 64)
            #expect(try await server.run("sessions", "end", "--session", "no-name").status == 64)
        }
    }
}
