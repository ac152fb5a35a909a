import Crypto
import JOSE
import JSON
import Providers
import TestSupport
import Testing

/// What becomes of a good logout token, changed: read, its signature verified, its claims against the rules.
private func logout(
    from provider: SigningProvider = SigningProvider(), keys: JWKSet? = nil, at time: Int64 = now,
    demandsType: Bool = true, _ change: (inout TokenDraft) -> Void = { _ in }
) throws -> Result<LogoutToken, EventTokenError> {
    try logout(
        of: try provider.logoutToken(change), from: provider, keys: keys, at: time, demandsType: demandsType)
}

private func logout(
    of token: String, from provider: SigningProvider = SigningProvider(), keys: JWKSet? = nil, at time: Int64 = now,
    demandsType: Bool = true
) throws -> Result<LogoutToken, EventTokenError> {
    let keys = try keys ?? provider.keySet
    let verifier = LogoutTokenVerifier(
        issuer: "https://carrier.example", clientID: "ccid-0123456789abcdef", demandsType: demandsType,
        clockSkewSeconds: clockSkew)
    return Result { () throws(EventTokenError) in
        let verified: VerifiedJWS
        do throws(JOSEError) {
            verified = try JWS.verify(
                token, keys: keys, allowed: [.rs256], maximumByteCount: LogoutTokenVerifier.maximumTokenBytes)
        } catch {
            throw EventTokenError(error)
        }
        return try verifier.verify(verified, now: time)
    }
}

/// An `events` with something else for the event of a logout.
private func event(_ value: JSONValue) -> JSONValue { .object(JSONObject([(LogoutToken.event, value)])) }

@Suite struct `A logout token` {
    @Test func `tells which session, or whose sessions, are over`() throws {
        let token = try logout().get()
        #expect(token.ended == .session("the-sid", subject: "310260-subject"))
        #expect(token.issuer == "https://carrier.example" && token.identifier == "the-jti")
        #expect(try logout { $0.claims[setting: "sub"] = nil }.get().ended == .session("the-sid", subject: nil))
        #expect(try logout { $0.claims[setting: "sid"] = nil }.get().ended == .subject("310260-subject"))
    }

    @Test(arguments: ["logout+jwt", "LOGOUT+JWT", "application/logout+jwt"])
    func `says that it is one`(type: String) throws {
        #expect(try logout { $0.header[setting: "typ"] = .string(type) }.isSuccess)
    }

    @Test(arguments: ["JWT", "jwt", nil])
    func `that does not say it is refused, unless the issuer's never do`(type: String?) throws {
        let change: (inout TokenDraft) -> Void = { $0.header[setting: "typ"] = type.map { .string($0) } }
        #expect(try logout(change).failure == .type)
        #expect(try logout(demandsType: false, change).isSuccess)
    }

    @Test(arguments: ["at+jwt", "id_token+jwt", "secevent+jwt", "port_token+jwt", "JOSE", ""])
    func `that says that it is something else is refused`(type: String) throws {
        for demandsType in [false, true] {
            #expect(try logout(demandsType: demandsType) { $0.header[setting: "typ"] = .string(type) }.failure == .type)
        }
    }

    @Test func `that is an ID token is refused, whatever it calls itself`() throws {
        for type in ["JWT", "logout+jwt"] {
            let token = try SigningProvider().idToken { $0.header[setting: "typ"] = .string(type) }
            #expect(try logout(of: token, demandsType: false).failure == .event)
        }
    }

    @Test(arguments: [JSONValue.string("the-nonce"), "", .null])
    func `that has a nonce is refused, since it was made to be an ID token`(nonce: JSONValue) throws {
        #expect(try logout { $0.claims[setting: "nonce"] = nonce }.failure == .nonce)
    }

    @Test func `that is signed by nobody, or with a secret, is refused`() throws {
        for algorithm in ["none", "nOnE", "HS256", "ES256"] {
            let change: (inout TokenDraft) -> Void = { $0.header[setting: "alg"] = .string(algorithm) }
            #expect(try logout(change).failure == .algorithm)
            let parts = try SigningProvider().logoutToken(change).split(separator: ".")
            #expect(try logout(of: "\(parts[0]).\(parts[1]).").failure != nil)
        }
    }

    @Test func `that somebody else has signed is refused`() throws {
        let other = SigningProvider(key: TestKeys.otherRSA)
        #expect(try logout(from: other, keys: SigningProvider().keySet).failure == .signature)
        #expect(try logout { $0.header[setting: "kid"] = "other" }.failure == .unknownKey)
        let parts = try SigningProvider().logoutToken().split(separator: ".")
        let mine = try SigningProvider().logoutToken { $0.claims[setting: "sid"] = "another" }.split(separator: ".")
        #expect(try logout(of: "\(mine[0]).\(mine[1]).\(parts[2])").failure == .signature)
    }

    @Test(arguments: [nil, JSONValue.null, "https://carrier.example/", "https://CARRIER.example", 7])
    func `of another issuer is refused`(issuer: JSONValue?) throws {
        #expect(try logout { $0.claims[setting: "iss"] = issuer }.failure == .issuer)
    }

