import Crypto
import HTTPClient
import JOSE
import JSON
import Providers
import TestSupport
import Testing

private func rules(audiences: [String] = [], acr: String? = nil) -> AccessTokenRules {
    AccessTokenRules(
        issuer: "https://carrier.example", clientID: "ccid-0123456789abcdef", audiences: audiences,
        authentication: acr.flatMap { RequiredAuthentication(values: $0) }, clockSkewSeconds: clockSkew)
}

/// What becomes of an access token that is a JWT: its signature verified, its claims against the rules.
private func proven(
    _ token: String, by rules: AccessTokenRules = rules(), at time: Int64 = now
) throws -> Result<ProvenAccessToken, AccessTokenError> {
    let keys = try SigningProvider().keySet
    return Result { () throws(AccessTokenError) in
        let verified: VerifiedJWS
        do throws(JOSEError) {
            verified = try JWS.verify(
                token, keys: keys, allowed: [.rs256], maximumByteCount: AccessTokenRules.maximumTokenBytes)
        } catch {
            throw AccessTokenError(error)
        }
        return try AccessTokenVerifier(rules).verify(verified, now: time)
    }
}

private func proven(
    by rules: AccessTokenRules = rules(), at time: Int64 = now, _ change: (inout TokenDraft) -> Void
) throws -> Result<ProvenAccessToken, AccessTokenError> {
    try proven(try SigningProvider().accessToken(change), by: rules, at: time)
}

/// What becomes of an answer about one.
private func introspected(
    by rules: AccessTokenRules = rules(), at time: Int64 = now, _ change: (inout JSONObject) -> Void = { _ in }
) throws -> Result<ProvenAccessToken, AccessTokenError> {
    let answer = try IntrospectionAnswer(.json(SigningProvider().introspected(change)))
    return Result { () throws(AccessTokenError) in try answer.verify(rules, now: time) }
}

/// A change that breaks one rule, whichever way a token is proven.
struct BrokenRule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: AccessTokenError
    let change: @Sendable (inout JSONObject) -> Void

    init(_ name: String, _ rule: AccessTokenError, _ change: @escaping @Sendable (inout JSONObject) -> Void) {
        testDescription = name
        self.rule = rule
        self.change = change
    }

    static let all = [
        BrokenRule("another client's audience", .audience) { $0[setting: "aud"] = "another-client" },
        BrokenRule("audiences of others", .audience) { $0[setting: "aud"] = ["another-client", "account"] },
        BrokenRule("an audience that is no text", .audience) {
            $0[setting: "aud"] = ["ccid-0123456789abcdef", 7]
        },
        BrokenRule("a part of our name", .audience) { $0[setting: "aud"] = "ccid-0123456789abcde" },
        BrokenRule("an audience of numbers", .audience) { $0[setting: "aud"] = 7 },
        BrokenRule("another issuer", .issuer) { $0[setting: "iss"] = "https://evil.example" },
        BrokenRule("the issuer with a slash", .issuer) { $0[setting: "iss"] = "https://carrier.example/" },
        BrokenRule("two clients", .authorizedParty) { $0[setting: "azp"] = "another-client" },
        BrokenRule("a client that is no text", .authorizedParty) { $0[setting: "azp"] = 7 },
        BrokenRule("an end that has passed", .expired) { $0[setting: "exp"] = .integer(now - clockSkew) },
        BrokenRule("an end that is none", .expired) { $0[setting: "exp"] = "soon" },
        BrokenRule("an end beyond all time", .expired) { $0[setting: "exp"] = .number(1e300) },
        BrokenRule("an issue to come", .issuedAt) { $0[setting: "iat"] = .integer(now + clockSkew + 1) },
        BrokenRule("a beginning to come", .notBefore) { $0[setting: "nbf"] = .integer(now + clockSkew + 1) },
        BrokenRule("no subject", .subject) { $0[setting: "sub"] = nil },
        BrokenRule("an empty subject", .subject) { $0[setting: "sub"] = "" },
        BrokenRule("a subject with a NUL", .subject) { $0[setting: "sub"] = "s\u{0}" },
        BrokenRule("a subject of numbers", .subject) { $0[setting: "sub"] = 310_260 },
        BrokenRule("a subject beyond measure", .subject) {
            $0[setting: "sub"] = .string(String(repeating: "s", count: 256))
        },
        BrokenRule("an authentication to come", .authenticationTime) {
            $0[setting: "auth_time"] = .integer(now + clockSkew + 1)
        },
        BrokenRule("a bound key", .confirmation) { $0[setting: "cnf"] = ["jkt": "thumbprint"] },
        BrokenRule("a bound certificate", .confirmation) { $0[setting: "cnf"] = ["x5t#S256": "hash"] },
        BrokenRule("an ID token's hash", .type) { $0[setting: "at_hash"] = "hash" },
        BrokenRule("an ID token by Keycloak's word", .type) { $0[setting: "typ"] = "ID" },
        BrokenRule("a refresh token by Keycloak's word", .type) { $0[setting: "typ"] = "Refresh" },
        BrokenRule("an ID token by Cognito's word", .type) { $0[setting: "token_use"] = "id" },
        BrokenRule("events", .type) { $0[setting: "events"] = [:] },
    ]
}

