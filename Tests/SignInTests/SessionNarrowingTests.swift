import Accounts
import Apps
import Providers
import TestSupport
import Testing

@testable import SignIn

@Suite struct `A configuration that was narrowed` {
    private static let providers = ProviderRegistry([
        Provider(.zenkey()),
        Provider(
            .openID {
                $0.name = "strict"
                $0.minimumACR = RequiredAuthentication(values: "a3")
            }),
    ])
    private static let apps = AppRegistry([], resourceServers: [])

    @Test func `has no room for sessions of a provider or an app that is gone, or below its level`() {
        let counts = [
            SessionCount(provider: "zenkey", app: nil, acr: nil, count: 1),
            SessionCount(provider: "strict", app: nil, acr: "a3", count: 2),
            SessionCount(provider: "strict", app: nil, acr: "a1", count: 3),
            SessionCount(provider: "strict", app: nil, acr: nil, count: 4),
            SessionCount(provider: "gone", app: nil, acr: "a3", count: 5),
            SessionCount(provider: "zenkey", app: "gone", acr: nil, count: 6),
        ]
        let narrowed = SessionNarrowing.of(counts, providers: Self.providers, apps: Self.apps)
        #expect(
            narrowed == [
                SessionNarrowing(provider: "strict", app: nil, reason: .level, count: 7),
                SessionNarrowing(provider: "gone", app: nil, reason: .provider, count: 5),
                SessionNarrowing(provider: "zenkey", app: "gone", reason: .app, count: 6),
            ])
    }

    @Test func `ends their sessions at the next refresh, and no others`() async throws {
        let stage = try await SignInStage()
        func sessions(_ providers: ProviderRegistry) -> Sessions {
            Sessions(
                repository: stage.repository, tokenIssuer: stage.issuer, apps: Self.apps, providers: providers,
                clock: stage.clock)
        }
        let kept = try await stage.signIn(["code": "1"]).tokens
        let goesOn = try await sessions(Self.providers).refresh(kept.refreshToken).refreshToken
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await sessions(ProviderRegistry([])).refresh(goesOn)
        }
        // It has ended, whatever is configured next.
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await sessions(Self.providers).refresh(goesOn)
        }
    }
}
