import Crypto
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

private let risc = "https://schemas.openid.net/secevent/risc/event-type/"
private let oauth = "https://schemas.openid.net/secevent/oauth/event-type/"
private let week: Int64 = 7 * 86_400

/// What becomes of a token about events: read, its signature verified, its claims against the rules.
private func events(
    of token: String, _ wording: EventTokenVerifier.Wording, issuer: String = "https://carrier.example",
    at time: Int64 = now
) throws -> Result<ProviderEvents, EventTokenError> {
    let keys = try SigningProvider().keySet
    let verifier = EventTokenVerifier(
        wording, issuer: issuer, audiences: ["ccid-0123456789abcdef", "com.example.app"], maximumAgeSeconds: week,
        clockSkewSeconds: clockSkew)
    return Result { () throws(EventTokenError) in
        let verified: VerifiedJWS
        do throws(JOSEError) {
            verified = try JWS.verify(
                token, keys: keys, allowed: [.rs256], maximumByteCount: EventTokenVerifier.maximumTokenBytes)
        } catch {
            throw EventTokenError(error)
        }
        return try verifier.verify(verified, now: time)
    }
}

private func notification(
    _ provider: SigningProvider = SigningProvider(), at time: Int64 = now,
    _ change: (inout TokenDraft) -> Void = { _ in }
) throws -> Result<ProviderEvents, EventTokenError> {
    try events(of: try provider.notification(change), .apple, at: time)
}

private func securityEvent(
    _ provider: SigningProvider = SigningProvider(), at time: Int64 = now,
    _ change: (inout TokenDraft) -> Void = { _ in }
) throws -> Result<ProviderEvents, EventTokenError> {
    try events(
        of: try provider.securityEvent(change), .risc(subjectIssuer: "https://carrier.example"),
        issuer: "https://carrier.example/", at: time)
}

@Suite struct `A notification of Apple's` {
    @Test(arguments: [
        ("consent-revoked", ProviderEvent.Kind.consentRevoked), ("account-delete", .accountDeleted),
        ("account-deleted", .accountDeleted), ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled),
    ])
    func `tells what has happened to whom, and when`(type: String, kind: ProviderEvent.Kind) throws {
        let told = try notification { $0.claims[setting: "events"] = SigningProvider.notification(type) }.get()
        #expect(told.events == [ProviderEvent(kind: kind, subject: "310260-subject", time: now - 10)])
        #expect(told.unknown == 0 && told.identifier == "the-jti")
    }

    @Test func `of a kind that nobody knows is taken, and tells nothing`() throws {
        let told = try notification { $0.claims[setting: "events"] = SigningProvider.notification("new-kind") }.get()
        #expect(told.events.isEmpty && told.unknown == 1)
    }

    @Test func `may have its event as an object, too`() throws {
        let event: JSONValue = ["type": "email-enabled", "sub": "a", "event_time": .integer(now * 1000)]
        let told = try notification { $0.claims[setting: "events"] = event }.get()
        #expect(told.events == [ProviderEvent(kind: .emailEnabled, subject: "a", time: now)])
    }

    @Test(arguments: [
        nil, JSONValue.null, "", "consent-revoked", "[]", "{", "{}", 7, ["type": 7], [:],
        .string(#"{"type":"consent-revoked","type":"email-enabled","sub":"a"}"#),
    ])
    func `without an event is refused`(events: JSONValue?) throws {
        #expect(try notification { $0.claims[setting: "events"] = events }.failure == .event)
    }

    @Test(arguments: [nil, JSONValue.null, "", 7, .string(String(repeating: "s", count: 256))])
    func `of nobody is refused`(subject: JSONValue?) throws {
        let failure = try notification {
            $0.claims[setting: "events"] = SigningProvider.notification("consent-revoked", subject: subject)
        }.failure
        #expect(failure == .subject)
    }

    @Test func `has the time of its event in milliseconds, in seconds, or as that of the token`() throws {
        let values: [(JSONValue?, Int64)] = [
            (.integer((now - 70) * 1000 + 999), now - 70), (.integer(now - 70), now - 70),
            (.string("\((now - 70) * 1000)"), now - 70), (nil, now - 5), (.null, now - 5),
        ]
        for (value, time) in values {
            let told = try notification {
                $0.claims[setting: "events"] = SigningProvider.notification("consent-revoked", time: value)
            }
            #expect(try told.get().events.first?.time == time)
        }
    }

    @Test(arguments: [JSONValue.integer((now + clockSkew + 1) * 1000), -1, "soon", .number(1.5), [], true])
    func `whose event lies ahead, or has no time that can be, is refused`(time: JSONValue) throws {
        let failure = try notification {
            $0.claims[setting: "events"] = SigningProvider.notification("consent-revoked", time: time)
        }.failure
        #expect(failure == .eventTime)
    }

    @Test func `may lack an expiry, and must not have expired where it has one`() throws {
        for (expiry, failure) in [(now + 1, nil), (now - clockSkew, .expired)] as [(Int64, EventTokenError?)] {
            #expect(try notification { $0.claims[setting: "exp"] = .integer(expiry) }.failure == failure)
        }
        #expect(try notification { $0.claims[setting: "exp"] = "soon" }.failure == .expired)
    }
}

