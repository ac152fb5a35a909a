import Crypto
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The simulated logout tokens` {
    private func answer(_ simulation: Simulation, _ body: String) throws -> HTTPTestAnswer {
        try LoopbackClient.ask(
            "POST", "\(simulation.plain)/control/logout-token", headers: [("Content-Type", "application/json")],
            body: body)
    }

    /// The token, which one of the published keys has signed.
    private func token(_ simulation: Simulation, _ body: String, at issuer: SimulatedIssuer = .plain) throws
        -> TestToken
    {
        let text = try #require(try answer(simulation, body).object["logout_token"]?.string, "\(body)")
        let token = try TestToken(text)
        let key = try SimulatedSignIn(simulation, at: issuer).key(try token.header["kid"]?.string)
        #expect(token.isSigned(by: key, .rs256))
        return token
    }

    @Test func `name the session that the subscriber has opened last, as its ID tokens do`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let sessions = try (0..<2).map { _ in try signIn.tokens().idToken.claims["sid"]?.string }
            #expect(sessions[0] != nil && sessions[0] != sessions[1])
            let token = try token(simulation, #"{"subscriber":"ada"}"#)
            #expect(try token.header["typ"] == "logout+jwt")
            let claims = try token.claims
            #expect(claims["sid"]?.string == sessions[1])
            #expect(
                claims["sub"]?.string == simulation.subject(of: "ada", for: "gatehouse-demo", at: .plain))
            #expect(claims["nonce"] == nil)
            #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
            #expect(try self.token(simulation, #"{"subscriber":"ada","by":"sid"}"#).claims["sub"] == nil)
            #expect(try self.token(simulation, #"{"subscriber":"ada","by":"sub"}"#).claims["sid"] == nil)
        }
    }

    @Test func `name a user where there is no session, as carriers do`() async throws {
        try await withSimulation { simulation throws in
            let claims = try token(simulation, #"{"subscriber":"ada","issuer":"aurora"}"#, at: .aurora).claims
            #expect(claims["sid"] == nil && claims["sub"]?.string != nil)
            #expect(claims["iss"]?.string == simulation.aurora)
            #expect(try answer(simulation, #"{"subscriber":"ada","by":"sid"}"#).status == 400)
        }
    }

    @Test(arguments: [
        "", "{}", #"{"subscriber":"ADA"}"#, #"{"subscriber":"ada","issuer":"discovery"}"#,
        #"{"subscriber":"ada","client":"nobody"}"#, #"{"subscriber":"ada","by":"name"}"#,
        #"{"subscriber":"ada","misbehaviour":"unheard_of"}"#,
    ])
    func `are refused to who asks for what there is not`(body: String) async throws {
        try await withSimulation { simulation throws in
            #expect(try answer(simulation, body).status == 400)
        }
    }

    @Test func `are announced, and have a name for each thing that can be the matter`() async throws {
        try await withSimulation { simulation throws in
            let configuration = try SimulatedSignIn(simulation, at: .plain).configuration
            #expect(configuration["backchannel_logout_supported"] == true)
            #expect(configuration["backchannel_logout_session_supported"] == true)
            let names = try LoopbackClient.get("\(simulation.plain)/control/logout-token").object["misbehaviours"]?
                .array
            #expect(names?.count == LogoutTokenMisbehaviour.allCases.count)
            let right = try answer(simulation, #"{"subscriber":"ada"}"#).object["logout_token"]?.string
            for name in try #require(names).compactMap(\.string) {
                let body = #"{"subscriber":"ada","misbehaviour":"\#(name)"}"#
                let token = try answer(simulation, body).object["logout_token"]?.string
                #expect(token != nil && token != right)
            }
        }
    }
}
