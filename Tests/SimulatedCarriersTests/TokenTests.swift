import Crypto
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The token endpoint` {
    @Test(arguments: [SimulatedIssuer.aurora, .borealis, .plain])
    func `answers a right request with tokens that nobody may store`(issuer: SimulatedIssuer) async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: issuer)
            let code = try signIn.code(["acr_values": "a3 a1"])
            let answer = try signIn.token(code: code, ["correlation_id": "0123456789abcdef"])
            #expect(answer.status == 200)
            #expect(answer.header("Cache-Control") == "no-store")
            let tokens = try Tokens(answer)
            #expect(tokens.answer["token_type"]?.string == "Bearer")
            #expect(tokens.answer["expires_in"]?.integer == 3_600)
            #expect(tokens.answer["correlation_id"]?.string == "0123456789abcdef")
            let idToken = try tokens.idToken
            let claims = try idToken.claims
            #expect(claims["iss"]?.string == simulation.url(of: issuer))
            #expect(claims["sub"]?.string == simulation.subject(of: "ada", for: signIn.clientID, at: issuer))
            #expect(claims["nonce"]?.string == "nonce-1")
            #expect(claims["acr"]?.string == (issuer == .aurora ? "aal3" : "a3"))
            #expect(idToken.isSigned(by: try signIn.key(try idToken.header["kid"]?.string), .rs256))
        }
    }

    @Test func `repeats the correlation of the authorization when the token request has none`() async throws {
        try await withSimulation { simulation throws in
            let tokens = try SimulatedSignIn(simulation, at: .aurora).tokens(["correlation_id": "0123456789abcdef"])
            #expect(tokens.answer["correlation_id"]?.string == "0123456789abcdef")
        }
    }

    @Test func `writes times and audience as each carrier does`() async throws {
        try await withSimulation { simulation throws in
            let aurora = try SimulatedSignIn(simulation, at: .aurora).tokens().idToken.claims
            #expect(aurora["exp"]?.integer != nil)
            #expect(aurora["aud"]?.string == "ccid-0123456789abcdef")
            let borealis = try SimulatedSignIn(simulation, at: .borealis).tokens().idToken.claims
            #expect(borealis["exp"]?.string != nil)
            #expect(borealis["aud"]?.array == ["ccid-0123456789abcdef"])
            #expect(aurora["sub"] != borealis["sub"])
        }
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .es256, .edDSA])
    func `signs with the algorithm that the request names`(algorithm: SignatureAlgorithm) async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let idToken = try signIn.tokens(["id_token_alg": algorithm.rawValue]).idToken
            #expect(try idToken.header["alg"]?.string == algorithm.rawValue)
            #expect(idToken.isSigned(by: try signIn.key(try idToken.header["kid"]?.string), algorithm))
        }
    }

    @Test func `takes a code once, and a second use revokes the tokens of the first`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            let code = try signIn.code()
            let tokens = try Tokens(try signIn.token(code: code))
            #expect(try signIn.userinfo(tokens.accessToken).status == 200)
            #expect(try signIn.token(code: code).error == "invalid_grant")
            #expect(try signIn.userinfo(tokens.accessToken).status == 401)
        }
    }

    @Test(
        arguments: [
            ("code_verifier", nil, "invalid_request"), ("code_verifier", "short", "invalid_request"),
            ("code_verifier", String(repeating: "w", count: 43), "invalid_grant"),
            ("redirect_uri", nil, "invalid_request"),
            ("redirect_uri", "https://elsewhere.example.com/", "invalid_grant"), ("code", "made-up", "invalid_grant"),
            ("code", nil, "invalid_request"), ("grant_type", nil, "invalid_request"),
            ("grant_type", "password", "unsupported_grant_type"),
        ] as [(String, String?, String)])
    func `refuses a wrong request`(field: String, value: String?, error: String) async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let answer = try signIn.token(code: try signIn.code(), [field: value])
            #expect(answer.status == 400)
            #expect(try answer.error == error)
        }
    }

    @Test func `refuses a wrong secret with a challenge`() async throws {
        try await withSimulation { simulation throws in
            var signIn = SimulatedSignIn(simulation, at: .aurora)
            let code = try signIn.code()
            signIn.secret = "guessed"
            let answer = try signIn.token(code: code)
            #expect(answer.status == 401)
            #expect(try answer.error == "invalid_client")
            #expect(answer.header("WWW-Authenticate")?.hasPrefix("Basic") == true)
        }
    }

    @Test func `takes a client_id beside Basic at one carrier and refuses it at the other`() async throws {
        try await withSimulation { simulation throws in
            let strict = SimulatedSignIn(simulation, at: .aurora)
            let refused = try strict.token(code: try strict.code(), ["client_id": strict.clientID])
            #expect(try refused.error == "invalid_request")
            let lenient = SimulatedSignIn(simulation, at: .borealis)
            #expect(try lenient.token(code: try lenient.code(), ["client_id": lenient.clientID]).status == 200)
        }
    }

    @Test func `reads credentials as form encoding has them`() async throws {
        let client = SimulatedClient(
            id: "an app", secret: "a:b+c%", redirectURIs: ["com.example.app:/callback"], issuers: [.plain])
        try await withSimulation(clients: [client]) { simulation throws in
            var signIn = SimulatedSignIn(simulation, at: .plain)
            signIn.clientID = client.id
            let (first, second) = (try signIn.code(), try signIn.code())
            (signIn.clientID, signIn.secret) = ("an+app", "a%3Ab%2Bc%25")
            #expect(try signIn.token(code: first).status == 200)
            (signIn.clientID, signIn.secret) = ("an app", "a:b+c%")
            #expect(try signIn.token(code: second).error == "invalid_client")
        }
    }

    @Test func `takes credentials in the body from a client that is registered for it`() async throws {
        try await withSimulation { simulation throws in
            func answer(_ signIn: SimulatedSignIn) throws -> HTTPTestAnswer {
                try LoopbackClient.post(
                    simulation.url(of: signIn.issuer) + "/token",
                    [
                        ("grant_type", "authorization_code"), ("code", try signIn.code()),
                        ("redirect_uri", signIn.redirectURI), ("code_verifier", SimulatedSignIn.verifier),
                        ("client_id", signIn.clientID), ("client_secret", signIn.secret),
                    ])
            }
            #expect(try answer(SimulatedSignIn(simulation, at: .plain)).status == 200)
            #expect(try answer(SimulatedSignIn(simulation, at: .borealis)).status == 401)
        }
    }

    @Test func `rotates refresh tokens and revokes the family of one that comes back`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let first = try #require(try signIn.tokens().answer["refresh_token"]?.string)
            let answer = try signIn.refresh(first)
            #expect(answer.status == 200)
            let refreshed = try Tokens(answer)
            #expect(try refreshed.idToken.claims["nonce"] == nil)
            let second = try #require(refreshed.answer["refresh_token"]?.string)
            #expect(second != first)
            #expect(try signIn.refresh(first).error == "invalid_grant")
            #expect(try signIn.refresh(second).error == "invalid_grant")
            #expect(try signIn.userinfo(refreshed.accessToken).status == 401)
        }
    }

    @Test func `spoils a refreshed ID token on demand`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let tokens = try signIn.tokens()
            simulation.misbehave(.idToken(.otherSubject), of: .plain, times: 1)
            let refreshed = try Tokens(try signIn.refresh(try #require(tokens.answer["refresh_token"]?.string)))
            #expect(try refreshed.idToken.claims["sub"] != tokens.idToken.claims["sub"])
        }
    }

    @Test func `gives a refresh token only for offline access where that is the rule`() async throws {
        try await withSimulation { simulation throws in
            #expect(
                try SimulatedSignIn(simulation, at: .plain).tokens(["scope": "openid"]).answer["refresh_token"] == nil)
            #expect(try SimulatedSignIn(simulation, at: .aurora).tokens().answer["refresh_token"] != nil)
        }
    }

    @Test(arguments: [
        (TokenResponseMisbehaviour.invalidClient, 401, "invalid_client"), (.invalidGrant, 400, "invalid_grant"),
        (.requestDenied, 400, "request_denied"), (.accessDenied, 403, "access_denied"),
        (.temporarilyUnavailable, 503, "temporarily_unavailable"), (.userNotFound, 400, "user_not_found"),
        (.serverError, 500, "server_error"), (.errorInside200, 200, "request_denied"),
    ])
    func `answers with an error on demand`(
        misbehaviour: TokenResponseMisbehaviour, status: Int, error: String
    ) async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            let answer = try signIn.token(code: try signIn.code(["misbehave": misbehaviour.rawValue]))
            #expect(answer.status == status)
            #expect(try answer.error == error)
        }
    }

    @Test func `spoils its answer on demand`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            func answer(_ misbehaviour: TokenResponseMisbehaviour) throws -> HTTPTestAnswer {
                try signIn.token(code: try signIn.code(["misbehave": misbehaviour.rawValue]))
            }
            #expect(try answer(.withoutIDToken).object["id_token"] == nil)
            #expect(try answer(.withoutAccessToken).object["access_token"] == nil)
            #expect(try answer(.wrongType).object["token_type"] == "mac")
            #expect(try answer(.typeInOddCase).object["token_type"] == "bEaReR")
            #expect(try answer(.withoutLifetime).object["expires_in"] == nil)
            #expect(try answer(.lifetimeAsText).object["expires_in"] == "3600")
            let page = try answer(.html400)
            #expect(page.status == 400)
            #expect(page.header("Content-Type")?.hasPrefix("text/html") == true)
        }
    }
}
