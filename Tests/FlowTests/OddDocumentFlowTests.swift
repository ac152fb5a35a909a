import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// One thing that is not right in what a provider writes, over sockets, and what a sign-in comes to.
struct Oddity: Sendable, CustomTestStringConvertible {
    let situation: String
    let place: SimulatedEndpoint
    let misbehaviour: Misbehaviour
    var section: [String] = []
    var status = 200
    var reason: String?

    var testDescription: String { "\(place.rawValue): \(situation)" }

    static func document(
        _ place: SimulatedEndpoint, _ situation: String, _ edit: TextEdit, _ status: Int = 200, section: [String] = []
    ) -> Oddity {
        Oddity(situation: situation, place: place, misbehaviour: .edited(edit), section: section, status: status)
    }

    static func claims(_ situation: String, _ edit: TextEdit, reason: String? = nil) -> Oddity {
        Oddity(
            situation: "the ID token's claims: \(situation)", place: .token, misbehaviour: .editedClaims(edit),
            status: reason == nil ? 200 : 401, reason: reason)
    }

    static let mark = TextEdit("", [0xEF, 0xBB, 0xBF])
    static let half = TextEdit("{", #"{"note":"\ud83d","#)
    static let latin1 = TextEdit("{", Array(#"{"note":"Ren"#.utf8) + [0xE9] + Array(#"","#.utf8))
    static let twice = TextEdit("{", #"{"note":1,"note":2,"#)
    private static let without = ["userinfo: false"]

    static let all: [Oddity] =
        [SimulatedEndpoint.configuration, .keys, .token, .userinfo].flatMap { place in
            [
                document(place, "a byte order mark", mark), document(place, "half an emoji that nobody reads", half),
                document(place, "Latin-1 that nobody reads", latin1), document(place, "a member twice", twice),
            ]
        } + [
            document(.configuration, "an issuer twice", TextEdit("{", #"{"issuer":"https://evil.example","#), 502),
            document(
                .configuration, "keys that are nowhere", TextEdit(#""jwks_uri":"#, #""jwks_uri":null,"was":"#), 502),
            document(
                .configuration, "an empty userinfo",
                TextEdit(#""userinfo_endpoint":""#, #""userinfo_endpoint":"","was":""#)),
            document(
                .configuration, "a userinfo that may not be called, and is not",
                TextEdit(#""userinfo_endpoint":"http://127.0.0.1"#, #""userinfo_endpoint":"http://other.example"#),
                section: without),
            document(
                .configuration, "a userinfo that may not be called, and is wanted",
                TextEdit(#""userinfo_endpoint":"http://127.0.0.1"#, #""userinfo_endpoint":"http://other.example"#), 502),
            document(.keys, "an alg of null", TextEdit(#""alg":"RS256""#, #""alg":null"#)),
            document(.keys, "a use of null", TextEdit(#""use":"sig""#, #""use":null"#)),
            document(
                .keys, "a certificate that is no text", TextEdit(#""kty":"RSA""#, #""kty":"RSA","x5c":["\udc00"]"#)),
            document(.keys, "keys twice", TextEdit("{", #"{"keys":[],"#), 502),
            document(.token, "no access token, which nobody wants", withoutAccessToken, section: without),
            document(.token, "an access token of null", accessTokenOfNull, section: without),
            document(.token, "no access token, and userinfo is wanted", withoutAccessToken, 502),
            document(.token, "an error of null", TextEdit("{", #"{"error":null,"#)),
            document(.token, "an empty error", TextEdit("{", #"{"error":"","#)),
            document(.token, "an ID token twice", TextEdit("{", #"{"id_token":"a.b.c","#), 502),
            document(.userinfo, "a name of null", TextEdit(#""name":""#, #""name":null,"was":""#)),
            document(.userinfo, "a name twice", TextEdit(#""name":""#, #""name":"Mallory","name":""#)),
            document(.userinfo, "a subject twice", TextEdit("{", #"{"sub":"another","#), 502),
            document(.userinfo, "an address twice", TextEdit("{", #"{"email":"boss@example.com","#), 502),
            document(
                .userinfo, "an address with half an emoji", TextEdit("{", #"{"email":"\ud83d@example.com","#), 502),
            document(
                .userinfo, "a verified twice", TextEdit("{", #"{"email_verified":true,"email_verified":true,"#), 502),
            claims("a byte order mark", mark), claims("half an emoji that nobody reads", half),
            claims("Latin-1 that nobody reads", latin1), claims("a member twice", twice),
            claims("events of null", TextEdit("{", #"{"events":null,"#)),
            claims("a subject twice", TextEdit("{", #"{"sub":"another","#), reason: "malformed"),
            claims("a nonce twice", TextEdit("{", #"{"nonce":"a","nonce":"a","#), reason: "malformed"),
            claims("an expiry twice", TextEdit("{", #"{"exp":4102444800,"#), reason: "malformed"),
            claims("an address with half an emoji", TextEdit("{", #"{"email":"\ud83d","#), reason: "malformed"),
        ]

    private static let withoutAccessToken = TextEdit(#""access_token":""#, #""was":""#)
    private static let accessTokenOfNull = TextEdit(#""access_token":""#, #""access_token":null,"was":""#)
}

@Suite struct `What a provider writes oddly` {
    @Test(arguments: Oddity.all) func `costs a sign-in only where something is decided by it`(
        _ oddity: Oddity
    ) async throws {
        try await RunningGatehouse.with(plain: oddity.section) { gatehouse in
            gatehouse.simulation.misbehave(oddity.misbehaviour, at: oddity.place, of: .plain)
            let answer = try await gatehouse.signIn("linus", at: .plain)
            #expect(answer.status == oddity.status, "\(answer.text) \(gatehouse.log.text)")
            if let reason = oddity.reason { #expect(answer["reason"] == .string(reason), "\(answer.text)") }
        }
    }

    @Test func `is repaired in a name, so that its owner can sign in, and the next time too`() async throws {
        try await RunningGatehouse.with { gatehouse in
            gatehouse.simulation.misbehave(
                .edited(TextEdit(#""name":""#, #""name":"\ud83d "#)), at: .userinfo, of: .plain)
            for _ in 0..<2 {
                let answer = try await gatehouse.signIn("linus", at: .plain)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer["user"]?["name"]?.string?.hasPrefix("\u{FFFD} ") == true, "\(answer.text)")
            }
        }
    }

    @Test(arguments: [
        ("an audience twice", #"{"aud":"another","#, 400), ("a note twice", #"{"note":1,"note":2,"#, 200),
    ])
    func `is refused of an introspection where it says whom the token is for`(
        situation: String, edit: String, status: Int
    ) async throws {
        try await RunningGatehouse.with(plain: ["tokenExchange: introspection"]) { gatehouse in
            let token = try await gatehouse.accessToken(of: "ada")
            gatehouse.simulation.misbehave(.edited(TextEdit("{", edit)), at: .introspection, of: .plain)
            let answer = try await gatehouse.exchange(token)
            #expect(answer.status == status || status == 400 && answer.status == 502, "\(situation): \(answer.text)")
        }
    }
}

/// A provider that names its keys by what they are for, and changes them.
@Suite struct `A provider that keeps the name of a key` {
    @Test func `signs users in by the other key at once`() async throws {
        try await RunningGatehouse.with { gatehouse in
            #expect(try await gatehouse.signIn("linus", at: .plain).status == 200)
            try gatehouse.simulation.exchangeKeys(of: .plain)
            let fetches = gatehouse.simulation.counts[.plain, .keys]
            let answer = try await gatehouse.signIn("linus", at: .plain)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(gatehouse.simulation.counts[.plain, .keys] == fetches + 1)
        }
    }

    @Test func `signs users in by the other key with what an app hands in`() async throws {
        try await NativeFlow.with([.google]) { flow in
            func signIn() async throws -> HTTPTestAnswer {
                try await flow.gatehouse.post("/auth/signin", try await flow.ask(.google).body("google"))
            }
            #expect(try await signIn().status == 200)
            try flow.gatehouse.simulation.exchangeKeys(of: .google)
            let answer = try await signIn()
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `is asked for keys by forged signatures no more often than by made-up names`() async throws {
        try await NativeFlow.with([.google]) { flow in
            let handed = try await flow.ask(.google)
            #expect(try await flow.gatehouse.post("/auth/signin", handed.body("google")).status == 200)
            let before = flow.gatehouse.simulation.counts[.google, .keys]
            for _ in 0..<4 {
                let forged = try await flow.ask(.google, misbehaving: "id_token_bad_signature")
                let answer = try await flow.gatehouse.post("/auth/signin", forged.body("google"))
                #expect(answer["reason"] == "signature", "\(answer.text)")
            }
            #expect(flow.gatehouse.simulation.counts[.google, .keys] <= before + 1, "one name is one fetch a minute")
        }
    }
}
