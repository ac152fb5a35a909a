import Accounts
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@Suite struct `A session that an access token has opened` {
    @Test(arguments: [300, 86_400, nil] as [Int64?])
    func `changes nothing of who may sign in, whatever time is allowed`(maximumAgeSeconds: Int64?) async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.introspection))
        let token = try await stage.exchange("opaque").tokens.accessToken
        let session = try await stage.sessions.principal(of: token).session
        #expect(session.authenticatedAt == Session.neverAuthenticated && session.authentication.time == nil)
        let demands = SensitiveDemands(
            maximumAgeSeconds: maximumAgeSeconds, minimumIdentityAgeSeconds: 0, challenge: .everything)
        let refusal = Refusal.authenticationTooOld(
            maximumAgeSeconds: maximumAgeSeconds ?? SensitiveDemands.usualMaximumAgeSeconds)
        let identity = try #require(try await stage.repository.identities(of: session.user).first).id
        #expect(
            try await stage.repository.erase(under: session.id, demands: demands, now: stage.now) == .refused(refusal))
        #expect(
            try await stage.repository.unlink(identity, under: session.id, demands: demands, now: stage.now)
                == .refused(refusal))
    }

    @Test func `is told to authenticate before it links, unlinks or erases`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.jwt))
        let token = try await stage.exchange(try stage.carrier.accessToken()).tokens.accessToken
        let session = try await stage.sessions.principal(of: token).session
        let identity = try #require(try await stage.repository.identities(of: session.user).first).id
        let error = ServiceError.insufficientAuthentication(maximumAgeSeconds: 300, acrValues: nil)
        await #expect(throws: error) { try await stage.useCases.accounts.erase(under: session) }
        await #expect(throws: error) { try await stage.useCases.accounts.unlink(identity, under: session) }
        let response = try stage.response(["mccmnc": ""])
        await #expect(throws: error) {
            try await stage.useCases.link.link(response, with: stage.provider, session: session, in: .unobserved)
        }
        #expect(stage.tokenRequests.isEmpty)
    }

    @Test func `a session that an access token has opened ends none that took a sign-in`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.jwt))
        let owner = try await stage.sessions.principal(of: try await stage.signIn(["mccmnc": ""]).tokens.accessToken)
            .session
        // It is the oldest.
        stage.pass(seconds: 1)
        let stolen = try stage.carrier.accessToken()
        for _ in 0..<51 { _ = try await stage.exchange(stolen) }
        let live = try await stage.repository.sessions(of: owner.user, now: stage.now)
        #expect(live.contains { $0.id == owner.id })
        #expect(live.count { $0.source == .tokenExchange } == 10)
    }

    @Test func `does that where the provider tells that its user has authenticated just now`() async throws {
        let stage = try await SignInStage.exchanging(TokenExchange(.jwt))
        func session(authenticated seconds: Int64) async throws -> Session {
            let token = try stage.carrier.accessToken {
                $0.claims[setting: "auth_time"] = .integer(stage.now - seconds)
            }
            return try await stage.sessions.principal(of: try await stage.exchange(token).tokens.accessToken).session
        }
        // The clocks may differ, and nobody has authenticated later than now.
        #expect(try await session(authenticated: -30).authenticatedAt == stage.now)
        let stale = try await session(authenticated: 301)
        await #expect(throws: ServiceError.insufficientAuthentication(maximumAgeSeconds: 300, acrValues: nil)) {
            try await stage.useCases.accounts.erase(under: stale)
        }
        try await stage.useCases.accounts.erase(under: try await session(authenticated: 10))
    }
}
