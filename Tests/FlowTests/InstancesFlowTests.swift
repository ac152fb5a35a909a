import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Testing

@testable import Composition
@testable import Operations

@Suite struct `Two instances with one PostgreSQL` {
    /// Two servers that know the same providers, and share a store.
    private func withTwo(_ body: (RunningGatehouse, _ other: UInt16) async throws -> Void) async throws {
        try await SharedStore.with { environment in
            try await RunningGatehouse.with(environment: environment) { gatehouse in
                let yaml = RunningGatehouse.yaml(
                    gatehouse.simulation, gatehouse.folder,
                    top: "session: {issuer: 'http://127.0.0.1:\(gatehouse.port)'}")
                let other = try await RunningGatehouse.start(yaml, RecordedLog(), environment)
                let outcome: Result<Void, any Error>
                do { outcome = .success(try await body(gatehouse, other.address.port)) } catch {
                    outcome = .failure(error)
                }
                await other.stop()
                try outcome.get()
            }
        }
    }

    private func post(_ path: String, _ body: JSONValue, at port: UInt16) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: port).send(
            "POST", path, headers: ["Content-Type": "application/json"], body: body.serialized)
    }

    private func me(_ token: String, at port: UInt16) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: port).send("GET", "/users/me", headers: ["Authorization": "Bearer \(token)"])
    }

    @Test func `know each other's users and sessions, and end them at once`() async throws {
        try await withTwo { gatehouse, other in
            let signedIn = try await gatehouse.signIn("ada")
            #expect(signedIn.status == 200, "\(signedIn.text)")
            let token = try #require(signedIn["token"]?.string)
            let there = try await me(token, at: other)
            #expect(there.status == 200, "\(there.text)")
            let again = try await post("/auth/signin", gatehouse.authorize("ada").body(), at: other)
            #expect(again["user"]?["user_id"] == signedIn["user"]?["user_id"])
            let form = ["grant_type": "refresh_token", "refresh_token": signedIn["refresh_token"]?.string ?? ""]
            let refreshed = try await LoopbackClient(port: other).send(
                "POST", "/auth/token",
                headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(FormText.encode(form).utf8))
            #expect(refreshed.status == 200, "\(refreshed.text)")
            let renewed = try #require(refreshed["token"]?.string)
            let left = try await LoopbackClient(port: other).send(
                "DELETE", "/auth/token", headers: ["Authorization": "Bearer \(renewed)"])
            #expect(left.status == 200, "\(left.status) \(left.text)")
            #expect(try await me(token, at: gatehouse.port).status == 401)
        }
    }

    @Test func `let five tries a day at an attribute of a user, at both together`() async throws {
        try await withTwo { gatehouse, other in
            let token = try #require(try await gatehouse.signIn("ada")["token"]?.string)
            for (number, port) in [gatehouse.port, other, other, gatehouse.port, other, gatehouse.port].enumerated() {
                let answer = try await gatehouse.call(
                    "POST", "/users/me/match", bearer: token, form: ["postal_code": "1234\(number)"], at: port)
                #expect(answer.status == (number < 5 ? 200 : 429), "\(number) \(answer.text)")
            }
        }
    }

    @Test func `hold an end of sessions against what is under way at the other`() async throws {
        try await withTwo { gatehouse, other in
            let token = try #require(try await gatehouse.challengedSignIn("ada")["token"]?.string)
            let before = try await gatehouse.authorize("ada")
            let ended = try await gatehouse.call("DELETE", "/users/me/sessions", bearer: token)
            #expect(ended.status == 200, "\(ended.text)")
            #expect(try await me(token, at: other).status == 401)
            let late = try await post("/auth/signin", before.body(), at: other)
            #expect(late.status == 401 && late["error"] == "insufficient_user_authentication", "\(late.text)")
            #expect(try await gatehouse.challengedSignIn("ada").status == 200)
        }
    }

    @Test func `take a logout token once between them, so that it ends nothing newer`() async throws {
        try await withTwo { gatehouse, other in
            let first = try await gatehouse.plainSession(of: "ada")
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "by": "sub"])
            #expect(try await gatehouse.logOut(token).status == 200)
            #expect(try await me(first.token, at: other).status == 401)
            let second = try await gatehouse.plainSession(of: "ada")
            let replayed = try await LoopbackClient(port: other).send(
                "POST", "/auth/plain/backchannel-logout",
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(FormText.encode(["logout_token": token]).utf8))
            #expect(replayed.status == 400, "\(replayed.text)")
            for port in [gatehouse.port, other] { #expect(try await me(second.token, at: port).status == 200) }
        }
    }

    @Test func `take a code once between them`() async throws {
        try await withTwo { gatehouse, other in
            for _ in 0..<20 {
                let app = try await gatehouse.authorize("ada")
                async let one = post("/auth/signin", app.body(), at: gatehouse.port)
                async let two = post("/auth/signin", app.body(["correlation_id": "thief"]), at: other)
                let statuses = try await [one.status, two.status].sorted()
                #expect(statuses[0] == 200 && statuses[1] >= 400, "\(statuses)")
            }
        }
    }

    @Test func `make one user of two first sign-ins at once`() async throws {
        try await withTwo { gatehouse, other in
            let (first, second) = (
                try await gatehouse.authorize("ada").body(), try await gatehouse.authorize("ada").body()
            )
            async let one = post("/auth/signin", first, at: gatehouse.port)
            async let two = post("/auth/signin", second, at: other)
            let answers = try await [one, two]
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 201 }, "\(answers.map(\.text))")
            #expect(answers[0]["user"]?["user_id"] == answers[1]["user"]?["user_id"])
        }
    }
}