@Suite struct `A security event token of RISC` {
    private let provider = SigningProvider()

    private func event(
        _ name: String, of family: String = "risc", _ more: KeyValuePairs<String, JSONValue> = [:]
    ) throws -> ProviderEvents {
        try securityEvent { $0.claims[setting: "events"] = provider.riscEvent(name, of: family, more) }.get()
    }

    @Test(arguments: [
        ("sessions-revoked", "risc", ProviderEvent.Kind.sessionsRevoked),
        ("tokens-revoked", "oauth", .tokensRevoked), ("account-purged", "risc", .accountDeleted),
        ("account-enabled", "risc", .accountEnabled),
        ("account-credential-change-required", "risc", .credentialChangeRequired),
        ("account-disabled", "risc", .accountDisabled),
    ])
    func `tells what has happened to whom`(name: String, family: String, kind: ProviderEvent.Kind) throws {
        let told = try event(name, of: family)
        #expect(told.events == [ProviderEvent(kind: kind, subject: "310260-subject", time: now - 5)])
        #expect(told.unknown == 0)
    }

    @Test func `tells a hijacked account from one that is closed for another reason`() throws {
        #expect(try event("account-disabled", ["reason": "hijacking"]).events.first?.kind == .accountHijacked)
        for reason in ["bulk-account", 7, .null] as [JSONValue] {
            #expect(try event("account-disabled", ["reason": reason]).events.first?.kind == .accountDisabled)
        }
    }

    @Test func `may name nobody where it tries whether it is heard, or tells of one token`() throws {
        let events: JSONValue = .object(
            JSONObject([
                (risc + "verification", ["state": "x"]),
                (oauth + "token-revoked", ["subject": ["subject_type": "oauth_token", "token": "abc"]]),
            ]))
        let told = try securityEvent { $0.claims[setting: "events"] = events }.get()
        #expect(told.events.map(\.kind) == [.verification, .tokenRevoked])
        #expect(told.events.allSatisfy { $0.subject == nil })
    }

    @Test func `of kinds that nobody knows is taken, and they are counted`() throws {
        let events: JSONValue = .object(
            JSONObject([(risc + "other", [:]), ("https://example.com/event", [:]), (oauth + "sessions-revoked", [:])]))
        let told = try securityEvent { $0.claims[setting: "events"] = events }.get()
        #expect(told.events.isEmpty && told.unknown == 3)
    }

    @Test(arguments: [
        nil, JSONValue.null, [:], "x", .array([.string(risc + "sessions-revoked")]),
        .object(JSONObject([(risc + "sessions-revoked", "yes")])), .string("{}"),
    ])
    func `without an event is refused`(events: JSONValue?) throws {
        #expect(try securityEvent { $0.claims[setting: "events"] = events }.failure == .event)
    }

