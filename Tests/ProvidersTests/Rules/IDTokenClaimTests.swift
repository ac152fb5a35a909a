import Crypto
import JOSE
import JSON
import Providers
import TestSupport
import Testing

/// One change to a good token, and the rule it breaks; nil when it breaks none.
struct ClaimCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: IDTokenError?
    let change: @Sendable (inout TokenDraft) -> Void

    init(_ description: String, _ fault: IDTokenError?, _ change: @escaping @Sendable (inout TokenDraft) -> Void) {
        testDescription = description
        self.fault = fault
        self.change = change
    }

    static func set(_ claim: String, _ value: JSONValue?, _ fault: IDTokenError?) -> ClaimCase {
        let shown = value.map { String(decoding: $0.serialized.prefix(40), as: UTF8.self) } ?? "missing"
        return ClaimCase("\(claim) \(shown)", fault) { $0.claims[setting: claim] = value }
    }

    static let client: JSONValue = "ccid-0123456789abcdef"

    /// OpenID Connect Core §3.1.3.7 step 2.
    static let issuer: [ClaimCase] = [
        .set("iss", "https://other.example", .issuer), .set("iss", "https://carrier.example/", .issuer),
        .set("iss", "https://Carrier.example", .issuer), .set("iss", "", .issuer), .set("iss", nil, .issuer),
        .set("iss", .null, .issuer), .set("iss", ["https://carrier.example"], .issuer),
    ]

    /// Steps 3 to 5.
    static let audience: [ClaimCase] = [
        .set("aud", [client], nil), .set("aud", [client, client], nil), .set("aud", nil, .audience),
        .set("aud", "someone-else", .audience), .set("aud", ["someone-else"], .audience), .set("aud", [], .audience),
        .set("aud", "ccid-0123456789abcde", .audience), .set("aud", .null, .audience), .set("aud", 7, .audience),
        .set("aud", [client, 7], .audience), .set("aud", .object(JSONObject([("x", client)])), .audience),
        .set("aud", [client, "someone-else"], .authorizedParty),
        ClaimCase("a second audience with our azp", nil) {
            $0.claims[setting: "aud"] = [client, "someone-else"]
            $0.claims[setting: "azp"] = client
        },
        ClaimCase("a second audience with another's azp", .authorizedParty) {
            $0.claims[setting: "aud"] = [client, "someone-else"]
            $0.claims[setting: "azp"] = "someone-else"
        },
        .set("azp", client, nil), .set("azp", "someone-else", .authorizedParty), .set("azp", .null, nil),
        .set("azp", "", .authorizedParty), .set("azp", [client], .authorizedParty),
    ]

    /// Steps 9 and 10, by the form of the claims.
    static let times: [ClaimCase] = [
        .set("exp", nil, .expired), .set("exp", .null, .expired), .set("exp", .number(1e300), .malformed),
        .set("exp", .number(Double(now) + 300.5), nil), .set("exp", .string("\(now + 300)"), nil),
        .set("exp", .number(Double(now) - 360.5), .expired), .set("exp", .number(-0.5), .malformed),
        .set("exp", .string("1e300"), .malformed), .set("exp", .string("+\(now + 300)"), .malformed),
        .set("exp", .string(" \(now + 300)"), .malformed), .set("exp", "", .malformed),
        .set("exp", [.integer(now)], .malformed), .set("exp", true, .malformed), .set("exp", "soon", .malformed),
        .set("exp", .integer(.max), .malformed), .set("exp", .integer(.min), .malformed), .set("exp", -1, .malformed),
        .set("exp", 253_402_300_799, nil), .set("exp", 253_402_300_800, .malformed),
        .set("exp", "9223372036854775807", .malformed), .set("exp", "99999999999999999999999999", .malformed),
        .set("exp", .integer(now - 360), .expired),
        .set("iat", nil, .issuedAt), .set("iat", .null, .issuedAt), .set("iat", .string("\(now)"), nil),
        .set("iat", .number(Double(now) - 0.5), nil), .set("iat", .number(1e300), .malformed),
        .set("iat", .number(Double(now) + 3600.5), .issuedAt),
        .set("iat", .integer(.max), .malformed), .set("iat", .integer(.min), .malformed), .set("iat", 0, nil),
        .set("iat", .integer(now - 7 * 86_400), nil),
        .set("nbf", .integer(now - 1), nil), .set("nbf", .string("\(now)"), nil), .set("nbf", .null, nil),
        .set("nbf", .integer(now + 3600), .issuedAt), .set("nbf", .number(1e300), .malformed),
        .set("nbf", .integer(.max), .malformed), .set("nbf", "soon", .malformed),
        .set("auth_time", nil, nil), .set("auth_time", .null, nil), .set("auth_time", .string("\(now - 10)"), nil),
        .set("auth_time", "yesterday", .malformed), .set("auth_time", .number(1e300), .malformed),
        .set("auth_time", -1, .malformed), .set("auth_time", false, .malformed),
        .set("auth_time", .number(Double(now) - 0.5), nil),
    ]

    /// Steps 11 and 12, the subject, the context, §3.1.3.8.
    static let others: [ClaimCase] = [
        .set("nonce", "another", .nonce), .set("nonce", "the-nonce ", .nonce), .set("nonce", "the-nonc", .nonce),
        .set("nonce", "", .nonce), .set("nonce", nil, .nonce), .set("nonce", 7, .nonce), .set("nonce", .null, .nonce),
        .set("acr", "a1", .acr), .set("acr", "a2", .acr), .set("acr", "aal3", nil), .set("acr", "a4", nil),
        .set("acr", nil, .acr), .set("acr", 3, .acr), .set("acr", ["a3"], .acr), .set("acr", "a31 a1", .acr),
        .set("sub", nil, .subject), .set("sub", "", .subject), .set("sub", 7, .subject), .set("sub", .null, .subject),
        .set("sub", .string(String(repeating: "s", count: 255)), nil),
        .set("sub", .string(String(repeating: "s", count: 256)), .subject),
        .set("sub", "s\u{0}", .subject), .set("sub", "\u{0}", .subject), .set("sub", "s\n", .subject),
        .set("sub", "s\u{7F}", .subject), .set("sub", "s\u{85}", .subject), .set("sub", "é\u{200B}", nil),
        .set("context", "Pay 200 dollars", .context), .set("context", "Pay 20", .context),
        .set("context", nil, .context),
        .set("context", "", .context), .set("context", 20, .context),
        .set("at_hash", .null, nil), .set("at_hash", "", .accessTokenHash), .set("at_hash", 7, .accessTokenHash),
        .set("at_hash", .string(LeftHalfHash.leftHalf(of: "access", algorithm: .rs256)), nil),
        .set("at_hash", .string(LeftHalfHash.leftHalf(of: "another", algorithm: .rs256)), .accessTokenHash),
        .set("at_hash", .string(LeftHalfHash.leftHalf(of: "access", algorithm: .rs384)), .accessTokenHash),
        .set("amr", "pin", nil), .set("amr", nil, nil), .set("amr", ["hwk", 7], nil), .set("amr", 7, nil),
        .set("unknown", ["member": ["of": ["any", "shape", 1, true, .null]]], nil),
        .set("usn", .number(1e300), nil),
    ]

    /// RFC 8725 §3.11.
    static let types: [ClaimCase] =
        ["JWT", "jwt", "application/jwt", "JWS", "id_token+jwt"].map { type in
            ClaimCase("typ \(type)", nil) { $0.header[setting: "typ"] = .string(type) }
        } + [
            ClaimCase("no typ", nil) { $0.header[setting: "typ"] = nil },
            ClaimCase("typ at+jwt", .malformed) { $0.header[setting: "typ"] = "at+jwt" },
            ClaimCase("typ AT+JWT", .malformed) { $0.header[setting: "typ"] = "AT+JWT" },
            ClaimCase("typ application/at+jwt", .malformed) { $0.header[setting: "typ"] = "application/at+jwt" },
            ClaimCase("typ logout+jwt", .malformed) { $0.header[setting: "typ"] = "logout+jwt" },
            ClaimCase("typ port_token+jwt", .malformed) { $0.header[setting: "typ"] = "port_token+jwt" },
            ClaimCase("typ 7", .malformed) { $0.header[setting: "typ"] = 7 },
        ]
}

