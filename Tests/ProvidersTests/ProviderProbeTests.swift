import Crypto
import HTTPClient
import JSON
import Providers
import Synchronization
import System
import TestSupport
import Testing

@Suite struct `A provider that is probed` {
    private static let tokenEndpoint = "https://carrier.example/token"
    private static let keysEndpoint = "https://carrier.example/jwks"
    private static let metadataURL = "https://carrier.example/.well-known/openid-configuration"

    private let transport = ScriptedTransport()
    private let now = SigningProvider.now

    private static func metadata(_ changes: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        var document = JSONObject([
            ("issuer", "https://carrier.example"), ("token_endpoint", .string(tokenEndpoint)),
            ("jwks_uri", .string(keysEndpoint)),
        ])
        for (name, value) in changes { document[setting: name] = value }
        return .object(document)
    }

    private func answer(_ url: String, _ body: JSONValue, status: Int = 200, date: Int64? = nil) {
        var headers = [(name: "Content-Type", value: "application/json")]
        if let date {
            headers.append((name: "Date", value: CalendarTime(secondsSince1970: date).imfFixdate))
        }
        transport.answer(url, OutboundResponse(status: status, headers: headers, body: body.serialized))
    }

    /// One with which all is well.
    private func beWell(date: Int64? = nil) {
        answer(Self.metadataURL, Self.metadata(), date: date)
        answer(Self.keysEndpoint, SigningProvider().keyDocument)
        answer(Self.tokenEndpoint, ["error": "invalid_grant"], status: 400)
    }