@Suite struct `An access token` {
    @Test(arguments: BrokenRule.all) func `that breaks a rule is refused, and told which`(_ broken: BrokenRule) throws {
        #expect(try proven { broken.change(&$0.claims) }.failure == broken.rule)
        #expect(try introspected(broken.change).failure == broken.rule)
    }

    @Test func `tells whom it is about, and of an authentication only what its provider does`() throws {
        for token in [try proven { _ in }.get(), try introspected().get()] {
            #expect(token.issuer == "https://carrier.example" && token.subject == "310260-subject")
            #expect(token.authenticationTime == nil && token.acr == nil && token.amr.isEmpty && token.session == nil)
        }
        let claims: [(String, JSONValue)] = [
            ("auth_time", .integer(now - 7)), ("acr", "a2"), ("amr", ["pin"]), ("sid", "the-sid"),
        ]
        let told = try introspected { for (name, value) in claims { $0[setting: name] = value } }.get()
        #expect(try proven { for (name, value) in claims { $0.claims[setting: name] = value } }.get() == told)
        #expect(told.authenticationTime == now - 7 && told.acr == "a2" && told.amr == ["pin"])
        #expect(told.session == "the-sid")
    }

    @Test func `may be for one of several, and for what else is ours`() throws {
        let other: JSONValue = "https://api.acme.example"
        for audience in [["another", "ccid-0123456789abcdef"], ["ccid-0123456789abcdef"], other] as [JSONValue] {
            let rules = rules(audiences: ["https://api.acme.example"])
            #expect(try proven(by: rules) { $0.claims[setting: "aud"] = audience }.isSuccess)
            #expect(try introspected(by: rules) { $0[setting: "aud"] = audience }.isSuccess)
        }
        #expect(try proven { $0.claims[setting: "aud"] = other }.failure == .audience)
        #expect(try introspected { $0[setting: "aud"] = other }.failure == .audience)
    }

    @Test func `is as good as the clocks differ`() throws {
        #expect(try proven { $0.claims[setting: "exp"] = .integer(now - clockSkew + 1) }.isSuccess)
        #expect(try introspected { $0[setting: "iat"] = .integer(now + clockSkew) }.isSuccess)
    }

    @Test func `must show the level that is demanded, and shows none where its provider tells none`() throws {
        let demanding = rules(acr: "a2")
        #expect(try proven(by: demanding) { _ in }.failure == .acr)
        #expect(try introspected(by: demanding).failure == .acr)
        for (level, isEnough) in [("a1", false), ("a2", true), ("aal3", true)] {
            #expect(try proven(by: demanding) { $0.claims[setting: "acr"] = .string(level) }.isSuccess == isEnough)
            #expect(try introspected(by: demanding) { $0[setting: "acr"] = .string(level) }.isSuccess == isEnough)
        }
    }

