import Foundation
import JSON
import SimulatedCarriers
import Testing

/// What became of an exchange.
struct ExchangeVerdict: Sendable, CustomTestStringConvertible {
    let misbehaviour: String
    /// The rule that is broken; nil where it is taken.
    var rule: String?
    /// Where it is not the token that is wrong.
    var error: String?

    var testDescription: String { misbehaviour }

    init(_ misbehaviour: String, _ rule: String? = nil, error: String? = nil) {
        self.misbehaviour = misbehaviour
        self.rule = rule
        self.error = error
    }
}

extension RunningGatehouse {
    fileprivate static func exchanging(
        _ rule: String, _ more: [String] = [], top: String = "", limits: Limits = Limits(),
        _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        try await with(top: top, plain: ["tokenExchange: \(rule)"] + more, limits: limits, body)
    }

    /// What the provider gives an app of its own accord, without this service: `access_token` and all.
    ///
    /// - Parameters:
    ///   - client: whose app it is; `gatehouse-demo` is our client there, and `gatehouse-public` somebody else's.
    ///   - misbehaving: the names of what the provider does otherwise.
    fileprivate func tokens(
        of subscriber: String, for client: String = "gatehouse-demo", misbehaving: String? = nil
    ) async throws -> JSONValue {
        var more = ["client_id": client, "scope": "openid profile email offline_access"]
        if let misbehaving { more["misbehave"] = misbehaving }
        let authorized = try await authorize(subscriber, at: .plain, more)
        var form = [
            "grant_type": "authorization_code", "code": authorized.code, "code_verifier": authorized.verifier,
            "redirect_uri": "com.example.app:/callback", "client_id": client,
        ]
        if client == "gatehouse-demo" { form["client_secret"] = "demo-secret-plain" }
        let port = try #require(URLComponents(string: simulation.plain)?.port)
        let answer = try await RawHTTP.send(
            "POST", "/token", port: UInt16(port), headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(RawHTTP.form(form).utf8))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    fileprivate func accessToken(
        of subscriber: String, for client: String = "gatehouse-demo", misbehaving: String? = nil
    ) async throws -> String {
        let tokens = try await tokens(of: subscriber, for: client, misbehaving: misbehaving)
        return try #require(tokens["access_token"]?.string)
    }

    fileprivate func exchange(_ token: String, _ changes: [String: String] = [:]) async throws -> RawHTTP.Answer {
        try await call(
            "POST", "/auth/token",
            form: [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
                "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
            ].merging(changes) { $1 })
    }

    fileprivate func expectRefused(_ token: String, _ rule: String, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let answer = try await exchange(token)
        #expect(
            answer.status == 401 && answer["error"] == "invalid_grant", "\(answer.text)", sourceLocation: sourceLocation
        )
        #expect(
            answer["error_description"]?.string == "The subject_token breaks a rule (\(rule)).", "\(answer.text)",
            sourceLocation: sourceLocation)
    }
}

@Suite struct `An access token that an app holds, over real sockets` {
    private static let jwt = "access_token_jwt_valid"