@Suite struct `The claims of an ID token` {
    @Test func `the claims of an ID token are taken when they keep every rule`() throws {
        let token = try outcome(of: SigningProvider().idToken()).get()
        #expect(token.issuer == "https://carrier.example")
        #expect(token.subject == "310260-subject")
        #expect(token.authenticationTime == now - 10)
        #expect(token.acr == "a3")
        #expect(token.amr == ["hwk", "pin"])
        #expect(token.context == "Pay 20 dollars")
        #expect(token.claims["nonce"] == "the-nonce")
    }

    @Test(arguments: ClaimCase.issuer + ClaimCase.audience + ClaimCase.times + ClaimCase.others + ClaimCase.types)
    func `the claims of an ID token are held to the rules`(_ rule: ClaimCase) throws {
        let token = try SigningProvider().idToken(rule.change)
        #expect(try outcome(of: token).failure == rule.fault)
    }

    @Test func `the claims of an ID token may write amr as one text`() throws {
        let token = try SigningProvider().idToken { $0.claims[setting: "amr"] = "pin" }
        #expect(try outcome(of: token).get().amr == ["pin"])
    }

    @Test func `the claims of an ID token may leave the nonce out only when we do not know one`() throws {
        let token = try SigningProvider().idToken { $0.claims[setting: "nonce"] = nil }
        #expect(try outcome(of: token, by: verifier(nonce: .unknownToUs)).isSuccess)
        #expect(try outcome(of: token).failure == .nonce)
    }

