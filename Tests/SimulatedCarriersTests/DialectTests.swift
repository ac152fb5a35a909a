import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A dialect` {
    private static let browsed = SimulatedIssuer.dialects.filter { ![.apple, .facebook, .firebase].contains($0) }

    @Test(arguments: SimulatedIssuer.dialects)
    func `hands an app a token that its published keys verify`(issuer: SimulatedIssuer) async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: issuer)
            let token = try signIn.nativeToken()
            #expect(try signIn.isPublished(token))
            let claims = try token.claims
            #expect(claims["iss"]?.string == simulation.tokenIssuer(of: issuer))
            #expect(claims["nonce"] == "nonce-1")
            let audience = issuer == .google ? signIn.clientID : signIn.app
            #expect(claims["sub"]?.string == simulation.subject(of: "ada", for: audience, at: issuer))
            if issuer != .firebase { #expect(claims["aud"]?.string == audience) }
            #expect(try signIn.nativeToken(["login_hint": "grace"]).claims["sub"] != claims["sub"])
        }
    }

    @Test(arguments: SimulatedIssuer.dialects)
    func `refuses an app and a person that it does not know, and what it can't do`(issuer: SimulatedIssuer)
        async throws
    {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: issuer)
            #expect(try signIn.native(["client_id": "gatehouse-demo"]).error == "invalid_client")
            #expect(try signIn.native(["client_id": nil]).status == 400)
            #expect(try signIn.native(["login_hint": "Nobody!"]).error == "invalid_login_hint")
            #expect(try signIn.native(["login_hint": nil]).status == 400)
            #expect(try signIn.native(["misbehave": "unheard_of"]).error == "invalid_request")
            #expect(try signIn.native(["tenant": "unheard-of"]).error == "invalid_request")
            #expect(try signIn.native(["age_seconds": "yesterday"]).error == "invalid_request")
        }
    }

    @Test(arguments: browsed)
    func `signs in with a browser, and redeems a code once`(issuer: SimulatedIssuer) async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: issuer)
            let code = try signIn.code()
            let answer = try signIn.redeem(code)
            #expect(answer.status == 200, "\(answer.text)")
            let tokens = try Tokens(answer)
            #expect(try tokens.idToken.claims["iss"]?.string == simulation.tokenIssuer(of: issuer))
            #expect(try tokens.idToken.claims["aud"]?.string == signIn.clientID)
            if issuer != .line { #expect(try signIn.isPublished(tokens.idToken)) }
            #expect(try signIn.redeem(code).status >= 400)
        }
    }

    @Test func `shows a page, whose decision comes back to where it was shown`() async throws {
        try await withSimulation { simulation throws in
            for issuer in Self.browsed {
                let signIn = DialectSignIn(simulation, at: issuer)
                let address = try signIn.authorization(["prompt": nil])
                let page = try LoopbackClient.get(address)
                let path = address.prefix { $0 != "?" }.dropFirst(simulation.url(of: issuer).count)
                #expect(page.text.contains("action=\"/\(issuer.rawValue)\(path)/decision\""))
                let fields = FormText.query(of: address).merging([
                    "simulation_decision": "approve", "simulation_subscriber": "ada",
                ]) { $1 }
                let answer = try LoopbackClient.post(
                    address.prefix { $0 != "?" } + "/decision", DialectSignIn.list(fields))
                let code = try #require(FormText.query(of: answer.header("Location") ?? "")["code"])
                #expect(try signIn.redeem(code).status == 200)
            }
        }
    }

    @Test func `counts, misbehaves and changes its keys as any issuer`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .auth0)
            simulation.misbehave(.idToken(.expired), of: .auth0, times: 1)
            let expired = try signIn.nativeToken().claims
            #expect(try #require(expired["exp"]?.integer) < StatingClient.now)
            let token = try signIn.nativeToken()
            #expect(try #require(try token.claims["exp"]?.integer) > StatingClient.now)
            #expect(simulation.counts[.auth0, .native] == 2)
            #expect(simulation.counts[.google, .native] == 0)
            #expect(try signIn.isPublished(token))
            try simulation.rotateKeys(of: .auth0)
            #expect(try !signIn.isPublished(token))
            #expect(try signIn.isPublished(try signIn.nativeToken()))
            simulation.misbehave(.answer(.serviceUnavailable), at: .configuration, of: .auth0, times: 1)
            let metadata = try #require(simulation.metadata(of: .auth0))
            #expect(try LoopbackClient.get(metadata).status == 503)
            #expect(try LoopbackClient.get(metadata).status == 200)
        }
    }

    @Test func `takes JSON, and the time that it is told`() async throws {
        try await withSimulation { simulation throws in
            let body = #"{"login_hint":"ada","client_id":"com.example.app","age_seconds":7200,"first":true}"#
            let answer = try LoopbackClient.ask("POST", simulation.url(of: .apple) + "/native", body: body)
            let token = try Tokens(native: answer).idToken
            let issued = try #require(try token.claims["iat"]?.integer)
            #expect((7200...7260).contains(StatingClient.now - issued))
            #expect(try token.claims["exp"]?.integer == issued + 86_400)
            #expect(try token.claims["nonce"] == nil)
            #expect(try answer.object["user"] != nil)
            let signIn = DialectSignIn(simulation, at: .google)
            #expect(try signIn.nativeToken(["issued_at": "1790000000"]).claims["iat"] == 1_790_000_000)
        }
    }

    @Test func `calls a subscriber alike, or otherwise to each client`() async throws {
        try await withSimulation { simulation throws in
            for issuer in SimulatedIssuer.dialects {
                let subjects = ["one", "another"].map { simulation.subject(of: "ada", for: $0, at: issuer) }
                #expect((subjects[0] == subjects[1]) == ![.entra, .facebook].contains(issuer), "\(issuer)")
            }
        }
    }
}
