import Crypto
import HTTPClient
import JSON
import Providers
import Syntax
import System
import TestSupport
import Testing

/// A plain OpenID Provider whose access tokens are taken, and what it is asked.
private struct Exchange {
    let transport = ScriptedTransport()
    let carrier = SigningProvider()
    let provider: Provider

    init(_ rule: TokenExchange.Rule, _ change: (inout ProviderConfiguration) -> Void = { _ in }) {
        provider = Provider(
            .openID {
                $0.tokenExchange = TokenExchange(rule)
                change(&$0)
            })
        carrier.publish(on: transport)
        transport.answer(carrier.introspectionEndpoint, json: carrier.introspected())
    }

    func metadata(_ change: (inout JSONObject) -> Void = { _ in }) throws -> ProviderMetadata {
        var document = try #require(carrier.metadataWithIntrospection.object)
        change(&document)
        return try ProviderMetadata(.object(document), allowLoopbackHTTP: false)
    }

    /// - Parameter time: what the clock of the calls shows; nil for the present.
    func proven(_ token: String, at time: MonotonicTime? = nil) async throws -> ProvenAccessToken {
        let client = try provider.client(through: transport, at: time)
        return try await client.proven(
            try provider.presented(accessToken: token), at: try metadata(), now: SigningProvider.now)
    }

    var asked: [OutboundRequest] { transport.requests(to: carrier.introspectionEndpoint) }
}

@Suite struct `The proof of an access token` {
    @Test func `is had from the provider, or from the token, as the section has it`() async throws {
        let introspection = Exchange(.introspection)
        #expect(try await introspection.proven("opaque").subject == "310260-subject")
        #expect(introspection.transport.requests.count == 1)
        let signed = Exchange(.jwt)
        #expect(try await signed.proven(signed.carrier.accessToken()).subject == "310260-subject")
        #expect(signed.transport.requests.map(\.address) == [signed.carrier.keysEndpoint])
    }

    @Test func `is not looked for where no section says that it would do, nor at carriers`() {
        for configuration in [
            ProviderConfiguration.openID(), .zenkey { $0.tokenExchange = TokenExchange(.introspection) },
        ] {
            #expect(throws: AccessTokenError.malformed) {
                try Provider(configuration).presented(accessToken: "opaque")
            }
        }
    }

    @Test func `is not looked for in tokens that can't have it`() throws {
        let signed = Exchange(.jwt)
        let carrier = signed.carrier
        let refused: [(String, AccessTokenError)] = [
            ("opaque", .malformed), ("a b", .malformed), ("a\r\nb", .malformed), ("", .malformed),
            (String(repeating: "x", count: AccessTokenRules.maximumTokenBytes + 1), .malformed),
            (try carrier.idToken(), .type),
            (try carrier.accessToken { $0.header[setting: "alg"] = "none" }, .algorithm),
            (try carrier.accessToken { $0.header[setting: "alg"] = "HS256" }, .algorithm),
            (try carrier.accessToken { $0.header[setting: "alg"] = "ES256" }, .algorithm),
            (try carrier.accessToken { $0.claims[setting: "iss"] = "https://evil.example" }, .issuer),
        ]
        for (token, rule) in refused {
            #expect(throws: rule) { try signed.provider.presented(accessToken: token) }
        }
        #expect(throws: AccessTokenError.type) {
            try Exchange(.introspection).provider.presented(accessToken: try carrier.idToken())
        }
    }

    @Test func `has the keys asked for a few times, however many are made up`() async throws {
        let signed = Exchange(.jwt)
        let time = MonotonicTime.now
        for number in 0..<20 {
            let token = try signed.carrier.accessToken { $0.header[setting: "kid"] = .string("made-up-\(number)") }
            await #expect(throws: ProviderError.accessToken(.unknownKey)) {
                try await signed.proven(token, at: time)
            }
        }
        #expect(signed.transport.requests(to: signed.carrier.keysEndpoint).count <= 6)
    }

    @Test func `is asked for once, and not while the circuit of the host is open`() async throws {
        let exchange = Exchange(.introspection) {
            $0.circuit = CircuitBreaker.Limits(
                failures: 1, firstPause: .seconds(60), maximumPause: .seconds(60), probeLifetime: .seconds(60))
        }
        exchange.transport.answer(exchange.carrier.introspectionEndpoint, .page(status: 503))
        await #expect(throws: ProviderError.call(ProviderProblem(.introspection, .status(503)))) {
            try await exchange.proven("opaque")
        }
        do {
            _ = try await exchange.proven("opaque")
            Issue.record("the call was made")
        } catch ProviderError.call(let problem) {
            guard case .circuitOpen = problem.failure else {
                Issue.record("\(problem)")
                return
            }
        }
        #expect(exchange.asked.count == 1)
    }

    @Test func `is asked for as the client that we are, in each way that proves it`() async throws {
        let secret = Secret("client-secret")
        let basic = Exchange(.introspection)
        _ = try await basic.proven("opaque")
        #expect(basic.asked.first?.header("Authorization")?.hasPrefix("Basic ") == true)
        #expect(basic.asked.first?.bodyText == "token=opaque&token_type_hint=access_token")
        let post = Exchange(.introspection) { $0.authentication = .post(clientID: "id", secret: secret) }
        _ = try await post.proven("opaque")
        #expect(post.asked.first?.bodyText.hasSuffix("&client_id=id&client_secret=client-secret") == true)
        #expect(post.asked.first?.header("Authorization") == nil)
        let key = ClientAssertion.Key.own(TestKeys.p256, keyID: nil)
        let assertion = try ClientAssertion(clientID: "id", key: key, audience: .endpoint)
        let signed = Exchange(.introspection) { $0.authentication = .assertion(assertion) }
        for _ in 0..<2 { _ = try await signed.proven("opaque") }
        #expect(signed.asked.allSatisfy { $0.bodyText.contains("client_assertion_type=") })
        #expect(Set(signed.asked.map(\.bodyText)).count == 2, "an assertion is good for one request")
    }

    @Test func `is asked for under a secret that was renewed`() async throws {
        let exchange = Exchange(.introspection)
        _ = try await exchange.proven("opaque")
        exchange.provider.renew(authentication: .post(clientID: "id", secret: Secret("newer")))
        _ = try await exchange.proven("opaque")
        #expect(exchange.asked.last?.bodyText.contains("client_secret=newer") == true)
    }

    @Test(arguments: [nil, .null, 7, "http://carrier.example/introspect", "no address"] as [JSONValue?])
    func `can't be asked for where metadata does not say where, which breaks no sign-in`(address: JSONValue?) throws {
        let metadata = try Exchange(.introspection).metadata { $0[setting: "introspection_endpoint"] = address }
        #expect(metadata.introspectionEndpoint == nil)
    }

    @Test func `tells the log what the provider says of a refusal, and nothing of the token`() async throws {
        let exchange = Exchange(.introspection)
        let call = CallContext.unobserved
        exchange.transport.answer(
            exchange.carrier.introspectionEndpoint,
            .json(["error": "invalid_client", "error_description": "No such client for secret-token"], status: 401))
        let client = try exchange.provider.client(through: exchange.transport, in: call)
        await #expect(throws: ProviderError.self) {
            try await client.proven(
                try exchange.provider.presented(accessToken: "secret-token"), at: try exchange.metadata(),
                now: SigningProvider.now)
        }
        let facts = try #require(call.facts)
        #expect(facts.step == .introspection && facts.host == "carrier.example")
        let words = try #require(facts.words).description
        #expect(words.contains("No such") && !words.contains("secret-token"))
    }
}
