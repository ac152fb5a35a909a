import Crypto
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `A spoilt ID token` {
    /// The token of a sign-in in which that is the matter.
    private func token(
        _ simulation: Simulation, _ misbehaviour: IDTokenMisbehaviour, at issuer: SimulatedIssuer = .aurora
    ) throws -> TestToken {
        let changes = ["misbehave": misbehaviour.rawValue, "acr_values": "a3", "context": "Pay $20"]
        return try SimulatedSignIn(simulation, at: issuer).tokens(changes).idToken
    }

    private static let signedRightly: [IDTokenMisbehaviour] = IDTokenMisbehaviour.allCases.filter {
        ![
            .badSignature, .algorithmNone, .algorithmNoneInOddCase, .hs256WithPublicKey, .hs256WithClientSecret, .es256,
            .unknownKeyID, .noKeyID, .retiredKey, .duplicateHeaderMembers, .paddedBase64, .garbage,
        ].contains($0)
    }

    @Test(arguments: signedRightly)
    func `a spoilt ID token is signed rightly when its signature is not the matter`(misbehaviour: IDTokenMisbehaviour)
        async throws
    {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let token = try token(simulation, misbehaviour, at: .plain)
            #expect(token.isSigned(by: try signIn.key(try token.header["kid"]?.string), .rs256))
        }
    }

    @Test func `a spoilt ID token has the wrong signature, or none, or one that anybody can make`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let bad = try token(simulation, .badSignature)
            let key = try #require(try signIn.key(try bad.header["kid"]?.string))
            #expect(!bad.isSigned(by: key, .rs256))
            let none = try token(simulation, .algorithmNone)
            #expect(try none.header["alg"]?.string == "none")
            #expect(none.signature.isEmpty)
            #expect(try token(simulation, .algorithmNoneInOddCase).header["alg"]?.string == "nOnE")
            let secret = try token(simulation, .hs256WithClientSecret)
            #expect(try secret.header["alg"]?.string == "HS256")
            #expect(secret.isMarked(with: Array("demo-secret".utf8)))
            #expect(try token(simulation, .hs256WithPublicKey).header["alg"]?.string == "HS256")
        }
    }

    @Test func `names another key, none, or one that came or went`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let before = try signIn.keys
            #expect(try signIn.key(try token(simulation, .unknownKeyID).header["kid"]?.string) == nil)
            #expect(try token(simulation, .noKeyID).header["kid"] == nil)
            #expect(try signIn.key(try token(simulation, .retiredKey).header["kid"]?.string) == nil)
            let elliptic = try token(simulation, .es256)
            #expect(elliptic.isSigned(by: try signIn.key(try elliptic.header["kid"]?.string), .es256))
            #expect(try signIn.keys == before)
            let rotated = try token(simulation, .rotatedKey)
            #expect(!before.contains { (try? rotated.header["kid"]) == $0["kid"] })
            #expect(rotated.isSigned(by: try signIn.key(try rotated.header["kid"]?.string), .rs256))
        }
    }

    @Test func `a spoilt ID token has claims missing`() async throws {
        let missing: [(IDTokenMisbehaviour, String)] = [
            (.missingIssuer, "iss"), (.missingAudience, "aud"), (.missingSubject, "sub"), (.missingExpiry, "exp"),
            (.missingIssuedAt, "iat"), (.missingNonce, "nonce"), (.missingLevel, "acr"), (.missingContext, "context"),
            (.missingAuthenticationTime, "auth_time"),
        ]
        try await withSimulation { simulation throws in
            for (misbehaviour, claim) in missing {
                let claims = try token(simulation, misbehaviour).claims
                #expect(claims[claim] == nil)
                #expect(claims.members.count == 9)
            }
        }
    }

    @Test func `a spoilt ID token has claims of other sign-ins, clients and issuers`() async throws {
        try await withSimulation { simulation throws in
            let subject = simulation.subject(of: "ada", for: "ccid-0123456789abcdef", at: .aurora)
            func claim(_ name: String, _ misbehaviour: IDTokenMisbehaviour) throws -> JSONValue? {
                try token(simulation, misbehaviour).claims[name]
            }
            #expect(try claim("iss", .wrongIssuer)?.string == simulation.aurora + "/other")
            #expect(try claim("aud", .wrongAudience) == "another-client")
            #expect(try claim("aud", .audienceInArray) == ["ccid-0123456789abcdef"])
            #expect(try claim("aud", .extraAudienceWithoutAuthorizedParty)?.array?.count == 2)
            #expect(try claim("azp", .extraAudienceWithoutAuthorizedParty) == nil)
            #expect(try claim("azp", .extraAudienceWithAuthorizedParty) == "ccid-0123456789abcdef")
            #expect(try claim("azp", .otherAuthorizedParty) == "another-client")
            #expect(try claim("sub", .emptySubject) == "")
            #expect(try claim("sub", .numericSubject)?.integer != nil)
            #expect(try claim("sub", .otherSubject)?.string != subject)
            #expect(try claim("nonce", .wrongNonce) != "nonce-1")
            #expect(try claim("acr", .lowerLevel) == "aal1")
            #expect(try claim("context", .wrongContext) != "Pay $20")
        }
    }

    @Test func `a spoilt ID token has times that are past, to come, or no times`() async throws {
        try await withSimulation { simulation throws in
            let now = try #require(try token(simulation, .audienceInArray).claims["iat"]?.integer)
            func time(_ name: String, _ misbehaviour: IDTokenMisbehaviour) throws -> Int64? {
                try token(simulation, misbehaviour).claims[name]?.integer
            }
            #expect(try (now - 360...now - 300).contains(#require(try time("exp", .expired))))
            #expect(try #require(try time("iat", .issuedInFuture)) >= now + 3_600)
            #expect(try (now - 604_800...now - 604_700).contains(#require(try time("iat", .issuedAWeekAgo))))
            #expect(try #require(try time("auth_time", .oldAuthenticationTime)) < now - 604_000)
            #expect(try token(simulation, .floatingExpiry).payloadText.contains(".5,"))
            #expect(try token(simulation, .hugeExpiry).payloadText.contains("1e+300"))
            #expect(try token(simulation, .timesAsText).claims["exp"]?.string != nil)
        }
    }

    @Test func `binds the access token rightly or wrongly`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            for (misbehaviour, isRight) in [
                (IDTokenMisbehaviour.rightAccessTokenHash, true), (.wrongAccessTokenHash, false),
            ] {
                let tokens = try signIn.tokens(["misbehave": misbehaviour.rawValue])
                let hash = Digest.sha256.hash(Array(tokens.accessToken.utf8)).prefix(16)
                let claim = try tokens.idToken.claims["at_hash"]?.string
                #expect((claim == Base64URL.encode(Array(hash))) == isRight)
            }
        }
    }

    @Test func `a spoilt ID token is malformed`() async throws {
        try await withSimulation { simulation throws in
            #expect(throws: JSONError.duplicateMember("sub")) { try token(simulation, .duplicateMembers).claims }
            #expect(throws: JSONError.duplicateMember("alg")) { try token(simulation, .duplicateHeaderMembers).header }
            #expect(throws: JSONError.tooDeep) { try token(simulation, .deep).claims }
            #expect(try token(simulation, .huge).payloadText.utf8.count > 262_144)
            #expect(try token(simulation, .unknownMembers).claims["cnf"] != nil)
            #expect(try token(simulation, .unknownCriticalHeader).header["crit"] != nil)
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            for misbehaviour in [IDTokenMisbehaviour.garbage, .paddedBase64] {
                let text = try signIn.tokens(["misbehave": misbehaviour.rawValue]).answer["id_token"]?.string
                #expect(text?.contains("=") == true)
            }
        }
    }
}
