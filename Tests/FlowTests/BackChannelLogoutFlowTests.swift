import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

extension RunningGatehouse {
    /// A logout token of a subscriber, as the simulated provider signs it.
    func logoutToken(_ command: [String: JSONValue]) async throws -> String {
        let port = try #require(URLComponents(string: simulation.plain)?.port)
        let answer = try await LoopbackClient(port: UInt16(port)).send(
            "POST", "/control/logout-token", headers: ["Content-Type": "application/json"],
            body: JSONValue.object(JSONObject(command.map { (name: $0, value: $1) })).serialized)
        return try #require(answer["logout_token"]?.string, "\(answer.status) \(answer.text)")
    }

    /// What the provider would do with it.
    func logOut(_ token: String, at provider: String = "plain") async throws -> HTTPTestAnswer {
        try await call("POST", "/auth/\(provider)/backchannel-logout", form: ["logout_token": token])
    }

    /// Signs a subscriber in at the plain provider.
    func plainSession(of subscriber: String) async throws -> (token: String, refreshToken: String) {
        let answer = try await challengedSignIn(subscriber, at: .plain)
        return (
            try #require(answer["token"]?.string, "\(answer.text)"), try #require(answer["refresh_token"]?.string)
        )
    }

    func isLive(_ token: String) async throws -> Bool {
        try await call("GET", "/users/me", bearer: token).status == 200
    }
}

@Suite struct `A logout by a provider over real sockets` {
    @Test func `ends the session that came of the provider's own, and its refresh token`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let first = try await gatehouse.plainSession(of: "ada")
            let second = try await gatehouse.plainSession(of: "ada")
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "by": "sid"])
            let answer = try await gatehouse.logOut(token)
            #expect(answer.status == 200 && answer.text.isEmpty, "\(answer.text)")
            #expect(answer.header("cache-control") == "no-store")
            #expect(try await !gatehouse.isLive(second.token))
            #expect(try await gatehouse.refresh(second.refreshToken).status == 401)
            #expect(try await gatehouse.isLive(first.token))
            // A second post of the same token is a replay.
            let again = try await gatehouse.logOut(token)
            #expect(again.status == 400 && again["error"] == "invalid_request")
        }
    }

    @Test func `ends all sessions of a user, and nobody else's`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let ada = [try await gatehouse.plainSession(of: "ada"), try await gatehouse.plainSession(of: "ada")]
            let grace = try await gatehouse.plainSession(of: "grace")
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "by": "sub"])
            #expect(try await gatehouse.logOut(token).status == 200)
            for session in ada { #expect(try await !gatehouse.isLive(session.token)) }
            #expect(try await gatehouse.isLive(grace.token))
        }
    }

    @Test func `ends what a carrier has opened, whose ID tokens name no session`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let aurora = try await gatehouse.signIn("ada")
            let session = try #require(aurora["token"]?.string)
            let foreign = try await gatehouse.logoutToken(["subscriber": "ada", "issuer": "borealis"])
            #expect(try await gatehouse.logOut(foreign, at: "zenkey").status == 200)
            #expect(try await gatehouse.isLive(session))
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "issuer": "aurora"])
            #expect(try await gatehouse.logOut(token, at: "plain").status == 400)
            #expect(try await gatehouse.isLive(session))
            #expect(try await gatehouse.logOut(token, at: "zenkey").status == 200)
            #expect(try await !gatehouse.isLive(session))
        }
    }

    @Test(arguments: LogoutTokenMisbehaviour.allCases)
    func `is refused with anything the matter with its token, and ends nothing`(
        _ misbehaviour: LogoutTokenMisbehaviour
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let session = try await gatehouse.plainSession(of: "ada")
            let token = try await gatehouse.logoutToken([
                "subscriber": "ada", "misbehaviour": .string(misbehaviour.rawValue),
            ])
            let answer = try await gatehouse.logOut(token)
            // Right by the specification, and less than this service demands.
            let isValid = misbehaviour.rawValue.hasSuffix("_valid") && misbehaviour != .plainTypeValid
            #expect(answer.status == (isValid ? 200 : 400), "\(answer.text)")
            let namesIt = isValid && misbehaviour != .unknownSessionValid
            #expect(try await gatehouse.isLive(session.token) == !namesIt)
        }
    }
}
