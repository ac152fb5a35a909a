import Crypto
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The simulated introspection` {
    private func ask(
        _ simulation: Simulation, _ token: String, secret: String = "demo-secret-plain"
    ) throws -> HTTPTestAnswer {
        try LoopbackClient.post(
            simulation.plain + "/introspect",
            [("token", token), ("client_id", "gatehouse-demo"), ("client_secret", secret)])
    }

    @Test func `tells of every client's tokens whose they are`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            #expect(try signIn.configuration["introspection_endpoint"]?.string == simulation.plain + "/introspect")
            var other = signIn
            other.clientID = "gatehouse-public"
            let code = try other.code()
            let fields = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", other.redirectURI),
                ("code_verifier", SimulatedSignIn.verifier), ("client_id", "gatehouse-public"),
            ]
            let foreign = try Tokens(try LoopbackClient.post(simulation.plain + "/token", fields)).accessToken
            for (token, client) in [(try signIn.tokens().accessToken, "gatehouse-demo"), (foreign, "gatehouse-public")]
            {
                let answer = try ask(simulation, token).object
                #expect(answer["active"] == true && answer["token_type"] == "Bearer")
                #expect(answer["client_id"]?.string == client && answer["aud"]?.string == client)
                #expect(answer["sub"]?.string == simulation.subject(of: "ada", for: client, at: .plain))
                #expect(answer["iss"]?.string == simulation.plain && answer["exp"]?.integer != nil)
            }
        }
    }

    @Test func `tells a refresh token from an access token, and nothing of what is none`() async throws {
        try await withSimulation { simulation throws in
            let tokens = try SimulatedSignIn(simulation, at: .plain).tokens()
            let refreshToken = try #require(tokens.answer["refresh_token"]?.string)
            #expect(try ask(simulation, refreshToken).object["token_type"] == "refresh_token")
            for token in ["made-up", try #require(tokens.answer["id_token"]?.string)] {
                #expect(try ask(simulation, token).object.members.map(\.name) == ["active"])
            }
        }
    }

    @Test func `is for clients that prove who they are`() async throws {
        try await withSimulation { simulation throws in
            let token = try SimulatedSignIn(simulation, at: .plain).tokens().accessToken
            let answer = try ask(simulation, token, secret: "wrong")
            #expect(answer.status == 401)
            #expect(try answer.error == "invalid_client")
        }
    }

    @Test func `takes access tokens that are JWTs, as userinfo does`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let text = try signIn.tokens(["misbehave": "access_token_jwt_valid"]).accessToken
            let token = try TestToken(text)
            #expect(try token.header["typ"] == "at+jwt")
            let key = try signIn.key(try token.header["kid"]?.string)
            #expect(token.isSigned(by: key, .rs256))
            let claims = try token.claims
            #expect(claims["aud"] == "gatehouse-demo" && claims["client_id"] == "gatehouse-demo")
            for name in ["iss", "sub", "exp", "iat", "jti"] { #expect(claims[name] != nil) }
            #expect(try signIn.userinfo(text).status == 200)
            #expect(try ask(simulation, text).object["active"] == true)
        }
    }
}