    private func probe(
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async -> [ProviderProbe.Finding] {
        await ProviderProbe(
            Provider(.openID(change)), through: transport, redirectURI: "https://gatehouse.example/back", network: nil,
            now: { SigningProvider.now }
        ).run()
    }

    private func finding(
        _ step: ProviderProbe.Step, _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> ProviderProbe.Finding {
        try #require(await probe(change).first { $0.step == step })
    }

    @Test func `is well when it refuses a made-up code, and nothing else`() async throws {
        beWell(date: now + 2)
        let findings = await probe()
        #expect(findings.map(\.step) == [.discovery, .clock, .keys, .token])
        #expect(!findings.contains { !$0.isGood }, "\(findings)")
        let asked = try #require(transport.requests(to: Self.tokenEndpoint).first)
        #expect(asked.bodyText.contains("grant_type=authorization_code") && asked.bodyText.contains("code_verifier="))
        #expect(asked.header("authorization")?.hasPrefix("Basic ") == true)
        #expect(transport.requests(to: Self.tokenEndpoint).count == 1)
    }

    @Test(
        arguments: [
            (
                "sim_tenure_24", ["port", "sim_swap"],
                "usertraits_supported: sim_tenure_24; events_supported: port, sim_swap"
            ),
            (["a", 7, "", "b"], .null, "usertraits_supported: a, b"),
            (.null, "port\u{202E}\u{1B}[2J", "events_supported: port··[2J"),
        ] as [(JSONValue, JSONValue, String)])
    func `tells what a carrier announces of its subscribers, as a text and as a list`(
        traits: JSONValue, events: JSONValue, words: String
    ) async throws {
        beWell()
        answer(
            Self.metadataURL, Self.metadata(["usertraits_supported": traits, "events_supported": events]))
        let finding = try await finding(.signals)
        #expect(finding.isGood && finding.sentence == "it announces " + words)
    }

    @Test(arguments: [7, true, ["x": "y"], [["x"]], "", []] as [JSONValue])
    func `is well where it announces nothing that can be read`(odd: JSONValue) async throws {
        beWell()
        answer(Self.metadataURL, Self.metadata(["usertraits_supported": odd, "events_supported": odd]))
        #expect(await probe().allSatisfy { $0.isGood && $0.step != .signals })
    }

    @Test(arguments: [true, false])
    func `is not well where access tokens are to be asked about, and nobody can be asked`(isThere: Bool) async throws {
        beWell()
        answer(
            Self.metadataURL,
            Self.metadata(["introspection_endpoint": isThere ? "https://carrier.example/introspect" : .null]))
        let finding = try await finding(.exchange) { $0.tokenExchange = TokenExchange(.introspection) }
        #expect(finding.isGood == isThere && (isThere || finding.sentence.contains("signs nobody in")))
        #expect(await probe { $0.tokenExchange = TokenExchange(.jwt) }.allSatisfy { $0.step != .exchange })
    }

    @Test func `sends another code each time, and no verifier where none is taken`() async throws {
        beWell()
        for _ in 0..<2 { _ = await probe { $0.requiresPKCE = false } }
        let bodies = transport.requests(to: Self.tokenEndpoint).map(\.bodyText)
        #expect(Set(bodies).count == 2 && bodies.allSatisfy { !$0.contains("code_verifier") })
    }

    @Test(
        arguments: [
            (400, ["error": "invalid_code"], true, "as it should"),
            (401, ["error": "invalid_client"], false, "does not know us"),
            (400, ["error": "unauthorized_client"], false, "may not redeem codes"),
            (400, ["error": "redirect_uri_mismatch"], false, "redirect URI is not registered"),
            (
                400, ["error": "invalid_client", "error_description": "AADSTS700025: Client is public"], false,
                "clientAuthentication none"
            ),
            (
                401, ["error": "invalid_client", "error_description": "AADSTS7000218: The body must have"], false,
                "confidential"
            ),
            (
                401, ["error": "invalid_client", "error_description": "AADSTS7000215: Invalid secret"], false,
                "the value that counts"
            ),
            (401, ["error": "invalid_client", "error_description": "AADSTS7000222: expired"], false, "expired"),
            (400, ["error": ["message": "wrong", "type": "OAuthException", "code": 101]], true, "wrong"),
            (400, ["nothing": "said"], false, "answers 400"), (503, ["error": "busy"], false, "answers 503"),
            (302, [:], false, "a redirect"),
            (200, ["id_token": "x", "access_token": "y", "token_type": "Bearer"], false, "gives tokens"),
        ] as [(Int, JSONValue, Bool, String)])
    func `is told what its answer to a made-up code means`(
        status: Int, body: JSONValue, isGood: Bool, words: String
    ) async throws {
        beWell()
        answer(Self.tokenEndpoint, body, status: status)
        let finding = try await finding(.token)
        #expect(finding.isGood == isGood, "\(finding.sentence)")
        #expect(finding.sentence.contains(words), "\(finding.sentence)")
        #expect(!finding.sentence.contains("client-secret"))
    }

    @Test(
        arguments: [
            (.couldNotResolve, "has no address"), (.refusedAddress, "private network"),
            (.couldNotConnect, "nobody listens"), (.tlsFailed, "certificate"), (.tlsHandshakeFailed, "speaks no TLS"),
            (.certificateOutOfDate, "has expired"),
            (.timedOut(requestSent: true), "no answer in time"),
        ] as [(HTTPClientError, String)])
    func `is told how it can't be reached, and nothing after that`(failure: HTTPClientError, words: String) async throws
    {
        transport.fail(Self.metadataURL, failure)
        let findings = await probe()
        #expect(findings.map(\.step) == [.discovery] && findings.first?.isGood == false)
        let sentence = try #require(findings.first?.sentence)
        #expect(sentence.contains(words) && sentence.contains("carrier.example"), "\(sentence)")
    }

    @Test(
        arguments: [
            (200, metadata(["issuer": "https://carrier.example/"]), "another issuer"),
            (404, [:], "may be another"), (200, ["issuer": 7], "issuer"),
            (200, metadata(["token_endpoint": "http://carrier.example/token"]), "token_endpoint"),
        ] as [(Int, JSONValue, String)])
    func `is told what its metadata lack`(status: Int, body: JSONValue, words: String) async throws {
        answer(Self.metadataURL, body, status: status)
        let finding = try await finding(.discovery)
        #expect(!finding.isGood && finding.sentence.contains(words), "\(finding.sentence)")
    }

    @Test func `is told which other issuer its metadata name, and where it redirects to`() async throws {
        answer(Self.metadataURL, Self.metadata(["issuer": "https://carrier.example/\u{1B}"]))
        let other = try await finding(.discovery).sentence
        #expect(other.contains("another issuer, https://carrier.example/·: "), "\(other)")
        #expect(other.contains("to the letter, https://carrier.example,"), "\(other)")
        let location = [(name: "Location", value: "https://www.carrier.example/config?session=secret")]
        transport.answer(Self.metadataURL, OutboundResponse(status: 301, headers: location, body: []))
        let moved = try await finding(.discovery).sentence
        #expect(moved.contains("a redirect to https://www.carrier.example/config,"), "\(moved)")
    }

    @Test func `is told when its keys are none for the algorithms that are allowed`() async throws {
        beWell()
        let finding = try await finding(.keys) { $0.algorithms = [.es256, .ps256] }
        #expect(!finding.isGood && finding.sentence.contains("ES256: 0, PS256: 0"), "\(finding.sentence)")
        for (status, body, words) in [(500, [:], "500"), (200, ["keys": "none"], "keys")] as [(Int, JSONValue, String)]
        {
            answer(Self.keysEndpoint, body, status: status)
            let finding = try await self.finding(.keys)
            #expect(!finding.isGood && finding.sentence.contains(words), "\(finding.sentence)")
        }
    }

    @Test func `is told that it publishes a private key`() async throws {
        beWell()
        var other = try #require(SigningProvider(key: TestKeys.otherRSA).keyDocument["keys"]?.array?.first?.object)
        other[setting: "kid"] = "other"
        for name in ["p", "q"] { other.append(name, "AQAB") }
        let keys = try #require(SigningProvider().keyDocument["keys"]?.array)
        answer(Self.keysEndpoint, ["keys": .array(keys + [.object(other)])])
        let finding = try await finding(.keys)
        #expect(!finding.isGood && finding.sentence.contains("private halves"), "\(finding.sentence)")
    }

    @Test(arguments: [(0, true, "agree"), (5, true, "agree"), (-30, true, "30 s behind"), (61, false, "61 s ahead")])
    func `is told how far its clock is from ours`(seconds: Int64, isGood: Bool, words: String) async throws {
        beWell(date: now + seconds)
        let finding = try await finding(.clock)
        #expect(finding.isGood == isGood && finding.sentence.contains(words), "\(finding.sentence)")
    }

    @Test func `is asked by a mobile network where it is found by one`() async throws {
        let zenkey = ProviderProbe(
            Provider(.zenkey()), through: transport, redirectURI: "https://gatehouse.example/back", network: nil,
            now: { SigningProvider.now })
        #expect(await zenkey.run().first?.sentence.contains("--mccmnc") == true)
        #expect(transport.requests.isEmpty)
    }

    /// The provider, asked with a code that somebody has signed in for, and how it does with PKCE.
    private func pkce(
        _ change: (inout ProviderConfiguration) -> Void = { _ in },
        token: @escaping @Sendable (_ body: String, _ count: Int) -> OutboundResponse
    ) async throws -> ProviderProbe.Finding {
        beWell()
        let count = Mutex(0)
        transport.answer(Self.tokenEndpoint) { request in
            // The first is the code that is made up.
            guard request.bodyText.contains("code=signed-in") else {
                return .success(.json(["error": "invalid_grant"], status: 400))
            }
            return .success(
                token(
                    request.bodyText,
                    count.withLock { count in
                        count += 1; return count
                    }))
        }
        let findings = await ProviderProbe(
            Provider(.openID(change)), through: transport, redirectURI: "https://gatehouse.example/back", network: nil,
            signedIn: ProviderProbe.SignedInCode(code: "signed-in", verifier: Self.verifier, redirectURI: "app:/there"),
            now: { SigningProvider.now }
        ).run()
        let sent = transport.requests(to: Self.tokenEndpoint).map(\.bodyText).filter { $0.contains("code=signed-in") }
        #expect(sent.allSatisfy { $0.contains("redirect_uri=app%3A%2Fthere") && $0.contains("code_verifier=") })
        #expect(sent.first?.contains(Self.verifier) == false)
        return try #require(findings.first { $0.step == .pkce })
    }

    private static let verifier = String(repeating: "v", count: 43)
    private static let tokens: JSONValue = ["id_token": "x", "access_token": "y", "token_type": "Bearer"]

    @Test func `is not well when it gives tokens for a wrong verifier`() async throws {
        for setting in CodeProtection.PKCE.allCases {
            let finding = try await pkce({ $0.codeProtection.pkce = setting }) { _, _ in .json(Self.tokens) }
            #expect(!finding.isGood && finding.sentence.contains("passes PKCE over"), "\(finding.sentence)")
        }
    }

    @Test(arguments: ["invalid_grant", "request_denied", "invalid_verifier"])
    func `is well when it refuses a wrong verifier and takes the right one`(error: String) async throws {
        let finding = try await pkce { body, _ in
            body.contains(Self.verifier) ? .json(Self.tokens) : .json(["error": .string(error)], status: 400)
        }
        #expect(finding.isGood && finding.sentence.contains("takes the right one"), "\(finding.sentence)")
    }

    @Test func `has shown nothing when it refuses the code altogether`() async throws {
        let finding = try await pkce { _, _ in .json(["error": "invalid_grant"], status: 400) }
        #expect(!finding.isGood && finding.sentence.contains("nothing is shown"), "\(finding.sentence)")
    }

    @Test func `is told what else goes wrong with the code`() async throws {
        let first = try await pkce { _, _ in .json(["error": "invalid_client"], status: 401) }
        #expect(!first.isGood && first.sentence.contains("does not know us"), "\(first.sentence)")
        let second = try await pkce { _, count in
            .json(["error": count == 1 ? "invalid_grant" : "temporarily_unavailable"], status: 400)
        }
        #expect(!second.isGood && second.sentence.contains("can't answer now"), "\(second.sentence)")
    }
}
