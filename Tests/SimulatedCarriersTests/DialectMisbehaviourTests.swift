import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `A dialect's spoilt token` {
    @Test func `has another signature of the same text that verifies as well`() async throws {
        try await withSimulation { simulation throws in
            for issuer in [SimulatedIssuer.line, .firebase] {
                let signIn = DialectSignIn(simulation, at: issuer)
                let token = try #require(try signIn.native().object["id_token"]?.string)
                let resigned = try #require(ResignedToken.of(token))
                #expect(resigned != token)
                let signedText = token.prefix(through: try #require(token.lastIndex(of: ".")))
                #expect(resigned.hasPrefix(signedText))
                #expect(try signIn.isPublished(try TestToken(token)))
                #expect(try signIn.isPublished(try TestToken(resigned)))
                #expect(ResignedToken.of(resigned) == token)
                #expect(try signIn.isPublished(try signIn.nativeToken(misbehaving: "id_token_resigned_valid")))
            }
        }
    }

    @Test func `is not resigned where it has no signature of that kind`() async throws {
        try await withSimulation { simulation throws in
            let token = try #require(try DialectSignIn(simulation, at: .auth0).native().object["id_token"]?.string)
            #expect(ResignedToken.of(token) == nil)
            #expect(ResignedToken.of("no token") == nil)
        }
    }

    /// In the numbers of a borrow: r stays, and n − s is taken digit by digit.
    @Test func `is resigned to the number's complement`() throws {
        let half = [UInt8](repeating: 0, count: 31) + [1]
        let token = "e30.e30." + Base64URL.encode([UInt8](repeating: 7, count: 32) + half)
        let signature = try TestToken(try #require(ResignedToken.of(token))).signature
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63255"
        #expect(Array(signature.prefix(32)) == [UInt8](repeating: 7, count: 32))
        #expect(Hexadecimal.encode(Array(signature.suffix(32))) == order + "0")
    }

    @Test func `is somebody else's app's, though its signature is right`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .google)
            let foreign = try signIn.nativeToken(misbehaving: "id_token_of_another_app")
            #expect(try signIn.isPublished(foreign))
            #expect(try foreign.claims["aud"] == "com.example.another-app")
            #expect(try foreign.claims["azp"] == "com.example.another-app")
            let party = try signIn.nativeToken(misbehaving: "id_token_azp_of_another_client")
            #expect(try party.claims["aud"]?.string == signIn.clientID)
            #expect(try party.claims["azp"] == "another-client")
        }
    }

    @Test func `names a tenant that is not its issuer's`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .entra)
            let claims = try signIn.nativeToken(misbehaving: "id_token_tid_of_another_tenant").claims
            #expect(claims["iss"]?.string == simulation.tokenIssuer(of: .entra))
            let tenant = try #require(claims["tid"]?.string)
            #expect(claims["iss"]?.string?.contains(tenant) == false)
        }
    }

    @Test func `is an access token that only its kind tells from an ID token`() async throws {
        try await withSimulation { simulation throws in
            for (issuer, name) in [(SimulatedIssuer.keycloak, "typ"), (.cognito, "token_use"), (.entra, "scp")] {
                let signIn = DialectSignIn(simulation, at: issuer)
                let right = try signIn.nativeToken().claims
                let token = try signIn.nativeToken(misbehaving: "id_token_is_access_token")
                let claims = try token.claims
                #expect(try signIn.isPublished(token))
                for same in ["iss", "aud", "sub", "nonce"] { #expect(claims[same] == right[same], "\(issuer) \(same)") }
                #expect(claims[name] != nil)
                #expect(claims[name] != right[name], "\(issuer)")
            }
            let auth0 = try DialectSignIn(simulation, at: .auth0).nativeToken(misbehaving: "id_token_is_access_token")
            #expect(try auth0.header["typ"] == "at+jwt")
        }
    }

    @Test func `does not go with what came beside it`() async throws {
        try await withSimulation { simulation throws in
            let google = DialectSignIn(simulation, at: .google)
            #expect(try google.nativeToken(misbehaving: "id_token_missing_at_hash").claims["at_hash"] == nil)
            let answer = try google.native(["misbehave": "id_token_wrong_at_hash"])
            let tokens = try Tokens(native: answer)
            let hash = try #require(try tokens.idToken.claims["at_hash"]?.string)
            #expect(hash != LeftHalfHash.leftHalf(of: tokens.accessToken, algorithm: .rs256))
            let apple = DialectSignIn(simulation, at: .apple)
            #expect(try apple.nativeToken(misbehaving: "id_token_missing_c_hash").claims["c_hash"] == nil)
            let spoilt = try apple.native(["misbehave": "id_token_wrong_c_hash"]).object
            let claims = try TestToken(try #require(spoilt["id_token"]?.string)).claims
            let code = try #require(spoilt["code"]?.string)
            #expect(claims["c_hash"] != nil)
            #expect(claims["c_hash"]?.string != LeftHalfHash.leftHalf(of: code, algorithm: .rs256))
        }
    }

    @Test func `is under a key that is gone, or has no nonce, or several things are the matter`() async throws {
        try await withSimulation { simulation throws in
            for issuer in SimulatedIssuer.dialects {
                let signIn = DialectSignIn(simulation, at: issuer)
                let retired = try signIn.nativeToken(misbehaving: "id_token_retired_key")
                #expect(try !signIn.isPublished(retired), "\(issuer)")
                let both = try signIn.nativeToken(misbehaving: "id_token_missing_nonce,id_token_expired").claims
                #expect(both["nonce"] == nil)
                #expect(try #require(both["exp"]?.integer) < StatingClient.now)
            }
        }
    }

    @Test func `stands in no log for people, nor does what was asked`() async throws {
        try await withSimulation(gatehouse: "http://127.0.0.1:1") { simulation throws in
            let url = simulation.url(of: .google) + "/native"
            let body = #"{"login_hint":"ada","client_id":"gatehouse-google-ios","nonce":"a-nonce-of-json"}"#
            #expect(try LoopbackClient.ask("POST", url, body: body).status == 200)
            #expect(
                try LoopbackClient.post(url, [("login_hint", "ada"), ("client_id", "gatehouse-google-ios")]).status
                    == 200)
            let log = try LoopbackClient.get("\(simulation.sampleApp)requests?after=0").text
            #expect(log.contains("gatehouse-google-ios"))
            #expect(!log.contains("a-nonce"))
            #expect(!log.contains("ada"))
        }
    }
}
