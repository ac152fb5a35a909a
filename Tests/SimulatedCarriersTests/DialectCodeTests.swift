import Crypto
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A dialect's code` {
    @Test func `from Google's SDK is redeemed by the server, with an empty redirect URI`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .google)
            func code() throws -> String { try #require(try signIn.native().object["code"]?.string) }
            func answer(_ changes: [String: String?]) throws -> HTTPTestAnswer {
                try signIn.redeem(try code(), ["code_verifier": nil, "redirect_uri": ""].merging(changes) { $1 })
            }
            let tokens = try Tokens(native: try answer([:]))
            #expect(try tokens.idToken.claims["azp"]?.string == signIn.clientID)
            #expect(tokens.answer["refresh_token"] != nil)
            for uri in [nil, DialectSignIn.redirectURI] {
                let wrong = try answer(["redirect_uri": uri])
                #expect(wrong.status == 400)
                #expect(try wrong.error == "redirect_uri_mismatch")
            }
            #expect(try answer(["code_verifier": SimulatedSignIn.verifier]).error == "invalid_grant")
            let app = try answer(["client_id": signIn.app, "client_secret": nil])
            #expect(try app.error == "unauthorized_client", "another client's")
        }
    }

    @Test func `from a browser is not redeemed with an empty redirect URI`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .google)
            #expect(try signIn.redeem(try signIn.code(), ["redirect_uri": ""]).error == "redirect_uri_mismatch")
        }
    }

    @Test func `from Google is revoked by anybody with its token`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .google)
            let tokens = try signIn.tokens()
            let url = try #require(try signIn.configuration["revocation_endpoint"]?.string)
            #expect(try LoopbackClient.post(url, [("token", "rubbish")]).error == "invalid_token")
            #expect(try signIn.userinfo(tokens.accessToken).status == 200)
            #expect(try LoopbackClient.post(url, [("token", tokens.accessToken)]).status == 200)
            #expect(try signIn.userinfo(tokens.accessToken).status == 401)
        }
    }

    /// What an issuer says to a used code.
    @Test(
        arguments: [
            (SimulatedIssuer.google, 400, "Bad Request"), (.auth0, 403, "Invalid authorization code"),
            (.okta, 400, "The authorization code is invalid or has expired."), (.keycloak, 400, "Code not valid"),
            (.cognito, 400, nil), (.line, 400, "invalid authorization code"),
        ] as [(SimulatedIssuer, Int, String?)])
    func `is refused in the provider's words when it was used`(issuer: SimulatedIssuer, status: Int, words: String?)
        async throws
    {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: issuer)
            let code = try signIn.code()
            #expect(try signIn.redeem(code).status == 200)
            let answer = try signIn.redeem(code)
            #expect(answer.status == status)
            #expect(try answer.error == "invalid_grant")
            #expect(try answer.object["error_description"]?.string == words)
        }
    }

    /// What an issuer says to a wrong secret.
    @Test(arguments: [
        (SimulatedIssuer.google, 401, "invalid_client"), (.auth0, 401, "access_denied"),
        (.okta, 401, "invalid_client"), (.keycloak, 401, "unauthorized_client"), (.entra, 401, "invalid_client"),
        (.cognito, 400, "invalid_client"),
    ])
    func `is refused without the secret`(issuer: SimulatedIssuer, status: Int, error: String) async throws {
        try await withSimulation { simulation throws in
            var signIn = DialectSignIn(simulation, at: issuer)
            let code = try signIn.code()
            signIn.secret = "wrong"
            let answer = try signIn.redeem(code)
            #expect(answer.status == status)
            #expect(try answer.error == error)
            signIn.secret = "demo-secret-\(issuer.rawValue)"
            #expect(try signIn.redeem(code).status == 200)
        }
    }

    @Test func `is redeemed at Cognito with Basic alone`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .cognito)
            let url = try #require(try signIn.configuration["token_endpoint"]?.string)
            let fields = [
                ("grant_type", "authorization_code"), ("client_secret", signIn.secret), ("client_id", signIn.clientID),
                ("code", try signIn.code()), ("redirect_uri", DialectSignIn.redirectURI),
                ("code_verifier", SimulatedSignIn.verifier),
            ]
            let answer = try LoopbackClient.post(url, fields)
            #expect(answer.status == 400)
            #expect(try answer.object.members.map(\.name) == ["error"])
            #expect(try answer.error == "invalid_client")
        }
    }

    @Test func `is refused by Facebook with an object for an error`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .facebook)
            let endpoint = signIn.url + "/oauth/access_token"
            let answer = try signIn.redeem(
                try signIn.code(), ["redirect_uri": "com.example.app:/other"], at: endpoint)
            #expect(answer.status == 400)
            let error = try #require(try answer.object["error"]?.object)
            #expect(error["code"] == 100)
            #expect(error["error_subcode"] == 36_008)
            #expect(error["type"] == "OAuthException")
            #expect(error["fbtrace_id"]?.string != nil)
            let code = try signIn.code()
            #expect(try signIn.redeem(code, at: endpoint).status == 200)
            let used = try signIn.redeem(code, at: endpoint).object["error"]
            #expect(used?["error_subcode"] == 36_009)
        }
    }

    @Test func `has a verifier where its request had a challenge`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .keycloak)
            let missing = try signIn.redeem(try signIn.code(), ["code_verifier": nil])
            #expect(try missing.object["error_description"] == "PKCE code verifier not specified")
            let wrong = try signIn.redeem(try signIn.code(), ["code_verifier": String(repeating: "x", count: 43)])
            #expect(try wrong.object["error_description"] == "PKCE verification failed: Code mismatch")
            let elsewhere = try signIn.redeem(try signIn.code(), ["redirect_uri": "com.example.app:/other"])
            #expect(try elsewhere.object["error_description"] == "Incorrect redirect_uri")
        }
    }
}