    @Test(arguments: ["", " ", "a b", "a\r\nX-Evil: 1", "a\u{0}", "ä", "a\u{7F}", "\t"])
    func `has no characters that could end a header`(text: String) {
        #expect(!AccessTokenRules.isWellFormed(text))
        #expect(AccessTokenRules.isWellFormed("aZ09-._~+/="))
    }
}

@Suite struct `An access token that is a JWT` {
    @Test(arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
    func `says that it is one`(type: String) throws {
        #expect(try proven { $0.header[setting: "typ"] = .string(type) }.isSuccess)
    }

    @Test(arguments: ["JWT", "id_token+jwt", "logout+jwt", "secevent+jwt", "dpop+jwt", "at", "jwt+at", "", nil])
    func `that says something else, or nothing, is refused`(type: String?) throws {
        #expect(try proven { $0.header[setting: "typ"] = type.map { .string($0) } }.failure == .type)
    }

    @Test func `is never an ID token, whose audience we are too`() throws {
        let token = try SigningProvider().idToken()
        #expect(try proven(token).failure == .type)
        let compact = try CompactJWS(parsing: token, maximumByteCount: 8192)
        #expect(throws: AccessTokenError.type) {
            try AccessTokenVerifier.check(compact, claiming: "https://carrier.example")
        }
    }

    @Test(
        arguments: [
            ("aud", .audience), ("client_id", .client), ("exp", .expired), ("iat", .issuedAt), ("sub", .subject),
            ("iss", .issuer),
        ] as [(String, AccessTokenError)])
    func `that lacks what each has is refused`(claim: String, rule: AccessTokenError) throws {
        #expect(try proven { $0.claims[setting: claim] = nil }.failure == rule)
        #expect(try proven { $0.claims[setting: claim] = .null }.failure == rule)
    }

    @Test func `is signed by its provider`() throws {
        let draft = SigningProvider().accessTokenDraft
        let forged = try draft.signed(by: TestKeys.otherRSA, with: .rs256)
        #expect(try proven(forged).failure == .signature)
        for algorithm in ["none", "HS256"] {
            let token = try SigningProvider().accessToken { $0.header[setting: "alg"] = .string(algorithm) }
            #expect(try proven(token).failure == .algorithm)
        }
        #expect(try proven("opaque").failure == .malformed)
        #expect(
            try proven(try SigningProvider().accessToken { $0.header[setting: "kid"] = "x" }).failure == .unknownKey)
    }

    @Test func `of another issuer is refused before anybody's keys are asked for`() throws {
        let token = try SigningProvider().accessToken { $0.claims[setting: "iss"] = "https://evil.example" }
        let compact = try CompactJWS(parsing: token, maximumByteCount: 8192)
        #expect(throws: AccessTokenError.issuer) {
            try AccessTokenVerifier.check(compact, claiming: "https://carrier.example")
        }
    }
}

@Suite struct `An answer about an access token` {
    @Test(arguments: [false, "true", 1, .null, nil] as [JSONValue?])
    func `that does not say that it is good says that it is not`(active: JSONValue?) throws {
        #expect(try introspected { $0[setting: "active"] = active }.failure == .active)
    }

    @Test(arguments: ["refresh_token", "N_A", "DPoP", "mac", "", 7] as [JSONValue])
    func `is about a bearer token`(type: JSONValue) throws {
        #expect(try introspected { $0[setting: "token_type"] = type }.failure == .tokenType)
    }

    @Test(arguments: ["Bearer", "bearer", "access_token", .null, nil] as [JSONValue?])
    func `may say so or leave it out`(type: JSONValue?) throws {
        #expect(try introspected { $0[setting: "token_type"] = type }.isSuccess)
    }

