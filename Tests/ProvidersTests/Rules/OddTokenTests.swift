import Crypto
import JOSE
import JSON
import Providers
import TestSupport
import Testing

/// Signed tokens of every kind whose text no JSON writer would write: what nobody reads costs nothing, and what
/// something is decided by is refused.
@Suite struct `A signed token with an odd text` {
    private static let provider = SigningProvider()

    /// What is written before all other claims.
    private static let harmless = [
        "\u{FEFF}{", #"{"note":"\ud83d","#, #"{"note":1,"note":2,"#, #"{"note":{"a":1,"a":2},"#,
    ]

    private func token(_ draft: TokenDraft, _ start: String) throws -> String {
        let claims = JSONValue.object(draft.claims).serialized
        return try TokenDraft.signed(
            header: JSONValue.object(draft.header).serialized, payload: Array(start.utf8) + claims.dropFirst(),
            by: Self.provider.key, with: .rs256)
    }

    private func signed(_ text: String) throws -> VerifiedJWS {
        try JWS.verify(text, keys: Self.provider.keySet, allowed: [.rs256], maximumByteCount: 10_000)
    }

    private func logout(_ start: String) throws -> EventTokenError? {
        let verifier = LogoutTokenVerifier(
            issuer: Self.provider.issuer, clientID: Self.provider.clientID, demandsType: true, clockSkewSeconds: 60)
        let signed = try signed(token(Self.provider.logoutTokenDraft, start))
        return Result { () throws(EventTokenError) in try verifier.verify(signed, now: SigningProvider.now) }.failure
    }