    @Test func `that tells of a logout is refused, also among others`() throws {
        let logout = (name: "http://schemas.openid.net/event/backchannel-logout", value: JSONValue.object(JSONObject()))
        let others = provider.riscEvent("sessions-revoked").object?.members ?? []
        for members in [[logout], others + [logout]] {
            let failure = try securityEvent { $0.claims[setting: "events"] = .object(JSONObject(members)) }.failure
            #expect(failure == .event)
        }
    }

    @Test func `names its user by the issuer of ID tokens or its own, inside of the event or beside it`() throws {
        for (type, name) in [("subject_type", "iss-sub"), ("subject_type", "iss_sub"), ("format", "iss_sub")] {
            for issuer in ["https://carrier.example", "https://carrier.example/"] {
                let subject = JSONValue.object(
                    JSONObject([(type, .string(name)), ("iss", .string(issuer)), ("sub", "a")]))
                let inside = try securityEvent {
                    $0.claims[setting: "events"] = .object(
                        JSONObject([(risc + "sessions-revoked", .object(JSONObject([("subject", subject)])))]))
                }
                #expect(try inside.get().events.first?.subject == "a")
                let beside = try securityEvent {
                    $0.claims[setting: "sub_id"] = subject
                    $0.claims[setting: "events"] = .object(JSONObject([(risc + "sessions-revoked", [:])]))
                }
                #expect(try beside.get().events.first?.subject == "a")
            }
        }
    }

    @Test(
        arguments: [
            ["subject_type": "iss-sub", "iss": "https://other.example", "sub": "a"],
            ["subject_type": "iss-sub", "iss": "https://carrier.example//", "sub": "a"],
            ["subject_type": "email", "email": "a@example.com"], ["subject_type": "iss-sub", "sub": "a"],
            ["iss": "https://carrier.example", "sub": "a"], [:],
        ] as [JSONValue])
    func `that names somebody otherwise, or another issuer's, tells of nobody here`(subject: JSONValue) throws {
        let told = try securityEvent {
            $0.claims[setting: "events"] = .object(
                JSONObject([(risc + "sessions-revoked", .object(JSONObject([("subject", subject)])))]))
        }
        #expect(try told.get().events == [ProviderEvent(kind: .sessionsRevoked, subject: nil, time: now - 5)])
    }

    @Test func `about a user without a name is refused`() throws {
        let issuer = ("iss", JSONValue.string("https://carrier.example"))
        for subject in [nil, "", 7] as [JSONValue?] {
            var named = JSONObject([("subject_type", "iss-sub"), issuer])
            named[setting: "sub"] = subject
            let event = JSONObject([("subject", .object(named))])
            let failure = try securityEvent {
                $0.claims[setting: "events"] = .object(JSONObject([(risc + "sessions-revoked", .object(event))]))
            }.failure
            #expect(failure == .subject)
        }
        let failure = try securityEvent {
            $0.claims[setting: "events"] = .object(JSONObject([(risc + "sessions-revoked", [:])]))
        }.failure
        #expect(failure == .subject)
    }

    @Test func `is taken whatever it says of its expiry`() throws {
        for expiry in [nil, .integer(now - 86_400), "soon", .null] as [JSONValue?] {
            #expect(try securityEvent { $0.claims[setting: "exp"] = expiry }.isSuccess)
        }
    }

    @Test func `may tell when it happened, but not that it is still to happen`() throws {
        #expect(try securityEvent { $0.claims[setting: "toe"] = .integer(now - 70) }.get().events[0].time == now - 70)
        for time in [.integer(now + clockSkew + 1), "soon", .null] as [JSONValue] {
            #expect(try securityEvent { $0.claims[setting: "toe"] = time }.failure == .eventTime)
        }
    }
}

