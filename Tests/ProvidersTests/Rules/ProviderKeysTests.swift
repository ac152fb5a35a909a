import Crypto
import EventLoop
import HTTPClient
import JOSE
import JSON
import Patience
import Providers
import Syntax
import System
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The keys of a provider` {
    private let provider = SigningProvider()
    private let transport = ScriptedTransport()
    private let start = MonotonicTime.now
    private let keys: ProviderKeys
    private let endpoint: EndpointURL

    init() throws {
        keys = ProviderKeys(bounds: .standard, now: start)
        endpoint = try EndpointURL(provider.keysEndpoint, allowLoopbackHTTP: false)
        provider.publish(on: transport)
    }

    private func error(
        _ token: String, from origin: TokenOrigin = .stranger, after seconds: Int = 0
    ) async throws -> SignedTokenError<JOSEError>? {
        let token = try CompactJWS(parsing: token, maximumByteCount: 10_000)
        do throws(SignedTokenError<JOSEError>) {
            _ = try await keys.verify(
                token, from: origin, allowed: [.rs256], at: endpoint, through: PlainCalls(through: transport),
                now: start + .seconds(seconds))
            return nil
        } catch {
            return error
        }
    }

    private func token(keyID: JSONValue?) throws -> String {
        try provider.idToken { $0.header[setting: "kid"] = keyID }
    }

    private var fetches: Int { transport.requests.count }

    @Test func `the keys of a provider are fetched once for many tokens`() async throws {
        for _ in 0..<5 { #expect(try await error(provider.idToken()) == nil) }
        #expect(fetches == 1)
    }

    @Test func `the keys of a provider are fetched again for a key of a new name`() async throws {
        #expect(try await error(provider.idToken()) == nil)
        let rotated = SigningProvider(key: TestKeys.otherRSA)
        transport.answer(
            provider.keysEndpoint,
            json: SigningProvider.keyDocument([
                (SigningProvider.keyID, TestKeys.rsa, .rs256), ("key-2", TestKeys.otherRSA, .rs256),
            ]))
        let token = try rotated.idToken { $0.header[setting: "kid"] = "key-2" }
        #expect(try await error(token) == nil)
        #expect(try await error(token) == nil)
        #expect(fetches == 2)
    }

    @Test func `the keys of a provider are fetched again for unknown names five times and then once a minute`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        for number in 0..<20 {
            #expect(try await error(token(keyID: .string("unknown-\(number)"))) == .token(.unknownKey(.keyIDNotInSet)))
        }
        #expect(fetches == 1 + 5)
        _ = try await error(token(keyID: "unknown-a"), after: 59)
        #expect(fetches == 1 + 5)
        _ = try await error(token(keyID: "unknown-b"), after: 60)
        _ = try await error(token(keyID: "unknown-c"), after: 60)
        #expect(fetches == 1 + 5 + 1)
    }

    @Test func `made-up key names of strangers keep no rotated key from a token that the provider gave us`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        for number in 0..<6 { _ = try await error(token(keyID: .string("made up \(number)"))) }
        #expect(fetches == 6)
        let rotated = SigningProvider(key: TestKeys.otherRSA)
        transport.answer(
            provider.keysEndpoint, json: SigningProvider.keyDocument([("key-2", TestKeys.otherRSA, .rs256)]))
        let token = try rotated.idToken { $0.header[setting: "kid"] = "key-2" }
        #expect(try await error(token) == .token(.unknownKey(.keyIDNotInSet)))
        #expect(try await error(token, from: .provider) == nil)
        #expect(fetches == 7)
    }

    @Test func `keys are fetched once a second for tokens that the provider gave us, and all see what that brings`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        let unknown = try token(keyID: "made up")
        for _ in 0..<5 { #expect(try await error(unknown, from: .provider) != nil) }
        #expect(fetches == 2)
        transport.answer(
            provider.keysEndpoint, json: SigningProvider.keyDocument([("key-2", TestKeys.otherRSA, .rs256)]))
        let rotated = SigningProvider(key: TestKeys.otherRSA)
        let token = try rotated.idToken { $0.header[setting: "kid"] = "key-2" }
        #expect(try await error(token, from: .provider) != nil)
        for _ in 0..<3 { #expect(try await error(token, from: .provider, after: 1) == nil) }
        #expect(fetches == 3)
    }

    @Test func `the keys of a provider are not looked through again for a name that was not there a moment ago`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        for _ in 0..<5 { _ = try await error(token(keyID: "unknown")) }
        #expect(fetches == 2)
        _ = try await error(token(keyID: "unknown"), after: 50)
        #expect(fetches == 2)
        _ = try await error(token(keyID: "unknown"), after: 120)
        #expect(fetches == 3)
    }

    @Test func `the keys of a provider are fetched again for a token that names none, when the key was replaced`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        transport.answer(provider.keysEndpoint, json: SigningProvider(key: TestKeys.otherRSA).keyDocument)
        let token = try SigningProvider(key: TestKeys.otherRSA).idToken { $0.header[setting: "kid"] = nil }
        #expect(try await error(token) == nil)
        #expect(fetches == 2)
    }

    @Test(arguments: [TokenOrigin.stranger, .provider])
    func `the keys of a provider are fetched again when another key has got a known name`(
        origin: TokenOrigin
    ) async throws {
        #expect(try await error(provider.idToken()) == nil)
        let changed = SigningProvider(key: TestKeys.otherRSA)
        transport.answer(provider.keysEndpoint, json: changed.keyDocument)
        #expect(try await error(changed.idToken(), from: origin) == nil)
        #expect(try await error(provider.idToken(), from: origin, after: 1) == .token(.signature))
        #expect(fetches == 3)
    }

    @Test func `the keys of a provider are fetched once a minute for strangers' wrong signatures under a known name`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        let forged = try provider.idTokenDraft.signed(by: TestKeys.otherRSA, with: .rs256)
        for _ in 0..<20 { #expect(try await error(forged) == .token(.signature)) }
        #expect(fetches == 1 + 1)
        #expect(try await error(forged, after: 61) == .token(.signature))
        #expect(fetches == 1 + 2)
    }

    @Test func `wrong signatures of strangers keep no changed key from a token that the provider gave us`()
        async throws
    {
        #expect(try await error(provider.idToken()) == nil)
        let changed = SigningProvider(key: TestKeys.otherRSA)
        for _ in 0..<9 { _ = try await error(changed.idToken()) }
        transport.answer(provider.keysEndpoint, json: changed.keyDocument)
        #expect(try await error(changed.idToken()) == .token(.signature))
        #expect(try await error(changed.idToken(), from: .provider) == nil)
    }

    @Test func `the keys of a provider are not fetched again for an algorithm that is not allowed`() async throws {
        #expect(try await error(provider.idToken()) == nil)
        let other = try provider.idTokenDraft.changed {
            $0.header[setting: "alg"] = "ES256"
            $0.header[setting: "kid"] = "unknown"
        }.signed(by: TestKeys.p256, with: .es256)
        #expect(try await error(other) == .token(.algorithm))
        #expect(fetches == 1)
    }

    @Test func `the keys of a provider are fetched again, once, for a name that was there for another use`()
        async throws
    {
        transport.answer(
            provider.keysEndpoint, json: SigningProvider.keyDocument([(SigningProvider.keyID, TestKeys.p256, .es256)]))
        for _ in 0..<3 { #expect(try await error(provider.idToken()) == .token(.unknownKey(.keyDoesNotFit))) }
        #expect(fetches == 2)
        transport.answer(provider.keysEndpoint, json: provider.keyDocument)
        #expect(try await error(provider.idToken(), from: .provider) == nil)
    }

    @Test func `the keys of a provider are used as long as their answer allows`() async throws {
        transport.answer(
            provider.keysEndpoint, .json(provider.keyDocument, cacheControl: "public, max-age=3600"))
        #expect(try await error(provider.idToken()) == nil)
        #expect(try await error(provider.idToken(), after: 3500) == nil)
        #expect(fetches == 1)
        #expect(try await error(provider.idToken(), after: 3700) == nil)
        try await eventually("another fetch") { fetches > 1 }
    }

    @Test func `the keys of a provider that can't be had are the provider's trouble and not the token's`() async throws
    {
        transport.fail(provider.keysEndpoint, .couldNotConnect)
        #expect(try await error(provider.idToken()) == .keys(.transport(.couldNotConnect)))
    }

    @Test(
        arguments: [
            (.page, .notJSON), (.page(status: 500), .status(500)),
            (.json(["keys": 7]), .invalidMember("keys")), (.json(.object(JSONObject())), .invalidMember("keys")),
            (.json(["keys": .array(Array(repeating: JSONValue.null, count: 101))]), .invalidMember("keys")),
            (.json(["a"]), .notJSON),
        ] as [(OutboundResponse, ProviderCallError)])
    func `the keys of a provider are no keys when they are no key set`(
        response: OutboundResponse, failure: ProviderCallError
    ) async throws {
        transport.answer(provider.keysEndpoint, response)
        #expect(try await error(provider.idToken()) == .keys(failure))
    }

    @Test func `the keys of a provider that are known go on verifying when the provider is down`() async throws {
        #expect(try await error(provider.idToken()) == nil)
        transport.fail(provider.keysEndpoint, .timedOut(requestSent: true))
        #expect(try await error(token(keyID: "unknown")) == .keys(.transport(.timedOut(requestSent: true))))
        #expect(try await error(provider.idToken()) == nil)
        #expect(try await error(provider.idToken(), after: 900 + 3500) == nil)
    }

    @Test func `the keys of a provider that are known verify for an hour at most beyond their time`() async throws {
        #expect(try await error(provider.idToken()) == nil)
        transport.fail(provider.keysEndpoint, .couldNotConnect)
        #expect(try await error(provider.idToken(), after: 900 + 3500) == nil)
        #expect(try await error(provider.idToken(), after: 900 + 3700) == .keys(.transport(.couldNotConnect)))
    }

    @Test(
        arguments: [
            .json(["keys": []]), .json(["keys": [["kty": "oct", "k": "AAAA"]]]), .json(["keys": 7]), .page,
            .page(status: 503), .json(["error": "server_error"]),
        ] as [OutboundResponse])
    func `the keys of a provider stay when what comes instead is no key set that could replace them`(
        answer: OutboundResponse
    ) async throws {
        #expect(try await error(provider.idToken()) == nil)
        transport.answer(provider.keysEndpoint, answer)
        #expect(try await error(token(keyID: "unknown")) != nil)
        #expect(fetches == 2)
        #expect(try await error(provider.idToken()) == nil)
    }

    @Test func `the keys of a provider of several issuers have budgets of their own`() async throws {
        let others = ProviderKeys(bounds: .standard, now: start)
        for number in 0..<10 { _ = try await error(token(keyID: .string("unknown-\(number)"))) }
        let before = fetches
        let unknown = try CompactJWS(parsing: token(keyID: "unknown"), maximumByteCount: 10_000)
        await #expect(throws: SignedTokenError<JOSEError>.self) {
            try await others.verify(
                unknown, from: .stranger, allowed: [.rs256], at: endpoint, through: PlainCalls(through: transport),
                now: start)
        }
        #expect(fetches == before + 2)
    }
}
