import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The authorization endpoint` {
    @Test func `sends code, state, network and correlation back at once when no prompt is wanted`() async throws {
        try await withSimulation { simulation throws in
            let answer = try SimulatedSignIn(simulation, at: .aurora)
                .authorizationAnswer(["correlation_id": "0123456789abcdef"])
            #expect(answer["code"]?.isEmpty == false)
            #expect(answer["state"] == "state-1")
            #expect(answer["mccmnc"] == "310410")
            #expect(answer["correlation_id"] == "0123456789abcdef")
            #expect(answer["iss"] == nil)
        }
    }

    @Test func `names the issuer where the provider announces it`() async throws {
        try await withSimulation { simulation throws in
            let answer = try SimulatedSignIn(simulation, at: .plain).authorizationAnswer()
            #expect(answer["iss"] == simulation.plain)
            #expect(answer["mccmnc"] == nil)
            let refused = try SimulatedSignIn(simulation, at: .plain).authorizationAnswer(["scope": "email"])
            #expect(refused["iss"] == simulation.plain)
        }
    }

    @Test(arguments: [
        ("client_id", "nobody"), ("client_id", ""), ("redirect_uri", ""),
        ("redirect_uri", "ccid-0123456789abcdef://com.xci.provider.sdk/"),
    ])
    func `shows a page and redirects nowhere for a wrong client or address`(field: String, value: String) async throws {
        try await withSimulation { simulation throws in
            let answer = try SimulatedSignIn(simulation, at: .borealis).authorize([field: value])
            #expect(answer.status == 400)
            #expect(answer.header("Location") == nil)
        }
    }

    @Test func `the authorization endpoint does not know a client of another issuer`() async throws {
        try await withSimulation { simulation throws in
            var signIn = SimulatedSignIn(simulation, at: .plain)
            (signIn.clientID, signIn.redirectURI) =
                ("ccid-0123456789abcdef", "ccid-0123456789abcdef://com.xci.provider.sdk")
            #expect(try signIn.authorize().status == 400)
        }
    }

    @Test(
        arguments: [
            ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
            ("scope", "email", "invalid_scope"), ("code_challenge", nil, "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"), ("code_challenge_method", nil, "invalid_request"),
            ("code_challenge", "too-short", "invalid_request"), ("prompt", "none login", "invalid_request"),
            ("prompt", "sometimes", "invalid_request"), ("login_hint", nil, "login_required"),
            ("login_hint", "Ada Lovelace", "invalid_login_hint"),
            ("login_hint_token", "made-up", "invalid_login_hint_token"), ("request", "eyJ", "request_not_supported"),
            ("request_uri", "https://example.com/", "request_uri_not_supported"),
            ("max_age", "soon", "invalid_request"),
            ("response_mode", "fragment", "invalid_request"), ("correlation_id", "short", "invalid_request"),
            ("context", String(repeating: "x", count: 281), "invalid_request"),
            ("misbehave", "unheard_of", "invalid_request"),
        ] as [(String, String?, String)])
    func `tells the client what is wrong`(field: String, value: String?, error: String) async throws {
        try await withSimulation { simulation throws in
            let answer = try SimulatedSignIn(simulation, at: .aurora).authorizationAnswer([field: value])
            #expect(answer["error"] == error)
            #expect(answer["state"] == "state-1")
            #expect(answer["code"] == nil)
        }
    }

    @Test func `refuses a repeated parameter`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let fields = signIn.authorizationFields() + [("nonce", "another")]
            let answer = try LoopbackClient.get("\(simulation.aurora)/authorize?\(FormText.encode(fields))")
            #expect(FormText.query(of: answer.header("Location") ?? "")["error"] == "invalid_request")
        }
    }

    @Test func `lets a client without the duty leave the challenge out`() async throws {
        let client = SimulatedClient(
            id: "relaxed", secret: "secret", redirectURIs: ["https://app.example.com/cb?x=1"], issuers: [.plain],
            requiresPKCE: false)
        try await withSimulation(clients: [client]) { simulation throws in
            var signIn = SimulatedSignIn(simulation, at: .plain)
            (signIn.clientID, signIn.secret, signIn.redirectURI) = (client.id, client.secret, client.redirectURIs[0])
            let code = try signIn.code(["code_challenge": nil, "code_challenge_method": nil])
            // A verifier that nobody asked for is the mark of a downgrade.
            #expect(try signIn.token(code: code).error == "invalid_grant")
            let second = try signIn.code(["code_challenge": nil, "code_challenge_method": nil])
            #expect(try signIn.token(code: second, ["code_verifier": nil]).status == 200)
        }
    }

    @Test(arguments: [
        (AuthorizationMisbehaviour.accessDenied, "access_denied"), (.userNotFound, "user_not_found"),
        (.timedOut, "authentication_timed_out"), (.deviceUnavailable, "device_unavailable"),
        (.temporarilyUnavailable, "temporarily_unavailable"),
    ])
    func `answers with an error on demand`(misbehaviour: AuthorizationMisbehaviour, error: String) async throws {
        try await withSimulation { simulation throws in
            let answer = try SimulatedSignIn(simulation, at: .borealis)
                .authorizationAnswer(["misbehave": misbehaviour.rawValue])
            #expect(answer["error"] == error)
        }
    }

    @Test func `spoils issuer and state on demand`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            func answer(_ misbehaviour: AuthorizationMisbehaviour) throws -> [String: String] {
                try signIn.authorizationAnswer(["misbehave": misbehaviour.rawValue])
            }
            #expect(try answer(.wrongIssuer)["iss"] == simulation.plain + "/other")
            #expect(try answer(.missingIssuer)["iss"] == nil)
            #expect(try answer(.wrongState)["state"] == "state-of-another-request")
            #expect(try answer(.missingState)["state"] == nil)
            #expect(try answer(.missingState)["code"] != nil)
        }
    }
}

@Suite struct `The sign-in page` {
    @Test func `asks who signs in and escapes what the request says`() async throws {
        try await withSimulation { simulation throws in
            let answer = try SimulatedSignIn(simulation, at: .aurora)
                .authorize(["prompt": nil, "login_hint": nil, "context": "<script>alert(1)</script>"])
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type")?.hasPrefix("text/html") == true)
            #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            #expect(answer.text.contains("Grace Hopper"))
            #expect(!answer.text.contains("<script>"))
            #expect(!answer.text.contains("http://"))
        }
    }

    @Test func `offers nobody who has changed carriers`() async throws {
        try await withSimulation { simulation throws in
            simulation.port(subscriber: "ada", to: .borealis)
            func page(_ carrier: SimulatedIssuer) throws -> String {
                try SimulatedSignIn(simulation, at: carrier).authorize(["prompt": nil, "login_hint": nil]).text
            }
            let (left, joined) = (try page(.aurora), try page(.borealis))
            #expect(!left.contains("Ada Lovelace"))
            #expect(left.contains("Grace Hopper"))
            #expect(joined.contains("Ada Lovelace"))
        }
    }

    @Test func `signs in whom the person chooses, with the scopes that are ticked`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            let fields = signIn.authorizationFields(["prompt": nil, "login_hint": nil])
            let answer = try LoopbackClient.post(
                "\(simulation.borealis)/authorize/decision",
                fields + [
                    ("simulation_subscriber", "grace"), ("simulation_scope_email", "yes"),
                    ("simulation_decision", "approve"),
                ])
            let code = try #require(FormText.query(of: answer.header("Location") ?? "")["code"])
            let tokens = try Tokens(try signIn.token(code: code))
            let userinfo = try signIn.userinfo(tokens.accessToken).object
            #expect(userinfo["email"]?.string == "grace@example.com")
            #expect(userinfo["name"] == nil)
            #expect(userinfo["phone_number"] == nil)
        }
    }

    @Test func `says no when the person does`() async throws {
        try await withSimulation { simulation throws in
            let fields = SimulatedSignIn(simulation, at: .aurora).authorizationFields(["prompt": nil])
            let answer = try LoopbackClient.post(
                "\(simulation.aurora)/authorize/decision",
                fields + [("simulation_subscriber", "ada"), ("simulation_decision", "deny")])
            #expect(FormText.query(of: answer.header("Location") ?? "")["error"] == "access_denied")
        }
    }
}
