import JSON
import Providers
import TestSupport
import Testing

private let risc = "https://schemas.openid.net/secevent/risc/event-type/"
private let oauth = "https://schemas.openid.net/secevent/oauth/event-type/"

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
        for subject in [nil, "", 7, "s\u{0}"] as [JSONValue?] {
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