    @Test func `ends sessions all the same where it is a logout token, but not by what stands there twice`() throws {
        for start in Self.harmless { #expect(try logout(start) == nil, "\(start)") }
        for name in ["sub", "sid", "iss", "aud", "iat", "exp", "jti"] {
            #expect(try logout(#"{"\#(name)":"another","#) == .malformed, "\(name)")
        }
        #expect(try logout(#"{"events":{},"#) == .event)
        #expect(try logout(#"{"sub":"\ud83d","#) == .malformed)
    }

    private func events(_ draft: TokenDraft, _ start: String) throws -> Result<ProviderEvents, EventTokenError> {
        let wording = EventTokenVerifier.Wording.risc(subjectIssuers: [Self.provider.issuer])
        return try ProvidersTests.events(of: token(draft, start), wording, issuer: Self.provider.issuer + "/")
    }

    @Test func `is heard all the same where it tells of an event, but not by what stands there twice`() throws {
        let draft = Self.provider.securityEventDraft
        for start in Self.harmless { #expect(try events(draft, start).get().events.count == 1, "\(start)") }
        for name in ["iss", "aud", "iat", "jti"] {
            #expect(try events(draft, #"{"\#(name)":"another","#).failure == .malformed, "\(name)")
        }
        #expect(try events(draft, #"{"events":{},"#).failure == .event)
    }

    /// An event of RISC's, as somebody writes it.
    private func event(_ members: String) throws -> Result<ProviderEvents, EventTokenError> {
        let uri = "https://schemas.openid.net/secevent/risc/event-type/account-disabled"
        let draft = Self.provider.securityEventDraft.changed { $0.claims[setting: "events"] = nil }
        return try events(draft, #"{"events":{"\#(uri)":{\#(members)}},"#)
    }

    @Test func `locks nobody by a subject or a reason that can't be trusted, and passes over words for people`() throws
    {
        let subject = #""subject":{"subject_type":"iss-sub","iss":"https://carrier.example/","sub":"310260-subject"}"#
        let told = try event(subject + #","reason_user":"Zu viel \ud83d","reason_user":"x""#).get()
        #expect(told.events.map(\.kind) == [.accountDisabled] && told.events.first?.subject == "310260-subject")
        #expect(try event(subject + #","reason":"bulk-account","reason":"hijacking""#).failure == .event)
        #expect(try event(subject + "," + subject).failure == .event)
        #expect(try event(#""subject":{"subject_type":"iss-sub","iss":"x","sub":"a","sub":"a"}"#).failure == .event)
    }

    @Test(arguments: [
        (#"{"typ":"JWT","alg":"RS256","kid":"key-1","note":"\ud83d"}"#),
        "\u{FEFF}" + #"{"typ":"JWT","alg":"RS256","kid":"key-1"}"#,
        #"{"typ":"JWT","alg":"RS256","kid":"key-1","x":1,"x":2}"#,
    ])
    func `has a header that is right to the letter, or is none`(header: String) throws {
        let token = try TokenDraft.signed(
            header: Array(header.utf8), payload: JSONValue.object(Self.provider.idTokenDraft.claims).serialized,
            by: Self.provider.key, with: .rs256)
        #expect(throws: JOSEError.malformed(.header)) { try signed(token) }
    }
}

/// What a token shows of itself in the log, where it is refused.
@Suite struct `What is found in a token` {
    private static let names = ExpectedNames(issuers: ["https://carrier.example"], audiences: ["client-1", "client-2"])

    private func found(_ rule: String, _ change: (inout TokenDraft) -> Void = { _ in }) throws -> String? {
        let token = try CompactJWS(parsing: SigningProvider().idToken(change), maximumByteCount: 10_000)
        return TokenFinding.sentence(
            breaking: rule, in: token, expecting: Self.names, allowed: [.es256, .rs256], keys: ["a", nil, "b"],
            now: SigningProvider.now)
    }

    @Test(
        arguments: [
            (
                "issuer", "iss", "https://other.example",
                "iss is https://other.example, expected https://carrier.example"
            ),
            ("iss", "iss", nil, "iss is nothing, expected https://carrier.example"),
            ("audience", "aud", ["x", 7], "aud is [x, 7], expected client-1 or client-2"),
            ("authorized_party", "azp", "z", "azp is z, expected client-1 or client-2"),
            ("expired", "exp", 5, "exp is more than 9999999 s ago"),
            ("expired", "exp", .integer(SigningProvider.now - 360), "exp is 360 s ago"),
            ("issued_at", "iat", .integer(SigningProvider.now + 90), "iat is 90 s ahead"),
            ("issued_at", "iat", .integer(.max), "iat is no time of this century"),
            ("issued_at", "iat", .null, "iat is null"),
            ("acr", "acr", "a1", "acr is a1"),
            ("nonce", "nonce", "secret-nonce", "nonce is another, or can't be one"),
            ("nonce", "nonce", nil, "nonce is missing"),
            ("subject", "sub", "somebody", "sub is another, or can't be one"),
        ] as [(String, String, JSONValue?, String)])
    func `is told beside what was expected, but for what is secret or somebody's`(
        rule: String, claim: String, value: JSONValue?, sentence: String
    ) throws {
        #expect(try found(rule) { $0.claims[setting: claim] = value } == sentence)
    }

    @Test func `names the key and the algorithm`() throws {
        #expect(try found("unknown_key") == "kid is key-1, expected a or b")
        #expect(try found("algorithm") == "alg is RS256, expected ES256 or RS256")
        #expect(try found("signature") == "the signature is not that of the key key-1")
        #expect(try found("typ") == "typ is JWT")
    }

    @Test func `is short and printable, whatever an attacker writes`() throws {
        let evil = "https://evil.example/\u{1B}[31m\n\u{202E}" + String(repeating: "x", count: 5000) + "?code=secret"
        let told = try #require(try found("issuer") { $0.claims[setting: "iss"] = .string(evil) })
        #expect(told.count < 300 && !told.contains("secret"))
        #expect(!told.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        for personal in ["ann@example.com", "https://u:p@evil.example", "eyJhbGciOiJub25lIn0"] {
            let told = try #require(try found("audience") { $0.claims[setting: "aud"] = .string(personal) })
            #expect(told.hasPrefix("aud is [removed], expected"))
        }
        let many = try found("audience") { $0.claims[setting: "aud"] = .array(Array(repeating: "y", count: 99)) }
        #expect(many == "aud is [y, y, y, y, y, …], expected client-1 or client-2")
    }
}
