import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `Apple's dialect` {
    private static let web = "com.example.web"
    private static let app = "com.example.app"

    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.ellipticCurve(.p256)) }

    /// The secret of a client whose key is registered then.
    private func secret(_ simulation: Simulation, of client: String) throws -> String {
        let jwk = key.publicKey.jwk(keyID: "apple", algorithm: .es256)
        let body = JSONValue.object(JSONObject([("keys", [.object(jwk)])])).serialized
        let url = "\(simulation.plain)/control/clients/\(client)/keys"
        try #require(try LoopbackClient.ask("POST", url, body: String(decoding: body, as: UTF8.self)).status == 200)
        let claims = StatingClient.changed(
            [
                "iss": "DEMOTEAM01", "sub": .string(client), "aud": "https://appleid.apple.com",
                "iat": .integer(StatingClient.now), "exp": .integer(StatingClient.now + 300),
            ], [:])
        return try StatingClient.signed(claims, with: key)
    }

    private func redeem(
        _ simulation: Simulation, _ code: String, as client: String = app, _ changes: [String: String?] = [:]
    ) throws -> HTTPTestAnswer {
        let own: [String: String?] = [
            "client_id": client, "client_secret": try secret(simulation, of: client), "redirect_uri": nil,
            "code_verifier": nil,
        ]
        return try DialectSignIn(simulation, at: .apple).redeem(code, own.merging(changes) { $1 })
    }

    /// What the browser is to post, by name.
    private func posted(_ simulation: Simulation, _ changes: [String: String?] = [:]) throws -> [String: String] {
        let scopes: [String: String?] = ["scope": "name email", "response_mode": "form_post"]
        let signIn = DialectSignIn(simulation, at: .apple)
        let page = try LoopbackClient.get(try signIn.authorization(scopes.merging(changes) { $1 })).text
        let fields = page.matches(of: /name="([a-z_]+)" value="([^"]*)"/).map { match in
            (String(match.1), String(match.2).replacing("&quot;", with: "\"").replacing("&#34;", with: "\""))
        }
        return Dictionary(fields) { first, _ in first }
    }

    @Test func `says in its metadata another issuer than in its tokens`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .apple)
            let document = try signIn.configuration
            let issuer = try #require(try signIn.nativeToken().claims["iss"]?.string)
            #expect(issuer == simulation.url(of: .apple))
            #expect(document["issuer"]?.string != issuer)
            #expect(document["revocation_endpoint"]?.string == issuer + "/auth/revoke")
            #expect(document["code_challenge_methods_supported"] == nil)
        }
    }

    @Test func `signs for apps with another key than for browsers, and says what only it says`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .apple)
            let answer = try signIn.native(["first": "true"]).object
            let token = try TestToken(try #require(answer["id_token"]?.string))
            let claims = try token.claims
            #expect(claims["nonce_supported"] == true)
            #expect(claims["real_user_status"] == 2)
            #expect(claims["email_verified"] == true)
            #expect(claims["is_private_email"] == false)
            let code = try #require(answer["code"]?.string)
            #expect(claims["c_hash"]?.string == LeftHalfHash.leftHalf(of: code, algorithm: .rs256))
            #expect(answer["access_token"] == nil)
            let user = try JSONValue(parsing: Array(try #require(answer["user"]?.string).utf8))
            #expect(user["name"]?["firstName"] == "Ada")
            #expect(user["email"] == "ada@example.com")
            #expect(try signIn.native().object["user"] == nil, "unless it is the first time")
            let web = try Tokens(try redeem(simulation, code)).idToken
            #expect(try web.header["kid"] != token.header["kid"])
            #expect(try signIn.isPublished(web))
            #expect(try web.claims["real_user_status"] == nil)
            #expect(try signIn.keys.count == 2)
            let hidden = try signIn.nativeToken(["login_hint": "private-person"]).claims
            #expect(hidden["is_private_email"] == true)
            #expect(hidden["email"] == "private-person@privaterelay.example")
            let texts = try signIn.nativeToken(misbehaving: "id_token_flags_as_text_valid").claims
            #expect(texts["email_verified"] == "true")
            #expect(texts["nonce_supported"] == "true")
        }
    }

    @Test func `redeems an app's code once, for that app, without a redirect URI`() async throws {
        try await withSimulation { simulation throws in
            func code() throws -> String {
                try #require(try DialectSignIn(simulation, at: .apple).native().object["code"]?.string)
            }
            let code1 = try code()
            let foreign = try redeem(simulation, code1, as: Self.web)
            #expect(foreign.status == 400)
            #expect(try foreign.error == "invalid_grant")
            let words = "client_id mismatch. The code was not issued to \(Self.web)."
            #expect(try foreign.object["error_description"]?.string == words)
            let answer = try redeem(simulation, code1)
            #expect(answer.status == 200)
            #expect(try answer.object["refresh_token"] != nil)
            let again = try redeem(simulation, code1)
            #expect(try again.error == "invalid_grant")
            #expect(try again.object["error_description"] == "The code has already been used.")
            let redirected = try redeem(simulation, try code(), ["redirect_uri": DialectSignIn.redirectURI])
            #expect(try redirected.object["error_description"]?.string?.hasPrefix("redirect_uri mismatch.") == true)
            let unproven = try redeem(simulation, try code(), ["client_secret": "demo-secret-apple"])
            #expect(unproven.status == 400)
            #expect(try unproven.object.members.map(\.name) == ["error"])
            #expect(try unproven.error == "invalid_client")
        }
    }

    @Test func `answers a browser by a form, with the name once, and wants its redirect URI back`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .apple)
            let refused = try LoopbackClient.get(try signIn.authorization(["scope": "name email"]))
            #expect(FormText.query(of: refused.header("Location") ?? "")["error"] == "invalid_request")
            let first = try posted(simulation)
            #expect(first["user"]?.contains("Lovelace") == true)
            #expect(first["state"] == "state-1")
            let second = try posted(simulation)
            #expect(second["user"] == nil)
            let code = try #require(second["code"])
            #expect(try redeem(simulation, code, as: Self.web).status == 400, "without the redirect URI")
            #expect(
                try redeem(simulation, code, as: Self.web, ["redirect_uri": DialectSignIn.redirectURI]).status == 200)
            let without = try signIn.code(["scope": "openid"])
            let answer = try redeem(simulation, without, as: Self.web, ["redirect_uri": DialectSignIn.redirectURI])
            #expect(try Tokens(answer).idToken.claims["email"] == nil)
        }
    }

    @Test func `refreshes without a new refresh token, until it is revoked`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .apple)
            let code = try #require(try signIn.native().object["code"]?.string)
            let token = try #require(try redeem(simulation, code).object["refresh_token"]?.string)
            func refresh() throws -> HTTPTestAnswer {
                try redeem(
                    simulation, "none", ["grant_type": "refresh_token", "code": nil, "refresh_token": token])
            }
            for _ in 0..<2 {
                let answer = try refresh()
                #expect(answer.status == 200)
                #expect(try answer.object["refresh_token"] == nil)
            }
            let proof = [("client_id", Self.app), ("client_secret", try secret(simulation, of: Self.app))]
            func revoke(_ token: String, _ proof: [(String, String)]) throws -> Int {
                try LoopbackClient.post(simulation.url(of: .apple) + "/auth/revoke", proof + [("token", token)]).status
            }
            #expect(try revoke("rubbish", proof) == 200)
            #expect(try revoke(token, [("client_id", Self.app), ("client_secret", "wrong")]) == 400)
            #expect(try refresh().status == 200)
            #expect(try revoke(token, proof) == 200)
            #expect(try refresh().error == "invalid_grant")
        }
    }

    @Test func `carries a user to another team`() async throws {
        try await withSimulation { simulation throws in
            let signIn = DialectSignIn(simulation, at: .apple)
            let proof = [("client_id", Self.app), ("client_secret", try secret(simulation, of: Self.app))]
            let grant = proof + [("grant_type", "client_credentials"), ("scope", "user.migration")]
            let granted = try LoopbackClient.post(signIn.url + "/auth/token", grant)
            let token = try Tokens(native: granted).accessToken
            func ask(_ fields: [(String, String)], bearing token: String) throws -> HTTPTestAnswer {
                try LoopbackClient.post(
                    signIn.url + "/auth/usermigrationinfo", proof + fields,
                    headers: [("Authorization", "Bearer \(token)")])
            }
            let before = try #require(try signIn.nativeToken().claims["sub"]?.string)
            #expect(try signIn.nativeToken(["client_id": Self.web]).claims["sub"]?.string == before)
            #expect(try signIn.nativeToken().claims["transfer_sub"] == nil)
            let target = [("sub", before), ("target", "NEWTEAM001")]
            #expect(try ask(target, bearing: "of-nobody").status == 401)
            let name = try #require(try ask(target, bearing: token).object["transfer_sub"]?.string)
            #expect(try ask([("transfer_sub", name)], bearing: token).status == 400, "the app is still here")
            let control = [("subscriber", "ada"), ("to_team", "NEWTEAM001")]
            #expect(try LoopbackClient.post(signIn.url + "/control/transfer", control).status == 200)
            let claims = try signIn.nativeToken().claims
            #expect(claims["sub"]?.string != before)
            #expect(claims["transfer_sub"]?.string == name)
            let user = try ask([("transfer_sub", name)], bearing: token).object
            #expect(user["sub"] == claims["sub"])
            #expect(user["email"] == "ada@example.com")
            #expect(user["is_private_email"] == false)
            #expect(try signIn.nativeToken(["login_hint": "grace"]).claims["transfer_sub"] == nil)
        }
    }
}
