import Accounts
import JSON
import Providers
import TestSupport
import Testing

@testable import SignIn
@testable import Wings

@Suite struct `A profile that is asked for again` {
    private func refreshed(
        _ vault: VaultStage, _ identity: IdentityID? = nil
    ) async -> Result<User, ServiceError> {
        let shared = ProfileRefreshes(refreshes: vault.stage.ofWings.refreshes, VaultSettings())
        let profile = RefreshProfile(
            vault.stage.useCases.parts, vault: vault.vault(), budget: shared.budget, line: shared.line)
        do throws(ServiceError) {
            return .success(try await profile.refresh(identity, under: vault.session, from: [], in: .unobserved))
        } catch {
            return .failure(error)
        }
    }

    @Test func `is what userinfo says now, by a fresh token`() async throws {
        let vault = try await VaultStage()
        vault.stage.answerUserinfo(["sub": "310260-subject", "name": "Joan Roe", "email": "joan@example.com"])
        let user = try await refreshed(vault).get()
        #expect(user.profile.shown["name"] == "Joan Roe" && user.profile.shown["email"] == "joan@example.com")
        let asked = vault.stage.transport.requests(to: vault.stage.carrier.userinfoEndpoint).last
        #expect(asked?.header("authorization") == "Bearer access-1")
    }

    @Test func `takes one more token where the one that is kept is refused, and no third`() async throws {
        let vault = try await VaultStage(lifetime: 3600)
        vault.stage.pass(seconds: 60)
        vault.stage.transport.answer(vault.stage.carrier.userinfoEndpoint, .page(status: 401))
        guard case .failure(.providerError(let problem)) = await refreshed(vault) else {
            Issue.record("it is something else")
            return
        }
        #expect(problem.step == .userinfo)
        let bearers = vault.stage.transport.requests(to: vault.stage.carrier.userinfoEndpoint).suffix(2)
            .map { $0.header("authorization") }
        #expect(bearers == ["Bearer access-0", "Bearer access-1"])
    }

    @Test func `is nobody else's`() async throws {
        let vault = try await VaultStage()
        vault.stage.answerUserinfo(["sub": "somebody-else", "name": "Mallory"])
        guard case .failure(let error) = await refreshed(vault) else {
            Issue.record("it was merged")
            return
        }
        #expect(error == .userinfoMismatch)
        let user = try await vault.stage.repository.user(vault.session.user)
        #expect(user?.profile.shown["name"] == "Jane Doe")
    }

    @Test func `takes an identity of the user's, kept tokens, and a provider with userinfo`() async throws {
        let vault = try await VaultStage()
        let unknown = IdentityID(rawValue: vault.identity.rawValue + 7)
        #expect(await failure(refreshed(vault, unknown)) == .notFound)
        let without = try await VaultStage { $0.keepsTokens = false }
        #expect(await failure(refreshed(without)) == .providerSignInRequired)
        let silent = try await VaultStage { $0.userinfo = .never }
        #expect(await failure(refreshed(silent)) == .noUserinfo)
    }

    private func failure(_ result: Result<User, ServiceError>) -> ServiceError? {
        if case .failure(let error) = result { error } else { nil }
    }
}
