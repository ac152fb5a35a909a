import Accounts
import HTTPClient
import Providers
import SignIn
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A code` {
    @Test func `signs in once`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        let asked = stage.transport.requests.count
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.transport.requests.count == asked)
    }

    @Test func `is another one at another provider`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        let other = Provider(.openID())
        let response = try stage.response()
        _ = try await stage.signInWithCode.signIn(response, with: other, userAgent: nil)
        #expect(stage.tokenRequests.count == 2)
    }

    @Test func `is sent by one of two requests at once`() async throws {
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

    @Test func `counts as used when the app goes away during its exchange`() async throws {
        let stage = try await SignInStage()
        let gate = Gate()
        let tokens = SignInStage.tokens(idToken: try stage.carrier.idToken())
        script(stage, gate, stage.carrier.tokenEndpoint, .json(tokens))
        script(stage, gate, stage.carrier.userinfoEndpoint, .json(SignInStage.userinfo))
        let leaving = Task { try await stage.failure() }
        await gate.arrivals()
        leaving.cancel()
        gate.open()
        #expect(try await leaving.value == .providerTimeout)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.tokenRequests.count == 1)
    }

    @Test func `finishes its sign-in when the app goes away and nothing else is to be asked`() async throws {
        let stage = try await SignInStage { $0.fetchesUserinfo = false }
        let gate = Gate()
        let tokens = SignInStage.tokens(idToken: try stage.carrier.idToken())
        script(stage, gate, stage.carrier.tokenEndpoint, .json(tokens))
        let leaving = Task { try await stage.signIn() }
        await gate.arrivals()
        leaving.cancel()
        gate.open()
        #expect(try await leaving.value.signedIn.isNewUser)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
    }

    @Test func `is remembered for twenty minutes at least`() async throws {
        let stage = try await SignInStage()
        try await stage.signIn()
        stage.pass(seconds: 1199)
        #expect(try await stage.failure() == .invalidGrant(.codeAlreadyUsed))
    }
}
