import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A code` {
    @Test func `signs in once`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        let asked = stage.transport.requests.count
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.transport.requests.count == asked)
    }

    @Test func `a code is the same one under another provider's name`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        #expect(try await stage.failure(at: Provider(.openID())) == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.tokenRequests.count == 1)
    }

    /// Another provider, at the former carrier, whose answers come back to the same redirect URI.
    private static let other = Provider(.openID { $0.issuerSource = .configured(issuer: "https://id.former.example") })

    static let refusals: [OutboundResponse] = [
        .json(["error": "invalid_grant"], status: 400), .json(["error": "temporarily_unavailable"], status: 503),
        .json(["error": "invalid_client"], status: 401), .page(status: 429), .page(status: 400),
    ]

    @Test(arguments: refusals) func `a code that one issuer refuses goes to no other`(refusal: OutboundResponse)
        async throws
    {
        let stage = try await SignInStage()
        stage.transport.answer(stage.former.tokenEndpoint, refusal)
        #expect(try await stage.failure(at: Self.other) != nil)
        #expect(try await stage.failure() == .invalidGrant(.codeSentElsewhere))
        #expect(stage.tokenRequests.isEmpty)
        stage.pass(seconds: 1199)
        #expect(try await stage.failure() == .invalidGrant(.codeSentElsewhere))
    }

    @Test func `a code that never got to one issuer may go to another`() async throws {
        let stage = try await SignInStage()
        stage.transport.fail(stage.former.tokenEndpoint, .couldNotConnect)
        #expect(try await stage.failure(at: Self.other) == .providerUnavailable)
        try await stage.signIn()
    }

    @Test func `a code may be sent again to the issuer that could not take it`() async throws {
        let stage = try await SignInStage()
        let tokens = SignInStage.tokens(idToken: try stage.carrier.idToken())
        stage.transport.answer(
            stage.carrier.tokenEndpoint, .json(["error": "temporarily_unavailable"], status: 503))
        #expect(try await stage.failure() == .providerUnavailable)
        stage.transport.answer(stage.carrier.tokenEndpoint, json: tokens)
        try await stage.signIn()
    }

    @Test func `a code is bound before it is sent`() async throws {
        let stage = try await SignInStage()
        let gate = Gate()
        stage.transport.answer(stage.former.tokenEndpoint) { _ in
            await gate.pass()
            return .success(.json(["error": "invalid_grant"], status: 400))
        }
        async let atOther = stage.failure(at: Self.other)
        await gate.arrivals()
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        gate.open()
        #expect(try await atOther == .invalidGrant(.refusedByProvider))
        #expect(stage.tokenRequests.isEmpty)
    }

    @Test func `goes to the issuer that its answer names, or nowhere`() async throws {
        let stage = try await SignInStage()
        for iss in ["https://evil.example", "https://carrier.example/", "HTTPS://carrier.example"] {
            #expect(try await stage.failure(["iss": iss]) == .issuerMismatch)
        }
        #expect(stage.tokenRequests.isEmpty)
        try await stage.signIn(["iss": "https://carrier.example"])
    }

    @Test(arguments: [true, "true", [true]] as [JSONValue])
    func `needs iss where the issuer sends one and others answer there too`(announced: JSONValue) async throws {
        let stage = try await SignInStage()
        var metadata = try #require(stage.carrier.metadata.object)
        metadata.append("authorization_response_iss_parameter_supported", announced)
        stage.transport.answer(ProviderConfiguration.discoveryURL, json: .object(metadata))
        stage.transport.answer(stage.carrier.metadataURL, json: .object(metadata))
        let missing = ServiceError.invalidParameter(ParameterError("iss", "is missing"))
        #expect(try await stage.failure() == missing)
        let sharing = Provider(.openID { $0.sharedRedirectURIs = [ProviderConfiguration.redirectURI] })
        #expect(try await stage.failure(at: sharing) == missing)
        #expect(stage.tokenRequests.isEmpty)
        #expect(try await stage.failure(at: Provider(.openID())) == nil)
        try await stage.signIn(["code": "another", "iss": stage.carrier.issuer])
    }

    @Test func `a code is sent by one of two requests at once`() async throws {
        let stage = try await SignInStage()
        let gate = Gate()
        let tokens = SignInStage.tokens(idToken: try stage.carrier.idToken())
        stage.transport.answer(stage.carrier.tokenEndpoint) { _ in
            // Were a second one sent, it would not be held, and the test would say so.
            if stage.tokenRequests.count == 1 { await gate.pass() }
            return .success(.json(tokens))
        }
        async let first = stage.signIn()
        await gate.arrivals()
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        gate.open()
        _ = try await first
        #expect(stage.tokenRequests.count == 1)
    }

    /// Answers as the HTTP client does when its caller is gone: only what may be given up is.
    private func script(
        _ stage: SignInStage, _ gate: Gate, _ url: String, _ response: OutboundResponse
    ) {
        stage.transport.answer(url) { request in
            if url == stage.carrier.tokenEndpoint { await gate.pass() }
            return Task.isCancelled && !request.finishesWhenCancelled ? .failure(.cancelled) : .success(response)
        }
    }

    @Test func `finishes its sign-in when the app goes away during its exchange`() async throws {
        let stage = try await SignInStage()
        let gate = Gate()
        let tokens = SignInStage.tokens(idToken: try stage.carrier.idToken())
        script(stage, gate, stage.carrier.tokenEndpoint, .json(tokens))
        script(stage, gate, stage.carrier.userinfoEndpoint, .json(SignInStage.userinfo))
        let leaving = Task { try await stage.signIn() }
        await gate.arrivals()
        leaving.cancel()
        gate.open()
        #expect(try await leaving.value.signedIn.isNewUser)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.tokenRequests.count == 1)
    }

    @Test func `a code is remembered for twenty minutes at least`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        stage.pass(seconds: 1199)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
    }
}