    @Test func `that names no audience is about our own token where it was issued to us`() throws {
        #expect(try introspected { $0[setting: "aud"] = nil }.isSuccess)
        #expect(
            try introspected {
                $0[setting: "aud"] = nil
                $0[setting: "client_id"] = "another-client"
            }.failure == .audience)
        #expect(
            try introspected {
                $0[setting: "aud"] = nil
                $0[setting: "client_id"] = nil
            }.failure == .audience)
        // An audience decides, also where the token was issued to us: it is for somebody else's API.
        #expect(try introspected { $0[setting: "aud"] = "https://other.example" }.failure == .audience)
        // What is ours besides is an audience, and no client.
        #expect(
            try introspected(by: rules(audiences: ["another-client"])) {
                $0[setting: "aud"] = nil
                $0[setting: "client_id"] = "another-client"
            }.failure == .audience)
    }

    @Test func `is about no ID token, which has a nonce, unless it says that it is about an access token`() throws {
        func answer(_ type: JSONValue?, _ claims: [(String, JSONValue)]) throws -> AccessTokenError? {
            try introspected { answer in
                answer[setting: "token_type"] = type
                answer[setting: "nonce"] = "the-nonce"
                for (name, value) in claims { answer[setting: name] = value }
            }.failure
        }
        #expect(try answer(nil, []) == .type)
        #expect(try answer("Bearer", []) == nil)
        #expect(try answer(nil, [("typ", "Bearer")]) == nil)
        #expect(try answer("Bearer", [("typ", "ID")]) == .type)
    }

    @Test func `needs neither issuer nor times`() throws {
        #expect(
            try introspected { answer in
                for name in ["iss", "exp", "iat", "scope", "client_id"] { answer[setting: name] = nil }
            }.isSuccess)
    }

    @Test(
        arguments: [
            (401, #"{"error":"invalid_client"}"#, .refused(.clientFault("invalid_client"))),
            (400, #"{"error":"invalid_request"}"#, .refused(.clientFault("invalid_request"))),
            (503, #"{"error":"temporarily_unavailable"}"#, .refused(.temporarilyUnavailable)),
            (400, #"{"error":"invalid_grant"}"#, .status(400)), (401, "", .status(401)), (201, "{}", .status(201)),
            (302, "", .status(302)), (500, "{}", .status(500)), (200, "", .notJSON), (200, "[]", .notJSON),
            (200, "true", .notJSON), (200, #"{"active":true,"active":true}"#, .doubtfulMember("active")),
        ] as [(Int, String, ProviderCallError)])
    func `that is none is the provider's fault, or ours, and not the app's`(
        status: Int, body: String, failure: ProviderCallError
    ) {
        #expect(throws: failure) {
            try IntrospectionAnswer(.text(body, type: "application/json", status: status))
        }
    }

    @Test(arguments: ["application/token-introspection+jwt", "application/jwt", "Application/JWT; charset=utf-8"])
    func `that is signed was not asked for`(type: String) {
        #expect(throws: ProviderCallError.notJSON) {
            try IntrospectionAnswer(.text(#"{"active":true}"#, type: type))
        }
    }

    @Test func `is not asked for about what shows that it is another token`() throws {
        let provider = SigningProvider()
        for token in [
            try provider.idToken(), try provider.idToken { $0.claims[setting: "at_hash"] = "hash" },
            try provider.accessToken { $0.claims[setting: "typ"] = "ID" }, try provider.logoutToken(),
            try provider.accessToken { $0.header[setting: "typ"] = "id_token+jwt" },
        ] {
            #expect(throws: AccessTokenError.type) { try IntrospectionAnswer.check(token) }
        }
        for token in [
            "opaque", "a.b.c", try provider.accessToken(),
            try provider.accessToken { $0.header[setting: "typ"] = "JWT" },
        ] {
            #expect(throws: Never.self) { try IntrospectionAnswer.check(token) }
        }
    }
}
