import Crypto
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `Entra's dialect` {
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let other = "11111111-2222-4333-8444-555555555555"

    @Test func `has metadata for one tenant, and a template for several`() async throws {
        try await withSimulation { simulation throws in
            let url = simulation.url(of: .entra)
            func issuer(_ tenant: String) throws -> String? {
                try DialectSignIn(simulation, at: .entra, tenant: tenant).configuration["issuer"]?.string
            }
            #expect(try issuer(Self.other) == "\(url)/\(Self.other)/v2.0")
            #expect(try issuer("consumers") == "\(url)/\(Self.personal)/v2.0")
            #expect(try issuer("common") == "\(url)/{tenantid}/v2.0")
            #expect(try issuer("organizations") == "\(url)/{tenantid}/v2.0")
            #expect(try LoopbackClient.get("\(url)/nobody/v2.0/.well-known/openid-configuration").status == 404)
            #expect(simulation.metadata(of: .entra, tenant: "nobody") == nil)
        }
    }

    @Test func `tells in a token whose subscriber it is, and nothing of an access token`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .entra, tenant: Self.other)
            let claims = try signIn.nativeToken().claims
            #expect(claims["iss"]?.string == "\(simulation.url(of: .entra))/\(Self.other)/v2.0")
            #expect(claims["tid"]?.string == Self.other)
            #expect(claims["ver"] == "2.0")
            #expect(claims["preferred_username"] == "ada@example.com")
            #expect(claims["at_hash"] == nil)
            let atServer = try signIn.nativeToken(["client_id": signIn.clientID]).claims
            #expect(atServer["oid"] == claims["oid"])
            #expect(atServer["sub"] != claims["sub"])
            let elsewhere = DialectSignIn(simulation, at: .entra)
            #expect(try elsewhere.nativeToken().claims["oid"] != claims["oid"])
        }
    }

    @Test func `has a key for everybody, and one for the tenant that it names`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .entra, tenant: Self.other)
            let url = simulation.url(of: .entra)
            #expect(
                try signIn.keys.map { $0["issuer"]?.string } == [
                    "\(url)/{tenantid}/v2.0", "\(url)/\(Self.personal)/v2.0",
                ])
            let keys = try signIn.keys.map { $0["kid"] }
            let personal = DialectSignIn(simulation, at: .entra, tenant: Self.personal)
            #expect(try signIn.nativeToken().header["kid"] == keys[0])
            let token = try personal.nativeToken()
            #expect(try token.header["kid"] == keys[1])
            #expect(try personal.isPublished(token))
            let misused = try signIn.nativeToken(misbehaving: "id_token_key_of_another_tenant")
            #expect(try misused.header["kid"] == keys[1])
            #expect(try signIn.isPublished(misused))
            #expect(try misused.claims["tid"]?.string == Self.other)
        }
    }

    @Test func `signs in at an address of several, and redeems the code there or at its tenant's`() async throws {
        try await withSimulation { simulation throws in
            let several = DialectSignIn(simulation, at: .entra, tenant: "common")
            let claims = try several.tokens().idToken.claims
            #expect(claims["tid"] != nil)
            #expect(claims["iss"]?.string == simulation.tokenIssuer(of: .entra))
            let personal = DialectSignIn(simulation, at: .entra, tenant: "consumers")
            #expect(try personal.tokens().idToken.claims["tid"]?.string == Self.personal)
            let other = DialectSignIn(simulation, at: .entra, tenant: Self.other)
            let code = try other.code()
            let answer = try personal.redeem(code)
            #expect(answer.status == 400)
            #expect(try answer.object["error_codes"] == [700_005])
            #expect(try other.redeem(code).status == 200, "which it was not used up by")
        }
    }

    @Test func `has an issuer with a slash for each policy, and its metadata elsewhere`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .entra, tenant: "b2c_1_sign_in")
            let issuer = try #require(try signIn.configuration["issuer"]?.string)
            #expect(issuer.hasPrefix(simulation.url(of: .entra) + "/tfp/"))
            #expect(issuer.hasSuffix("/b2c_1_sign_in/v2.0/"))
            #expect(simulation.metadata(of: .entra, tenant: "b2c_1_sign_in")?.hasPrefix(issuer) == false)
            #expect(try signIn.configuration["userinfo_endpoint"] == nil)
            #expect(try signIn.keys.allSatisfy { $0["issuer"] == nil })
            for token in [try signIn.nativeToken(), try signIn.tokens().idToken] {
                #expect(try token.claims["iss"]?.string == issuer)
                #expect(try token.claims["tfp"] == "b2c_1_sign_in")
                #expect(try token.claims["tid"] == nil)
                #expect(try signIn.isPublished(token))
            }
        }
    }

    @Test func `numbers its errors`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .entra)
            func numbers(_ code: String, _ changes: [String: String?]) throws -> (String?, JSONValue?) {
                let object = try signIn.redeem(code, changes).object
                #expect(object["trace_id"]?.string != nil)
                #expect(object["correlation_id"]?.string != nil)
                let number = object["error_codes"]?.array?.first?.integer ?? 0
                #expect(object["error_description"]?.string?.hasPrefix("AADSTS\(number): ") == true)
                return (object["error"]?.string, object["error_codes"])
            }
            let code = try signIn.code()
            #expect(try numbers(code, ["client_secret": "wrong"]) == ("invalid_client", [7_000_215]))
            #expect(try numbers(code, ["client_secret": nil]) == ("invalid_client", [7_000_218]))
            let publicClient: [String: String?] = ["client_id": signIn.app]
            #expect(try numbers(code, publicClient) == ("invalid_client", [700_025]))
            #expect(try numbers("unheard-of", [:]) == ("invalid_grant", [70_000]))
            #expect(try numbers(code, ["code_verifier": nil]) == ("invalid_grant", [501_481]))
            #expect(try numbers(code, [:]) == ("invalid_grant", [54_005]), "for it was shown before")
        }
    }
}