@Suite struct `A token about events` {
    typealias Reading = @Sendable ((inout TokenDraft) -> Void) throws -> Result<ProviderEvents, EventTokenError>
    private static let readings: [Reading] = [
        { try notification(SigningProvider(), at: now, $0) }, { try securityEvent(SigningProvider(), at: now, $0) },
    ]

    @Test func `may say that it is one, or a mere JWT, or nothing, and not that it is something else`() throws {
        for read in Self.readings {
            for type in ["secevent+jwt", "JWT", nil] as [JSONValue?] {
                #expect(try read { $0.header[setting: "typ"] = type }.isSuccess)
            }
            for type in ["logout+jwt", "at+jwt", "id_token+jwt", ""] as [JSONValue] {
                #expect(try read { $0.header[setting: "typ"] = type }.failure == .type)
            }
        }
    }

    @Test func `of another issuer is refused`() throws {
        for read in Self.readings {
            for issuer in [nil, .null, "https://carrier.example//", "https://other.example", 7] as [JSONValue?] {
                #expect(try read { $0.claims[setting: "iss"] = issuer }.failure == .issuer)
            }
        }
        // A closing slash makes another issuer.
        #expect(try notification { $0.claims[setting: "iss"] = "https://carrier.example/" }.failure == .issuer)
        #expect(try securityEvent { $0.claims[setting: "iss"] = "https://carrier.example" }.failure == .issuer)
    }

    @Test func `is for the client, or for one of the further identifiers`() throws {
        for read in Self.readings {
            for audience in ["com.example.app", ["another", "com.example.app"]] as [JSONValue] {
                #expect(try read { $0.claims[setting: "aud"] = audience }.isSuccess)
            }
            for audience in [nil, .null, "another", [], ["another"], ["com.example.app", 7], "com.example.app "]
                as [JSONValue?]
            {
                #expect(try read { $0.claims[setting: "aud"] = audience }.failure == .audience)
            }
        }
    }

    @Test func `that somebody else has signed, or nobody, is refused`() throws {
        for read in Self.readings {
            #expect(try read { $0.header[setting: "kid"] = "other" }.failure == .unknownKey)
            for algorithm in ["none", "HS256", "ES256"] as [JSONValue] {
                #expect(try read { $0.header[setting: "alg"] = algorithm }.failure == .algorithm)
            }
        }
        let other = SigningProvider(key: TestKeys.otherRSA)
        #expect(try notification(other).failure == .signature)
        #expect(try securityEvent(other).failure == .signature)
    }

    @Test func `is neither too old nor of the future`() throws {
        for read in Self.readings {
            for (time, failure) in [
                (now + clockSkew, nil), (now + clockSkew + 1, .issuedAt), (now - week - clockSkew, nil),
                (now - week - clockSkew - 1, .issuedAt),
            ] as [(Int64, EventTokenError?)] {
                #expect(try read { $0.claims[setting: "iat"] = .integer(time) }.failure == failure)
            }
            for time in [nil, .null, "soon", .number(1e300)] as [JSONValue?] {
                #expect(try read { $0.claims[setting: "iat"] = time }.failure == .issuedAt)
            }
        }
    }

    @Test func `that can't be told from its next copy is refused`() throws {
        for read in Self.readings {
            for identifier in [nil, .null, 7, "", .string(String(repeating: "j", count: 513))] as [JSONValue?] {
                #expect(try read { $0.claims[setting: "jti"] = identifier }.failure == .identifier)
            }
            #expect(try read { $0.claims[setting: "nonce"] = .null }.failure == .nonce)
        }
    }

