import Crypto
import HTTPClient
import JSON
import Providers
import Syntax
import TestSupport
import Testing

/// A provider that signs ID tokens with the client's secret, and verifies them for anybody who asks.
private struct SecretSigner: Sendable {
    static let verification = "https://api.carrier.example/verify"

    let transport = ScriptedTransport()
    let carrier = SigningProvider()
    let provider: Provider

    init(isAsked: Bool = true) {
        provider = Provider(
            .openID {
                if isAsked { $0.idTokenVerificationEndpoint = try? EndpointURL(configured: Self.verification) }
            })
        carrier.publish(on: transport)
        transport.answer(Self.verification, json: claims())
    }

    func claims(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
        var claims = carrier.idTokenDraft.claims
        change(&claims)
        return .object(claims)
    }

    /// The signature is nobody's matter here.
    func token(_ algorithm: String = "HS256", header: String = "") -> String {
        let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)"\#(header)}"#.utf8))
        return "\(header).\(Base64URL.encode(claims().serialized)).c2lnbmF0dXJl"
    }

    /// Nil when the token is taken.
    func failure(_ token: String? = nil, nonce: String = "the-nonce", clientID: String? = nil) async throws
        -> ProviderError?
    {
        let client = try provider.client(through: transport)
        let tokens = try TokenResponse.holding(token ?? self.token())
        let issuer = try ProviderMetadata(carrier.metadata, allowLoopbackHTTP: false)
        let expectations = IDTokenExpectations(
            nonce: .exactly(nonce), authentication: [], context: .anything, freshness: .anyAge)
        do throws(ProviderError) {
            _ = try await client.verifiedIDToken(
                tokens, of: issuer, for: clientID ?? carrier.clientID, expecting: expectations,
                now: SigningProvider.now)
            return nil
        } catch {
            return error
        }
    }

    var asked: [OutboundRequest] { transport.requests(to: Self.verification) }
}

@Suite struct `An ID token under the client's secret` {
    @Test func `is taken when the provider verifies it, with what it was asked for and no secret of ours`() async throws
    {
        let signer = SecretSigner()
        #expect(try await signer.failure() == nil)
        let asked = try #require(signer.asked.first)
        #expect(asked.method == .post && asked.header("Authorization") == nil)
        #expect(asked.bodyText == "id_token=\(signer.token())&client_id=\(signer.carrier.clientID)&nonce=the-nonce")
    }

    @Test func `is refused where nobody is to be asked`() async throws {
        let signer = SecretSigner(isAsked: false)
        #expect(try await signer.failure() == .idToken(.algorithm))
        #expect(signer.asked.isEmpty)
    }

    @Test(arguments: ["none", "HS384", "HS512", "hs256", "RS256"])
    func `is asked about under no other name of an algorithm`(algorithm: String) async throws {
        let signer = SecretSigner()
        let failure = try await signer.failure(signer.token(algorithm))
        #expect([.idToken(.algorithm), .idToken(.signature), .idToken(.unknownKey)].contains(failure), "\(failure)")
        #expect(signer.asked.isEmpty)
    }

    @Test(arguments: [#","crit":["x"]"#, #","b64":false"#])
    func `is refused with an extension that nobody knows`(header: String) async throws {
        let signer = SecretSigner()
        #expect(try await signer.failure(signer.token(header: header)) == .idToken(.algorithm))
        #expect(signer.asked.isEmpty)
    }

    @Test func `is refused where it says that it is another kind of token`() async throws {
        let signer = SecretSigner()
        let token = signer.token(header: #","typ":"at+jwt""#)
        #expect(try await signer.failure(token) == .idToken(.malformed))
    }

    @Test func `is refused when the provider does not take it for its own`() async throws {
        let signer = SecretSigner()
        signer.transport.answer(SecretSigner.verification, .json(["error": "invalid_request"], status: 400))
        #expect(try await signer.failure() == .idToken(.signature))
    }

    @Test func `is held to every rule by what the provider answers`() async throws {
        let changes: [(IDTokenError, @Sendable (inout JSONObject) -> Void)] = [
            (.issuer, { $0[setting: "iss"] = "https://other.example" }),
            (.audience, { $0[setting: "aud"] = "another-channel" }),
            (.expired, { $0[setting: "exp"] = .integer(SigningProvider.now - 3600) }),
            (.issuedAt, { $0[setting: "iat"] = .integer(SigningProvider.now + 3600) }),
            (.nonce, { $0[setting: "nonce"] = "another" }), (.nonce, { $0[setting: "nonce"] = nil }),
            (.subject, { $0[setting: "sub"] = "somebody-else" }), (.subject, { $0[setting: "sub"] = nil }),
            (.accessTokenHash, { $0[setting: "at_hash"] = "AAAA" }),
        ]
        for (rule, change) in changes {
            let signer = SecretSigner()
            signer.transport.answer(SecretSigner.verification, json: signer.claims(change))
            #expect(try await signer.failure() == .idToken(rule))
        }
    }

    @Test func `is refused for another client of ours than the one that it was asked for`() async throws {
        #expect(try await SecretSigner().failure(clientID: "another-channel") == .idToken(.audience))
    }

    @Test(arguments: [500, 403])
    func `is no answer where the provider fails`(status: Int) async throws {
        let signer = SecretSigner()
        signer.transport.answer(SecretSigner.verification, .json(["error": "x"], status: status))
        #expect(try await signer.failure() == .call(ProviderProblem(.verification, .status(status))))
    }

    @Test(arguments: ["[]", "no JSON"])
    func `is no answer where the provider writes no object`(text: String) async throws {
        let signer = SecretSigner()
        signer.transport.answer(SecretSigner.verification, .text(text, type: "application/json"))
        #expect(try await signer.failure() == .call(ProviderProblem(.verification, .notJSON)))
    }

    @Test func `costs other tokens nothing`() async throws {
        let signer = SecretSigner()
        let token = try signer.carrier.idToken()
        #expect(try await signer.failure(token) == nil)
        #expect(signer.asked.isEmpty)
    }
}