@Suite struct `LINE's dialect` {
    @Test func `signs for browsers under the channel's secret, and for apps with its key`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .line)
            let algorithms = try signIn.configuration["id_token_signing_alg_values_supported"]
            #expect(algorithms == ["ES256"])
            let web = try signIn.tokens().idToken
            #expect(try web.header["alg"] == "HS256")
            #expect(try web.header["kid"] == nil)
            #expect(web.isMarked(with: Array("demo-secret-line".utf8)))
            let app = try signIn.nativeToken()
            #expect(try app.header["alg"] == "ES256")
            #expect(try signIn.isPublished(app))
        }
    }

    @Test func `verifies either token for anybody who asks`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .line)
            let app = try #require(try signIn.native().object["id_token"]?.string)
            let web = try #require(try signIn.tokens().answer["id_token"]?.string)
            func verify(_ token: String, _ client: String, _ more: [(String, String)] = []) throws -> HTTPTestAnswer {
                try LoopbackClient.post(
                    signIn.url + "/oauth2/v2.1/verify", [("id_token", token), ("client_id", client)] + more)
            }
            for (token, client) in [(app, signIn.app), (web, signIn.clientID)] {
                let answer = try verify(token, client, [("nonce", "nonce-1")])
                #expect(answer.status == 200)
                let claims = try answer.object
                #expect(claims["aud"]?.string == client)
                #expect(try verify(token, client, [("user_id", claims["sub"]?.string ?? "")]).status == 200)
                for more in [("nonce", "nonce-2"), ("user_id", "U0")] {
                    let refused = try verify(token, client, [more])
                    #expect(refused.status == 400)
                    #expect(try refused.error == "invalid_request")
                    #expect(try refused.object["error_description"]?.string?.hasPrefix("Invalid IdToken") == true)
                }
            }
            #expect(try verify(app, signIn.clientID).object["error_description"] == "Invalid IdToken Audience.")
            // An app has no secret, and an empty one signs nothing.
            #expect(try verify(web, signIn.app).status == 400)
            for name in ["id_token_expired", "id_token_bad_signature", "id_token_alg_none", "id_token_wrong_issuer"] {
                let spoilt = try #require(try signIn.native(["misbehave": name]).object["id_token"]?.string)
                #expect(try verify(spoilt, signIn.app).status == 400, "\(name)")
            }
        }
    }
}