    @Test(arguments: ["introspection", "jwt"]) func `signs in whom a code would`(rule: String) async throws {
        try await RunningGatehouse.exchanging(rule) { gatehouse in
            let posted = try await gatehouse.signIn("ada", at: .plain)
            let token = try await gatehouse.accessToken(of: "ada", misbehaving: rule == "jwt" ? Self.jwt : nil)
            for _ in 0..<2 {
                let answer = try await gatehouse.exchange(token)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer["user"] == posted["user"] && answer["new_user"] == false)
                #expect(answer["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
                #expect(answer["acr"] != nil && answer["auth_time"]?.integer != nil)
                #expect(try await gatehouse.isLive(try #require(answer["token"]?.string)))
            }
            let grace = try await gatehouse.exchange(
                try await gatehouse.accessToken(of: "grace", misbehaving: rule == "jwt" ? Self.jwt : nil))
            #expect(grace["new_user"] == true && grace["user"]?["user_id"] != posted["user"]?["user_id"])
            #expect(!gatehouse.log.text.contains(token))
        }
    }

    @Test func `of another client of the provider's opens nothing, by either rule`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let stolen = try await gatehouse.accessToken(of: "ada", for: "gatehouse-public")
            try await gatehouse.expectRefused(stolen, "aud")
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
            gatehouse.simulation.misbehave(.introspection(.withoutAudienceValid))
            try await gatehouse.expectRefused(stolen, "aud")
        }
        try await RunningGatehouse.exchanging("jwt") { gatehouse in
            let stolen = try await gatehouse.accessToken(of: "ada", for: "gatehouse-public", misbehaving: Self.jwt)
            try await gatehouse.expectRefused(stolen, "aud")
        }
        // Unless the operator says that what is for it is for us.
        let ours = ["tokenExchangeAudiences: [gatehouse-public]", "userinfo: false"]
        try await RunningGatehouse.exchanging("introspection", ours) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada", for: "gatehouse-public")
            #expect(try await gatehouse.exchange(token).status == 200)
        }
    }

    @Test func `is no other token of the provider's`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let tokens = try await gatehouse.tokens(of: "ada", misbehaving: "id_token_at_hash_valid")
            try await gatehouse.expectRefused(try #require(tokens["id_token"]?.string), "typ")
            try await gatehouse.expectRefused(try #require(tokens["refresh_token"]?.string), "token_type")
            let plain = try await gatehouse.tokens(of: "ada")
            try await gatehouse.expectRefused(try #require(plain["id_token"]?.string), "active")
            let ours = try await gatehouse.signIn("ada", at: .plain)
            try await gatehouse.expectRefused(try #require(ours["token"]?.string), "active")
        }
        try await RunningGatehouse.exchanging("jwt") { gatehouse in
            let tokens = try await gatehouse.tokens(of: "ada")
            try await gatehouse.expectRefused(try #require(tokens["id_token"]?.string), "typ")
            try await gatehouse.expectRefused(try #require(tokens["access_token"]?.string), "malformed")
            #expect(gatehouse.simulation.counts[.plain, .introspection] == 0)
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
        }
    }

    static let introspections: [ExchangeVerdict] = [
        ExchangeVerdict("introspection_invalid_client", error: "provider_error"),
        ExchangeVerdict("introspection_inactive", "active"), ExchangeVerdict("introspection_active_string", "active"),
        ExchangeVerdict("introspection_missing_active", "active"), ExchangeVerdict("introspection_without_aud_valid"),
        ExchangeVerdict("introspection_without_token_type_valid"), ExchangeVerdict("introspection_sparse_valid"),
        ExchangeVerdict("introspection_wrong_audience", "aud"), ExchangeVerdict("introspection_other_client", "aud"),
        ExchangeVerdict("introspection_without_aud_and_client", "aud"),
        ExchangeVerdict("introspection_wrong_issuer", "iss"), ExchangeVerdict("introspection_expired", "exp"),
        ExchangeVerdict("introspection_iat_in_future", "iat"), ExchangeVerdict("introspection_nbf_in_future", "nbf"),
        ExchangeVerdict("introspection_token_type_n_a", "token_type"),
        ExchangeVerdict("introspection_token_type_dpop", "token_type"), ExchangeVerdict("introspection_cnf", "cnf"),
        ExchangeVerdict("introspection_typ_id", "typ"), ExchangeVerdict("introspection_missing_sub", "sub"),
        ExchangeVerdict("introspection_other_sub", error: "userinfo_mismatch"),
        ExchangeVerdict("introspection_wrong_acr", "acr"),
        ExchangeVerdict("introspection_signed", error: "provider_error"),
        ExchangeVerdict("userinfo_other_sub", error: "userinfo_mismatch"), ExchangeVerdict("userinfo_401", "userinfo"),
        ExchangeVerdict("introspection-status_500", error: "provider_error"),
        ExchangeVerdict("introspection-redirect_307", error: "provider_error"),
        ExchangeVerdict("introspection-oversized_body", error: "provider_error"),
        ExchangeVerdict("introspection-duplicate_members", error: "provider_error"),
        ExchangeVerdict("introspection-html", error: "provider_error"),
    ]

    static let signed: [ExchangeVerdict] = [
        ExchangeVerdict("access_token_jwt_valid"), ExchangeVerdict("access_token_jwt_bad_signature", "signature"),
        ExchangeVerdict("access_token_jwt_alg_none", "algorithm"),
        ExchangeVerdict("access_token_jwt_hs256_public_key", "algorithm"),
        ExchangeVerdict("access_token_jwt_typ_jwt", "typ"), ExchangeVerdict("access_token_jwt_missing_typ", "typ"),
        ExchangeVerdict("access_token_jwt_wrong_issuer", "iss"),
        ExchangeVerdict("access_token_jwt_wrong_audience", "aud"),
        ExchangeVerdict("access_token_jwt_missing_aud", "aud"),
        ExchangeVerdict("access_token_jwt_missing_client_id", "client_id"),
        ExchangeVerdict("access_token_jwt_azp_of_another_client", "azp"),
        ExchangeVerdict("access_token_jwt_expired", "exp"), ExchangeVerdict("access_token_jwt_missing_exp", "exp"),
        ExchangeVerdict("access_token_jwt_iat_in_future", "iat"),
        ExchangeVerdict("access_token_jwt_nbf_in_future", "nbf"),
        ExchangeVerdict("access_token_jwt_missing_sub", "sub"),
        ExchangeVerdict("access_token_jwt_other_sub", error: "userinfo_mismatch"),
        ExchangeVerdict("access_token_jwt_cnf", "cnf"),
        ExchangeVerdict("access_token_jwt_without_auth_time_valid", "acr"),
    ]

    private func check(_ verdict: ExchangeVerdict, by rule: String) async throws {
        try await RunningGatehouse.exchanging(rule, ["minimumACR: a1"]) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada", misbehaving: verdict.misbehaviour)
            let answer = try await gatehouse.exchange(token)
            if let rule = verdict.rule {
                #expect(answer.status == 401 && answer["error"] == "invalid_grant", "\(answer.text)")
                #expect(
                    answer["error_description"]?.string == "The subject_token breaks a rule (\(rule)).",
                    "\(answer.text)")
            } else if let error = verdict.error {
                #expect(answer["error"]?.string == error, "\(answer.text)")
            } else if verdict.misbehaviour == "introspection_sparse_valid" {
                // The section demands a level.
                #expect(
                    answer["error_description"]?.string == "The subject_token breaks a rule (acr).", "\(answer.text)")
            } else {
                #expect(answer.status == 200, "\(answer.text)")
            }
            for secret in [token, "eyJ", "demo-secret", "gatehouse-public"] where answer.status != 200 {
                #expect(!answer.text.contains(secret))
            }
            #expect(!gatehouse.log.text.contains(token))
        }
    }

    @Test func `is tried with everything that can be the matter`() {
        let tried = Set((Self.introspections + Self.signed).map(\.misbehaviour))
        #expect(IntrospectionMisbehaviour.allCases.allSatisfy { tried.contains($0.rawValue) })
        #expect(AccessTokenMisbehaviour.allCases.allSatisfy { tried.contains($0.rawValue) })
    }

    @Test(arguments: introspections)
    func `is found out by what the provider answers`(_ verdict: ExchangeVerdict) async throws {
        try await check(verdict, by: "introspection")
    }

    @Test(arguments: signed) func `is found out by what it says`(_ verdict: ExchangeVerdict) async throws {
        try await check(verdict, by: "jwt")
    }

    @Test func `opens a session that changes nothing of the account, where nothing tells of an authentication`()
        async throws
    {
        try await RunningGatehouse.exchanging("jwt", top: "session: {sensitiveMaxAgeSeconds: 0}") { gatehouse in
            let silent = "access_token_jwt_without_auth_time_valid"
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada", misbehaving: silent))
            let token = try #require(answer["token"]?.string, "\(answer.text)")
            #expect(answer["auth_time"] == nil && answer["acr"] == nil)
            let refused = try await gatehouse.call("DELETE", "/users/me", bearer: token)
            #expect(refused.status == 401 && refused["error"] == "insufficient_user_authentication")
            // A refresh renews no authentication.
            let next = try await gatehouse.refresh(try #require(answer["refresh_token"]?.string))
            let again = try await gatehouse.call("DELETE", "/users/me", bearer: try #require(next["token"]?.string))
            #expect(again.status == 401)
            let telling = try await gatehouse.exchange(
                try await gatehouse.accessToken(of: "ada", misbehaving: Self.jwt))
            let erased = try await gatehouse.call("DELETE", "/users/me", bearer: telling["token"]?.string)
            #expect(erased.status == 200, "\(erased.text)")
        }
    }

    @Test func `proves nothing at a provider that has userinfo alone`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            gatehouse.simulation.misbehave(.document(.withoutIntrospection), of: .plain)
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada"))
            #expect(answer.status == 502 && answer["error"] == "provider_error")
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
            #expect(gatehouse.log.text.contains("introspection_endpoint is missing or wrong"))
        }
    }

    @Test func `is nothing here unless the operator says so`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada"))
            #expect(answer.status == 400 && answer["error"] == "invalid_request")
            #expect(gatehouse.simulation.counts[.plain, .introspection] == 0)
            #expect(gatehouse.simulation.counts[.plain, .userinfo] == 0)
        }
    }

    @Test func `is made up no oftener than sign-ins are allowed`() async throws {
        try await RunningGatehouse.exchanging("introspection", limits: .init(signIns: 5)) { gatehouse in
            var statuses: [Int] = []
            for number in 0..<8 { statuses.append(try await gatehouse.exchange("made-up-\(number)").status) }
            #expect(statuses == Array(repeating: 401, count: 5) + Array(repeating: 429, count: 3))
            #expect(gatehouse.simulation.counts[.plain, .introspection] == 5)
        }
    }

    @Test(arguments: [
        ["clientAuthentication: client_secret_post"],
        [
            "clientID: gatehouse-keys", "clientAuthentication: client_secret_jwt",
            "clientSecret: demo-secret-that-is-long-enough-for-HS256",
        ],
    ]) func `is asked about in each way in which we tell who we are`(lines: [String]) async throws {
        let audiences = ["tokenExchangeAudiences: [gatehouse-demo]", "userinfo: false"]
        try await RunningGatehouse.exchanging("introspection", lines + audiences) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada")
            for _ in 0..<2 {
                let answer = try await gatehouse.exchange(token)
                #expect(answer.status == 200, "\(answer.text)")
            }
        }
    }

    @Test func `ends with the provider's session, as one that a code has opened`() async throws {
        try await RunningGatehouse.exchanging("introspection") { gatehouse in
            let answer = try await gatehouse.exchange(try await gatehouse.accessToken(of: "ada"))
            let session = try #require(answer["token"]?.string)
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "by": "sid"])
            #expect(try await gatehouse.logOut(token).status == 200)
            #expect(try await !gatehouse.isLive(session))
        }
    }

    @Test func `gives an app of ours tokens of its own`() async throws {
        try await RunningGatehouse.exchanging("introspection", top: BrowserFlow.configuration) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada")
            let answer = try await gatehouse.exchange(token, ["client_id": "desk", "scope": "openid email"])
            #expect(answer.status == 200 && answer["scope"] == "openid email", "\(answer.text)")
            #expect(answer["id_token"]?.string != nil && answer["user"] == nil)
            let refused = try await gatehouse.exchange("made-up", ["client_id": "desk"])
            #expect(refused.status == 400 && refused["error"] == "invalid_grant")
            let unproven = try await gatehouse.exchange(token, ["client_id": "web"])
            #expect(unproven.status == 401 && unproven["error"] == "invalid_client")
        }
    }
}