    @Test func `the claims of an ID token may leave acr and context out when nobody asked for them`() throws {
        let token = try SigningProvider().idToken {
            $0.claims[setting: "acr"] = nil
            $0.claims[setting: "context"] = nil
        }
        #expect(try outcome(of: token, by: verifier(acr: [], context: .anything)).isSuccess)
    }

    @Test func `the claims of an ID token must meet every requirement on acr`() throws {
        let token = try SigningProvider().idToken { $0.claims[setting: "acr"] = "a2" }
        #expect(try outcome(of: token, by: verifier(acr: ["a1", "a2"])).isSuccess)
        #expect(try outcome(of: token, by: verifier(acr: ["a1", "a3"])).failure == .acr)
        #expect(try outcome(of: token, by: verifier(acr: ["a3", "a1"])).failure == .acr)
    }

    @Test func `the claims of an ID token have at_hash checked with the digest of the token's own algorithm`() throws {
        let provider = SigningProvider(key: TestKeys.p384, algorithm: .es384)
        let right = LeftHalfHash.leftHalf(of: "access", algorithm: .es384)
        let wrong = LeftHalfHash.leftHalf(of: "access", algorithm: .es256)
        let good = try provider.idToken { $0.claims[setting: "at_hash"] = .string(right) }
        let bad = try provider.idToken { $0.claims[setting: "at_hash"] = .string(wrong) }
        #expect(try outcome(of: good, from: provider, allowed: [.es384]).isSuccess)
        #expect(try outcome(of: bad, from: provider, allowed: [.es384]).failure == .accessTokenHash)
    }

    @Test func `the claims of an ID token have at_hash ignored when the ID token came alone`() throws {
        let token = try SigningProvider().idToken { $0.claims[setting: "at_hash"] = "anything" }
        #expect(try outcome(of: token, by: verifier(accessToken: nil)).isSuccess)
    }
}

@Suite struct `A context that a carrier may cut` {
    static let long = "Transfer 2000 dollars from savings to the account of Jane Doe at First Bank"

    static func outcome(shown: JSONValue?) throws -> Result<IDToken, IDTokenError> {
        let token = try SigningProvider().idToken { $0.claims[setting: "context"] = shown }
        return try ProvidersTests.outcome(of: token, by: verifier(context: .exactlyOrCut(long)))
    }

    @Test(arguments: [long, String(long.prefix(74)), String(long.prefix(32))])
    func `a context that a carrier may cut is taken whole or cut`(shown: String) throws {
        #expect(try Self.outcome(shown: .string(shown)).isSuccess)
    }

    @Test(arguments: [
        String(long.prefix(31)), String(long.dropFirst()), "", long + ".",
        "Transfer 2001 dollars from savings to the account",
    ])
    func `a context that a carrier may cut is refused when too little or something else is left`(shown: String) throws {
        #expect(try Self.outcome(shown: .string(shown)).failure == .context)
    }

    @Test(arguments: [IDTokenVerifier.ExpectedContext.exactly("Café"), .exactlyOrCut("Café")])
    func `a context that a carrier may cut is compared byte by byte`(expected: IDTokenVerifier.ExpectedContext) throws {
        for (shown, isTaken) in [("Caf\u{E9}", true), ("Cafe\u{301}", false)] {
            let token = try SigningProvider().idToken { $0.claims[setting: "context"] = .string(shown) }
            #expect(try ProvidersTests.outcome(of: token, by: verifier(context: expected)).isSuccess == isTaken)
        }
    }

    @Test func `a context that a carrier may cut is refused when it is missing`() throws {
        #expect(try Self.outcome(shown: nil).failure == .context)
    }

    @Test func `a context that a carrier may cut is not taken cut where it must be exact`() throws {
        let token = try SigningProvider().idToken {
            $0.claims[setting: "context"] = .string(String(Self.long.prefix(40)))
        }
        #expect(
            try ProvidersTests.outcome(of: token, by: verifier(context: .exactly(Self.long))).failure == .context)
    }
}
