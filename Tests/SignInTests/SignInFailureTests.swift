import Accounts
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@Suite struct `A sign-in that fails` {
    @Test(arguments: ProviderFault.beforeExchange)
    func `a sign-in that fails before the exchange does not touch the code`(fault: ProviderFault) async throws {
        let stage = try await SignInStage { $0.cacheBounds.afterFailure = .zero }
        try fault.cause(stage)
        #expect(try await stage.failure() == fault.error)
        #expect(stage.tokenRequests.isEmpty)
    }

    @Test(arguments: ProviderFault.clearRefusals)
    func `a sign-in that fails by a clear refusal leaves the code to be tried again`(fault: ProviderFault) async throws
    {
        let stage = try await SignInStage()
        try fault.cause(stage)
        #expect(try await stage.failure() == fault.error)
        try stage.answerToken()
        try await stage.signIn()
        #expect(stage.tokenRequests.count == 2)
    }

    @Test(arguments: ProviderFault.afterExchange)
    func `behind the exchange never sends the code again`(fault: ProviderFault) async throws {
        let stage = try await SignInStage { $0.cacheBounds.afterFailure = .zero }
        try fault.cause(stage)
        #expect(try await stage.failure(fault.parameters) == fault.error)
        #expect(stage.tokenRequests.count == 1)
        let asked = stage.transport.requests.count
        #expect(try await stage.failure(fault.parameters) == .invalidGrant(.codeAlreadyUsed))
        #expect(stage.transport.requests.count == asked)
    }

    @Test func `covers every reason an ID token can be refused for`() {
        let reasons = ProviderFault.afterExchange.compactMap { fault in
            if case .invalidIDToken(let fault) = fault.error { fault } else { nil }
        }
        // How old an authentication is counts for transactions alone, and a code has a hash where an app posts both.
        #expect(Set(reasons) == Set(IDTokenError.allCases).subtracting([.authenticationTime, .codeHash]))
    }

    @Test func `leaves nobody behind`() async throws {
        let stage = try await SignInStage()
        stage.answerUserinfo(["sub": "another"])
        #expect(try await stage.failure() == .userinfoMismatch)
        stage.answerUserinfo(SignInStage.userinfo)
        #expect(try await stage.signIn(["code": "another"]).signedIn.isNewUser)
    }

    @Test func `a sign-in that fails for want of a carrier's userinfo endpoint says so`() async throws {
        let stage = try await SignInStage()
        var metadata = try #require(stage.carrier.metadata.object)
        metadata[setting: "userinfo_endpoint"] = nil
        stage.transport.answer(ProviderConfiguration.discoveryURL, json: .object(metadata))
        let expected = ProviderProblem(.discovery, .invalidMember("userinfo_endpoint"))
        #expect(try await stage.failure() == .providerError(expected))
    }

    @Test func `a sign-in that fails for the provider's own minimum of acr does so whatever the app asks`() async throws
    {
        let stage = try await SignInStage { $0.minimumACR = RequiredAuthentication(values: "a3") }
        try stage.answerToken { $0.claims[setting: "acr"] = "a2" }
        #expect(try await stage.failure(["acr_values": "a1"]) == .invalidIDToken(.acr))
        #expect(try await stage.failure(["code": "another"]) == .invalidIDToken(.acr))
    }
}
