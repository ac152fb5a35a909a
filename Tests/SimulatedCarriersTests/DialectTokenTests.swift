import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `A dialect's token` {
    @Test func `is Google's server's, by way of an app, under either name of Google`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .google)
            let tokens = try Tokens(native: try signIn.native())
            let claims = try tokens.idToken.claims
            #expect(claims["aud"]?.string == signIn.clientID)
            #expect(claims["azp"]?.string == signIn.app)
            #expect(claims["at_hash"]?.string == LeftHalfHash.leftHalf(of: tokens.accessToken, algorithm: .rs256))
            #expect(claims["email_verified"] == true)
            let alone = try signIn.native(["server_client_id": nil]).object
            let aloneClaims = try TestToken(try #require(alone["id_token"]?.string)).claims
            #expect(aloneClaims["aud"]?.string == signIn.app)
            #expect(aloneClaims["azp"]?.string == signIn.app)
            #expect(alone["code"] == nil)
            let other = try signIn.nativeToken(misbehaving: "id_token_other_issuer_spelling_valid")
            #expect("http://" + (try other.claims["iss"]?.string ?? "") == simulation.url(of: .google))
            #expect(try signIn.isPublished(other))
        }
    }

    @Test func `has a nonce that nobody knows where Google's SDK is old`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .google)
            let old = try (0..<2).map { _ in
                try signIn.nativeToken(["nonce": nil, "old_sdk": "true"]).claims["nonce"]?.string
            }
            #expect(old[0] != nil)
            #expect(old[0] != old[1])
            #expect(try signIn.nativeToken(["old_sdk": "true"]).claims["nonce"] == "nonce-1")
            #expect(try signIn.nativeToken(["nonce": nil]).claims["nonce"] == nil)
        }
    }

    @Test func `is Facebook's from either host, and its access token is good for nothing`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .facebook)
            let document = try signIn.configuration
            #expect(document["token_endpoint"] == nil)
            #expect(document["userinfo_endpoint"] == nil)
            #expect(document["jwks_uri"]?.string?.contains("/limited/") == true)
            let answer = try signIn.native()
            let claims = try Tokens(native: answer).idToken.claims
            #expect(claims["iss"]?.string == document["issuer"]?.string)
            #expect(claims["jti"]?.string != nil)
            #expect(claims["email"] == "ada@example.com")
            #expect(claims["email_verified"] == nil)
            #expect(claims["at_hash"] == nil)
            #expect(try answer.object["access_token"]?.string != nil)
            let limited = try signIn.nativeToken(misbehaving: "id_token_other_issuer_spelling_valid")
            #expect(try limited.claims["iss"]?.string == simulation.url(of: .facebook) + "/limited")
            #expect(try signIn.isPublished(limited))
        }
    }

    @Test func `is Auth0's with a slash, under the first of two keys`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .auth0)
            let claims = try signIn.nativeToken().claims
            #expect(claims["iss"]?.string == simulation.url(of: .auth0) + "/")
            #expect(try signIn.configuration["issuer"] == claims["iss"])
            #expect(try signIn.keys.count == 2)
        }
    }

    @Test func `is Okta's with an address, or of the organization without one`() async throws {
        try await withSimulation { simulation throws in
            let custom = DialectSignIn(simulation, at: .okta)
            #expect(try custom.configuration["issuer"]?.string == simulation.url(of: .okta) + "/oauth2/default")
            #expect(try custom.nativeToken().claims["email"] == "ada@example.com")
            let organization = DialectSignIn(simulation, at: .okta, tenant: "org")
            let answer = try organization.native()
            let tokens = try Tokens(native: answer)
            #expect(try tokens.idToken.claims["iss"]?.string == simulation.url(of: .okta))
            #expect(try tokens.idToken.claims["email"] == nil)
            #expect(try tokens.idToken.claims["name"] == "Ada Lovelace")
            #expect(try organization.userinfo(tokens.accessToken).object["email"] == "ada@example.com")
            let browsed = try organization.tokens().idToken.claims
            #expect(browsed["iss"]?.string == simulation.url(of: .okta))
            #expect(browsed["email"] == nil)
        }
    }

    @Test func `is Keycloak's of type ID, beside an access token of type Bearer`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .keycloak)
            let tokens = try Tokens(native: try signIn.native())
            let claims = try tokens.idToken.claims
            #expect(claims["iss"]?.string == simulation.url(of: .keycloak) + "/realms/demo")
            #expect(claims["typ"] == "ID")
            #expect(claims["azp"]?.string == signIn.app)
            let access = try TestToken(tokens.accessToken)
            #expect(try signIn.isPublished(access))
            #expect(try access.claims["typ"] == "Bearer")
            #expect(try signIn.keys.filter { $0["use"] == "enc" }.count == 1)
            let elliptic = try signIn.nativeToken(["algorithm": "ES256"])
            #expect(try elliptic.header["alg"] == "ES256")
            #expect(try signIn.isPublished(elliptic))
            #expect(try signIn.native(["algorithm": "EdDSA"]).status == 400)
        }
    }

    @Test func `is Cognito's for one use, and userinfo has texts for flags`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .cognito)
            let tokens = try signIn.tokens(["scope": "openid profile email phone"])
            let claims = try tokens.idToken.claims
            #expect(claims["token_use"] == "id")
            #expect(claims["cognito:username"]?.string != nil)
            #expect(claims["email_verified"] == true)
            #expect(try TestToken(tokens.accessToken).claims["token_use"] == "access")
            let userinfo = try signIn.userinfo(tokens.accessToken).object
            #expect(userinfo["email_verified"] == "true")
            #expect(userinfo["phone_number_verified"] == "true")
            #expect(userinfo["username"] == claims["cognito:username"])
            #expect(userinfo["sub"] == claims["sub"])
        }
    }

    @Test func `is Firebase's for a project with two names, about a number`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .firebase)
            let answer = try signIn.native()
            let token = try Tokens(native: answer).idToken
            let projects = simulation.url(of: .firebase) + "/projects/"
            #expect(try token.header["typ"] == "JWT")
            #expect(try token.header["alg"] == "ES256")
            #expect(try token.claims["iss"]?.string == projects + signIn.clientID)
            #expect(
                try token.claims["aud"] == [.string(projects + signIn.clientID), .string(projects + "gatehouse-demo")])
            #expect(try token.claims["sub"] == "+13105550101")
            #expect(try answer.object["access_token"] == nil)
            #expect(try signIn.configuration["authorization_endpoint"] == nil)
        }
    }

    @Test func `of each dialect stands for userinfo, or for nothing there`() async throws {
        try await withSimulation { simulation throws in
            for issuer in [SimulatedIssuer.google, .auth0, .okta, .keycloak, .cognito] {
                let signIn = DialectSignIn(simulation, at: issuer)
                let tokens = try Tokens(native: try signIn.native())
                let userinfo = try signIn.userinfo(tokens.accessToken)
                #expect(userinfo.status == 200, "\(issuer)")
                #expect(try userinfo.object["sub"] == tokens.idToken.claims["sub"], "\(issuer)")
                #expect(try userinfo.object["email"] == "ada@example.com")
                #expect(try signIn.userinfo("of-nobody").status == 401)
                let hash = LeftHalfHash.leftHalf(of: tokens.accessToken, algorithm: .rs256)
                #expect(try tokens.idToken.claims["at_hash"]?.string == hash, "\(issuer)")
            }
            #expect(try DialectSignIn(simulation, at: .apple).configuration["userinfo_endpoint"] == nil)
            let entra = DialectSignIn(simulation, at: .entra)
            let token = try Tokens(native: try entra.native()).accessToken
            #expect(try entra.userinfo(token).status == 401)
        }
    }
}