    @Test(arguments: [nil, JSONValue.null, "another-client", [], ["another-client"], ["ccid-0123456789abcdef", 7]])
    func `for another client is refused`(audience: JSONValue?) throws {
        #expect(try logout { $0.claims[setting: "aud"] = audience }.failure == .audience)
    }

    @Test func `may be for other clients, too, since nothing is opened by it`() throws {
        #expect(try logout { $0.claims[setting: "aud"] = ["another", "ccid-0123456789abcdef"] }.isSuccess)
    }

    @Test(arguments: [
        nil, JSONValue.null, [], .string(LogoutToken.event), [.string(LogoutToken.event)],
        ["http://schemas.openid.net/event/other": [:]], event(.null),
        event("yes"),
    ])
    func `without the event of a logout is refused`(events: JSONValue?) throws {
        #expect(try logout { $0.claims[setting: "events"] = events }.failure == .event)
    }

    @Test func `may tell of other events, and more of its own`() throws {
        let events: JSONValue = [
            "http://schemas.openid.net/event/backchannel-logout": ["reason": "x"], "https://example.com/other": 7,
        ]
        #expect(try logout { $0.claims[setting: "events"] = events }.isSuccess)
    }

    @Test func `that names neither a session nor a user is refused`() throws {
        let failure = try logout {
            $0.claims[setting: "sid"] = nil
            $0.claims[setting: "sub"] = nil
        }.failure
        #expect(failure == .session)
    }

    @Test(arguments: [JSONValue.null, 7, "", [], ["the-sid"], .string(String(repeating: "s", count: 513))])
    func `whose session can't be read is refused, also where it names a user`(session: JSONValue) throws {
        #expect(try logout { $0.claims[setting: "sid"] = session }.failure == .session)
    }

    @Test(arguments: [JSONValue.null, 7, "", [], "s\u{0}", "s\u{85}", .string(String(repeating: "s", count: 256))])
    func `whose user can't be read is refused, also where it names a session`(subject: JSONValue) throws {
        #expect(try logout { $0.claims[setting: "sub"] = subject }.failure == .subject)
    }

    @Test(arguments: [nil, JSONValue.null, 7, "", .string(String(repeating: "j", count: 513))])
    func `that can't be told from its next copy is refused`(identifier: JSONValue?) throws {
        #expect(try logout { $0.claims[setting: "jti"] = identifier }.failure == .identifier)
    }

    @Test func `that is no token, or longer than one, is refused`() throws {
        for text in ["", "x", "a.b", "a.b.c", "e30.e30.e30", String(repeating: "x", count: 16_385)] {
            #expect(try logout(of: text).failure == .malformed)
        }
        let padding = String(repeating: "x", count: 16_384)
        #expect(try logout { $0.claims[setting: "padding"] = .string(padding) }.failure == .malformed)
    }
}

@Suite struct `The times of a logout token` {
    private func failure(_ claim: String, _ value: JSONValue?) throws -> EventTokenError? {
        try logout { $0.claims[setting: claim] = value }.failure
    }

    @Test func `let exp lie past by less than the clock skew`() throws {
        #expect(try failure("exp", .integer(now - clockSkew + 1)) == nil)
        #expect(try failure("exp", .integer(now - clockSkew)) == .expired)
    }

    @Test func `let iat lie ahead by no more than the clock skew`() throws {
        #expect(try failure("iat", .integer(now + clockSkew)) == nil)
        #expect(try failure("iat", .integer(now + clockSkew + 1)) == .issuedAt)
    }

    @Test func `let iat lie back by no more than ten minutes and the clock skew, whatever exp says`() throws {
        let oldest = now - LogoutTokenVerifier.maximumAgeSeconds - clockSkew
        #expect(try failure("iat", .integer(oldest)) == nil)
        #expect(try failure("iat", .integer(oldest - 1)) == .issuedAt)
    }

    @Test(arguments: [nil, JSONValue.null, "soon", -1, .number(1e300)])
    func `must both be there`(value: JSONValue?) throws {
        #expect(try failure("iat", value) == .issuedAt)
        #expect(try failure("exp", value) == .expired)
    }
}

@Suite struct `A logout token for an ID token` {
    /// Nobody has told which nonce was asked for, and all else is there that an ID token needs.
    @Test(arguments: ["logout+jwt", "JWT", nil])
    func `is refused, also where no nonce is expected`(type: String?) throws {
        let token = try SigningProvider().logoutToken {
            $0.header[setting: "typ"] = type.map { .string($0) }
            $0.claims[setting: "auth_time"] = .integer(now - 10)
        }
        let lenient = verifier(nonce: .unknownToUs, acr: [], context: .anything, accessToken: nil)
        #expect(try ProvidersTests.outcome(of: token, by: lenient).failure == .malformed)
    }

    @Test func `would be taken without its events`() throws {
        let token = try SigningProvider().logoutToken {
            $0.header[setting: "typ"] = "JWT"
            $0.claims[setting: "events"] = nil
        }
        let lenient = verifier(nonce: .unknownToUs, acr: [], context: .anything, accessToken: nil)
        #expect(try ProvidersTests.outcome(of: token, by: lenient).isSuccess)
    }
}