    @Test func `is no ID token and no logout token, and those are none`() throws {
        let provider = SigningProvider()
        for token in [try provider.idToken(), try provider.logoutToken { $0.header[setting: "typ"] = "JWT" }] {
            for wording in [.apple, .risc(subjectIssuer: provider.issuer)] as [EventTokenVerifier.Wording] {
                #expect(try events(of: token, wording).failure == .event)
            }
        }
        let lenient = verifier(nonce: .unknownToUs, acr: [], context: .anything, accessToken: nil)
        let logout = LogoutTokenVerifier(
            issuer: provider.issuer, clientID: provider.clientID, clockSkewSeconds: clockSkew)
        for draft in [provider.notificationDraft, provider.securityEventDraft] {
            let token = try provider.sign(draft) {
                $0.header[setting: "typ"] = "JWT"
                $0.claims[setting: "iss"] = .string(provider.issuer)
                $0.claims[setting: "sub"] = "310260-subject"
                $0.claims[setting: "exp"] = .integer(now + 100)
            }
            #expect(try OpenIDConnectTests.outcome(of: token, by: lenient).failure == .malformed)
            let verified = try JWS.verify(
                token, keys: provider.keySet, allowed: [.rs256], maximumByteCount: 8192)
            #expect(throws: EventTokenError.event) { try logout.verify(verified, now: now) }
        }
    }
}

@Suite struct `A signed request of Facebook's` {
    private func taken(
        _ text: String, secret: String = "client-secret"
    ) -> Result<ProviderEvents, EventTokenError> {
        Result { () throws(EventTokenError) in
            try SignedRequest.verify(
                text, as: .deauthorized, secret: Secret(secret), now: now, maximumAgeSeconds: week,
                clockSkewSeconds: clockSkew)
        }
    }

    private func failure(_ name: String, _ value: JSONValue?) -> EventTokenError? {
        taken(SigningProvider.signedRequest { $0[setting: name] = value }).failure
    }

    @Test func `tells whose app was removed, and when`() throws {
        let told = try taken(SigningProvider.signedRequest()).get()
        #expect(told.events == [ProviderEvent(kind: .deauthorized, subject: "310260-subject", time: now - 5)])
        let number = try taken(SigningProvider.signedRequest { $0[setting: "user_id"] = 218_471 }).get()
        #expect(number.events.first?.subject == "218471")
    }

    @Test func `under another secret, or changed, is refused`() throws {
        #expect(taken(SigningProvider.signedRequest(secret: "other")).failure == .signature)
        let parts = SigningProvider.signedRequest().split(separator: ".")
        let other = SigningProvider.signedRequest { $0[setting: "user_id"] = "other" }.split(separator: ".")
        #expect(taken("\(parts[0]).\(other[1])").failure == .signature)
        #expect(taken(".\(parts[1])").failure == .signature)
        #expect(taken("\(parts[0].dropLast(2)).\(parts[1])").failure == .signature)
        #expect(taken("\(parts[0])=.\(parts[1])").failure == .signature)
    }

    @Test func `that is none is refused`() {
        let parts = SigningProvider.signedRequest().split(separator: ".")
        for text in ["", "x", "a.b.c", "\(parts[0])", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])="] {
            #expect(taken(text).failure == .malformed, "\(text)")
        }
        #expect(taken(String(repeating: "x", count: SignedRequest.maximumBytes + 1)).failure == .malformed)
    }

    @Test func `must name the one algorithm there is`() {
        for algorithm in [nil, .null, "none", "HS256", "HMAC-SHA1", 7] as [JSONValue?] {
            #expect(failure("algorithm", algorithm) == .algorithm)
        }
        #expect(failure("algorithm", "hmac-sha256") == nil)
    }

    @Test func `that a browser has as a cookie is refused, though it is signed alike`() {
        #expect(failure("code", "x") == .event)
    }

    @Test func `is neither too old nor of the future, and of somebody`() {
        #expect(failure("issued_at", .integer(now - week - clockSkew)) == nil)
        for time in [.integer(now - week - clockSkew - 1), .integer(now + clockSkew + 1), nil, "soon"] as [JSONValue?] {
            #expect(failure("issued_at", time) == .issuedAt)
        }
        for user in [nil, .null, "", [], .string(String(repeating: "u", count: 65))] as [JSONValue?] {
            #expect(failure("user_id", user) == .subject)
        }
    }
}
