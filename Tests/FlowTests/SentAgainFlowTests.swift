import Crypto
import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@testable import Composition
@testable import Operations

/// A phone that has lost an answer sends the same again, or its HTTP stack does by itself.
@Suite struct `A request that is sent again` {
    /// The session that an answer's access token names.
    private static func session(_ answer: HTTPTestAnswer) -> String? {
        answer["access_token"]?.string.flatMap { token in
            let parts = token.split(separator: ".")
            guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return nil }
            return (try? JSONValue(parsing: payload.span))?["sid"]?.string
        }
    }

    private func sessions(_ gatehouse: RunningGatehouse, _ answer: HTTPTestAnswer) async throws -> Int {
        let token = try #require(answer["access_token"]?.string, "\(answer.text)")
        let listed = try await gatehouse.call("GET", "/users/me/sessions", bearer: token)
        return try #require(listed.json.array, "\(listed.text)").count
    }

    private func expectSame(
        _ first: HTTPTestAnswer, _ again: HTTPTestAnswer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            first.status == 200 && again.status == 200, "\(first.text) \(again.text)", sourceLocation: sourceLocation)
        #expect(Self.session(first) == Self.session(again), sourceLocation: sourceLocation)
        for member in ["refresh_token", "new_user", "migrated", "user", "acr", "auth_time"] {
            #expect(first[member] == again[member], "\(member)", sourceLocation: sourceLocation)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `gets the session of a posted code once more, here and at another instance`() async throws {
        try await EndingStage.withTwo(.signOut) { stage in
            let authorized = try await stage.gatehouse.authorize("ada")
            let first = try await stage.gatehouse.signIn(authorized)
            expectSame(first, try await stage.gatehouse.signIn(authorized))
            expectSame(first, try await stage.post(authorized))
            #expect(try await sessions(stage.gatehouse, first) == 1)
            let codes = stage.gatehouse.simulation.requests(at: .token).count
            #expect(codes == 1)
        }
    }

    @Test func `is another request with other parameters, or under another API key`() async throws {
        try await RunningGatehouse.with(top: "apiKeys: [\(key("a")), \(key("b"))]") { gatehouse in
            let headers = ["X-API-KEY": key("a")]
            let authorized = try await gatehouse.authorize("ada")
            let body = authorized.body(["correlation_id": "one"])
            let first = try await gatehouse.post("/auth/signin", body, headers)
            #expect(first.status == 200, "\(first.text)")
            for (changed, headers) in [
                (authorized.body(["correlation_id": "two"]), headers), (authorized.body(), headers),
                (
                    authorized.body(["correlation_id": "one", "code_verifier": .string(Authorized.makeVerifier())]),
                    headers
                ),
                (body, ["X-API-KEY": key("b")]),
            ] {
                let again = try await gatehouse.post("/auth/signin", changed, headers)
                #expect(again.status == 401 && again["error"] == "invalid_grant", "\(again.text)")
            }
            expectSame(first, try await gatehouse.post("/auth/signin", body, headers))
        }
    }

    private func key(_ letter: String) -> String { String(repeating: letter, count: 32) }

    @Test func `with an ID token of an SDK's gets the same where its nonce is hashed, also after a restart`()
        async throws
    {
        try await NativeFlow.with([.auth0]) { flow in
            let handed = try await flow.ask(.auth0)
            let first = try await flow.post(handed, to: "auth0")
            expectSame(first, try await flow.post(handed, to: "auth0"))
            try await flow.post(handed, to: "auth0", ["correlation_id": "thief"]).expectRefused(401, "invalid_grant")
            let gatehouse = flow.gatehouse
            await gatehouse.server.stop()
            let yaml = RunningGatehouse.yaml(
                gatehouse.simulation, gatehouse.folder, others: ["auth0": NativeFlow.section(.auth0)])
            let server = try await RunningGatehouse.start(yaml, gatehouse.log, [:])
            expectSame(
                first,
                try await LoopbackClient(port: server.address.port).send(
                    "POST", "/auth/signin", headers: ["Content-Type": "application/json"],
                    body: handed.body("auth0", [:]).serialized))
            await server.stop()
        }
    }

    @Test func `gets the same where it answers a challenge, which was used up with the code`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let nonce = try #require(try await gatehouse.post("/auth/challenge", [:])["nonce"]?.string)
            let authorized = try await gatehouse.authorize("ada", ["nonce": nonce])
            let first = try await gatehouse.signIn(authorized, ["nonce": .string(nonce)])
            expectSame(first, try await gatehouse.signIn(authorized, ["nonce": .string(nonce)]))
            // With another code it proves nothing.
            let other = try await gatehouse.authorize("ada", ["nonce": nonce])
            #expect(try await gatehouse.signIn(other, ["nonce": .string(nonce)]).status == 401)
        }
    }

    @Test func `gets nothing of a session that was refreshed, or has ended`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for end in ["refresh", "sign out"] {
                let authorized = try await gatehouse.authorize("ada")
                let first = try await gatehouse.signIn(authorized)
                if end == "refresh" {
                    let token = try #require(first["refresh_token"]?.string)
                    #expect(try await gatehouse.refresh(token).status == 200)
                } else {
                    let token = try #require(first["access_token"]?.string)
                    #expect(try await gatehouse.call("DELETE", "/auth/token", bearer: token).status == 200)
                }
                let again = try await gatehouse.signIn(authorized)
                #expect(again.status == 401 && again["error"] == "invalid_grant", "\(end): \(again.text)")
            }
        }
    }

    /// On a machine with much to do, one may be told to come again, as an app is.
    private func patiently(_ ask: () async throws -> HTTPTestAnswer) async throws -> HTTPTestAnswer {
        var answer = try await ask()
        for _ in 0..<5 where answer.status == 503 { answer = try await ask() }
        return answer
    }

    @Test(.timeLimit(.minutes(3)))
    func `waits for the first where it comes in parallel, at either instance`() async throws {
        try await EndingStage.withTwo(.signOut) { stage in
            stage.gatehouse.simulation.latency = .milliseconds(300)
            let authorized = try await stage.gatehouse.authorize("ada")
            let answers = try await withThrowingTaskGroup(of: HTTPTestAnswer.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await patiently {
                            number.isMultiple(of: 2)
                                ? try await stage.gatehouse.signIn(authorized) : try await stage.post(authorized)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers { expectSame(answers[0], answer) }
            #expect(try await sessions(stage.gatehouse, answers[0]) == 1)
            #expect(stage.gatehouse.simulation.requests(at: .token).count == 1)
        }
    }

    @Test(arguments: [SimulatedEndpoint.token, .userinfo], [0, 60])
    func `is answered after the phone has gone away while its provider was asked`(
        endpoint: SimulatedEndpoint, milliseconds: Int
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("somebody")
            gatehouse.simulation.latency = .milliseconds(200)
            let before = gatehouse.simulation.requests(at: endpoint).count
            let authorized = try await gatehouse.authorize("ada")
            let body = authorized.body().serialized
            try await blocking {
                let connection = try HTTPTestConnection(to: gatehouse.port)
                let head = "POST /auth/signin HTTP/1.1\r\nHost: gatehouse\r\nContent-Type: application/json\r\n"
                connection.write(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
                // Until the provider has the request, and a moment longer.
                let deadline = ContinuousClock.now + .seconds(60)
                while gatehouse.simulation.requests(at: endpoint).count == before, ContinuousClock.now < deadline {
                    usleep(1000)
                }
                usleep(UInt32(milliseconds * 1000))
                connection.reset()
            }
            let again = try await gatehouse.signIn(authorized)
            #expect(again.status == 200 && again["new_user"] == true, "\(again.text)")
            #expect(try await sessions(gatehouse, again) == 1)
        }
    }

    @Test func `is the first where the provider was too busy for it, which is told with when to come again`()
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            gatehouse.simulation.misbehave(.tokenResponse(.busy), times: 1)
            let authorized = try await gatehouse.authorize("ada")
            let first = try await gatehouse.signIn(authorized)
            #expect(first.status == 503 && first["error"] == "provider_unavailable", "\(first.text)")
            #expect(first.header("retry-after") == "7")
            #expect(try await gatehouse.signIn(authorized).status == 200)
        }
    }

    @Test func `gets the same ticket, and the same session for it`() async throws {
        try await RunningGatehouse.with(top: "registration: ticket") { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let first = try await gatehouse.signIn(authorized)
            let again = try await gatehouse.signIn(authorized)
            #expect(first.status == 403 && again.status == 403, "\(first.text) \(again.text)")
            for member in ["link_ticket", "zenkey_attributes", "expires"] { #expect(first[member] == again[member]) }
            let ticket = try #require(first["link_ticket"])
            let registration: JSONValue = ["link_ticket": ticket, "name": "Ada"]
            let registered = try await gatehouse.post("/users", registration)
            let twice = try await gatehouse.post("/users", registration)
            #expect(registered.status == 201 && twice.status == 201, "\(registered.text) \(twice.text)")
            #expect(Self.session(registered) == Self.session(twice))
            #expect(registered["refresh_token"] == twice["refresh_token"])
            let other = try await gatehouse.post("/users", ["link_ticket": ticket, "name": "Eve"])
            #expect(other.status == 401, "\(other.text)")
            // What was redeemed is handed out no more.
            #expect(try await gatehouse.signIn(authorized).status == 401)
        }
    }

    @Test func `gets the same identity, and the same receipt`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let signedIn = try await gatehouse.challengedSignIn("ada")
            let token = try #require(signedIn["access_token"]?.string)
            let bearer = ["Authorization": "Bearer \(token)"]
            let authorized = try await gatehouse.authorize("ada", at: .borealis)
            let linked = try await gatehouse.post("/users/me/identities", authorized.body(), bearer)
            let again = try await gatehouse.post("/users/me/identities", authorized.body(), bearer)
            #expect(linked.status == 201 && again.status == 201, "\(linked.text) \(again.text)")
            #expect(linked.json == again.json)
            let context = "Pay 10 EUR"
            let approved = try await gatehouse.authorize(
                "ada", ["context": context, "nonce": "a-nonce-of-the-app", "acr_values": "a3"])
            let body = approved.body(["context": .string(context), "nonce": "a-nonce-of-the-app", "acr_values": "a3"])
            let receipts = [
                try await gatehouse.post("/auth/transaction", body, bearer),
                try await gatehouse.post("/auth/transaction", body, bearer),
            ].map { answer in
                answer["receipt"]?.string.flatMap { Base64URL.decode(String($0.split(separator: ".")[1])) }
            }
            #expect(receipts[0] != nil && receipts[0] == receipts[1])
        }
    }

    @Test func `with a provider's access token gets one session, and another request another one`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada")
            let first = try await gatehouse.exchange(token, ["correlation_id": "one"])
            let again = try await gatehouse.exchange(token, ["correlation_id": "one"])
            let other = try await gatehouse.exchange(token, ["correlation_id": "two"])
            expectSame(first, again)
            #expect(other.status == 200 && Self.session(other) != Self.session(first), "\(other.text)")
            // Once it has ended, the token is as good as it was.
            let access = try #require(first["access_token"]?.string)
            #expect(try await gatehouse.call("DELETE", "/auth/token", bearer: access).status == 200)
            let anew = try await gatehouse.exchange(token, ["correlation_id": "one"])
            #expect(anew.status == 200 && Self.session(anew) != Self.session(first), "\(anew.text)")
        }
    }

    @Test func `with an app's code gets the same after a reset, and is denied once the answer has gone out`()
        async throws
    {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let code = try await browser.code()
            let form = FormText.encode([
                "grant_type": "authorization_code", "code": code, "redirect_uri": BrowserFlow.redirectURI,
                "client_id": "desk", "code_verifier": browser.verifier,
            ])
            try await blocking {
                let connection = try HTTPTestConnection(to: gatehouse.port)
                let head = "POST /auth/token HTTP/1.1\r\nHost: gatehouse\r\n"
                let fields =
                    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n"
                connection.write(Array((head + fields + form).utf8))
                _ = try connection.read()
                connection.reset()
            }
            // It may come before the server has noted the reset.
            let again = try await browser.redeem(code)
            #expect(again.status == 200, "\(again.text)")
            let denied = try await browser.redeem(code)
            #expect(denied.status == 400 || denied.status == 401, "\(denied.text)")
            let access = try #require(again["access_token"]?.string)
            #expect(try await gatehouse.call("GET", "/users/me", bearer: access).status == 401)
        }
    }
}
