import Crypto
import JOSE
import JSON
import Providers
import TestSupport
import Testing

private let week: Int64 = 7 * 86_400

/// What becomes of a token about events: read, its signature verified, its claims against the rules.
func events(
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

func notification(
    _ provider: SigningProvider = SigningProvider(), at time: Int64 = now,
    _ change: (inout TokenDraft) -> Void = { _ in }
) throws -> Result<ProviderEvents, EventTokenError> {
    try events(of: try provider.notification(change), .apple, at: time)
}

func securityEvent(
    _ provider: SigningProvider = SigningProvider(), at time: Int64 = now,
    _ change: (inout TokenDraft) -> Void = { _ in }
) throws -> Result<ProviderEvents, EventTokenError> {
    try events(
        of: try provider.securityEvent(change), .risc(subjectIssuers: ["https://carrier.example"]),
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

    @Test(arguments: [nil, JSONValue.null, "", 7, "s\u{0}", .string(String(repeating: "s", count: 256))])
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
            for wording in [.apple, .risc(subjectIssuers: [provider.issuer])] as [EventTokenVerifier.Wording] {
                #expect(try events(of: token, wording).failure == .event)
            }
        }
        let lenient = verifier(nonce: .unknownToUs, acr: [], context: .anything, accessToken: nil)
        let logout = LogoutTokenVerifier(
            issuer: provider.issuer, clientID: provider.clientID, demandsType: false, clockSkewSeconds: clockSkew)
        for draft in [provider.notificationDraft, provider.securityEventDraft] {
            let token = try provider.sign(draft) {
                $0.header[setting: "typ"] = "JWT"
                $0.claims[setting: "iss"] = .string(provider.issuer)
                $0.claims[setting: "sub"] = "310260-subject"
                $0.claims[setting: "exp"] = .integer(now + 100)
            }
            #expect(try ProvidersTests.outcome(of: token, by: lenient).failure == .malformed)
            let verified = try JWS.verify(
                token, keys: provider.keySet, allowed: [.rs256], maximumByteCount: 8192)
            #expect(throws: EventTokenError.event) { try logout.verify(verified, now: now) }
        }
    }
}
