package import Accounts
import HTTPClient
import JSON
package import Providers
package import SignIn
package import Synchronization
package import Wings

/// A user whose provider's tokens are kept, and a provider whose answers to refreshes are a script.
package final class VaultStage: Sendable {
    /// What a provider does with a refresh.
    package enum Provider: CaseIterable, Sendable {
        case rotates, keepsItsToken, failsOnce, hangs, dropsTheConnection, saysItIsOver

    }

    package let stage: SignInStage
    package let session: Session
    package let identity: IdentityID
    private let refreshes = Count()

    /// Counts refreshes, so that each brings other tokens.
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    /// - Parameters:
    ///   - lifetime: of the access token that the sign-in brings, in seconds.
    ///   - hasRefreshToken: whether it brings one of those.
    package init(
        lifetime: Int64? = 30, hasRefreshToken: Bool = true,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws {
        stage = try await SignInStage {
            $0.keepsTokens = true
            change(&$0)
        }
        var answer = JSONObject([
            ("access_token", "access-0"), ("token_type", "Bearer"), ("scope", "openid email"),
            ("id_token", .string(try stage.carrier.idToken())),
        ])
        if let lifetime { answer.append("expires_in", .integer(lifetime)) }
        if hasRefreshToken { answer.append("refresh_token", "refresh-0") }
        stage.transport.answer(stage.carrier.tokenEndpoint, json: .object(answer))
        let outcome = try await stage.signIn()
        session = try await stage.sessions.principal(of: outcome.tokens.accessToken).session
        identity = outcome.signedIn.identity
        answerRefreshes(.rotates)
    }

    /// A vault of this process, or, with refreshes of its own, of another.
    package func vault(
        of refreshes: GrantRefreshes? = nil, on repository: (any VaultRepository)? = nil
    ) -> TokenVault {
        TokenVault(
            repository: repository ?? stage.repository, providers: stage.providers,
            refreshes: refreshes ?? stage.ofWings.refreshes, transport: stage.transport, clock: stage.clock)
    }

    /// What is told of the user's token, or why none is.
    package func token(
        isForced: Bool = false, from vault: TokenVault? = nil
    ) async -> Result<String, ServiceError> {
        do throws(ServiceError) {
            let token = try await (vault ?? self.vault()).accessToken(
                of: identity, under: session, allowed: { _ in true }, isForced: isForced, in: .unobserved)
            return .success(token.text)
        } catch {
            return .failure(error)
        }
    }

    package func answerRefreshes(_ provider: Provider, behind gate: Gate? = nil) {
        stage.transport.answer(stage.carrier.tokenEndpoint) { [refreshes] _ in
            let number = refreshes.value.wrappingAdd(1, ordering: .relaxed).newValue
            await gate?.pass()
            var answer = JSONObject([
                ("access_token", .string("access-\(number)")), ("token_type", "Bearer"), ("expires_in", 3600),
            ])
            switch provider {
            case .rotates: answer.append("refresh_token", .string("refresh-\(number)"))
            case .keepsItsToken: break
            case .failsOnce where number == 1: return .success(.page(status: 500))
            case .failsOnce: break
            case .hangs: return .failure(.timedOut(requestSent: true))
            case .dropsTheConnection: return .failure(.connectionBroken(requestSent: true))
            case .saysItIsOver: return .success(.json(["error": "invalid_grant"], status: 400))
            }
            return .success(.json(.object(answer)))
        }
    }

    /// What was sent with each refresh.
    package var sent: [String] {
        stage.tokenRequests.map(\.bodyText).filter { $0.contains("grant_type=refresh_token") }
    }

    package func grant() async throws -> ProviderGrant? {
        try await stage.repository.providerGrant(identity, of: session.user)
    }

    /// What waits to be revoked.
    package func outbox() async throws -> [OutboxMessage.Content] {
        try await stage.repository.takeDueMessages(limit: 9, leaseSeconds: 1, now: stage.now).map(\.content)
    }
}

/// A store that can't take what refreshes bring while it is told so, and counts who finds a grant leased to somebody
/// else.
package final class WatchedVault: VaultRepository {
    private let store: any VaultRepository
    package let isFailing = Atomic(false)
    package let turnedAway = Atomic(0)

    package init(_ store: any VaultRepository) {
        self.store = store
    }

    package func renewGrant(
        _ lease: GrantLease, with tokens: ProviderTokens, now: Int64
    ) async throws(RepositoryError) -> GrantRenewal {
        if isFailing.load(ordering: .sequentiallyConsistent) { throw .unavailable(.diskFull) }
        return try await store.renewGrant(lease, with: tokens, now: now)
    }

    package func providerGrant(
        _ identity: IdentityID, of user: UserID
    ) async throws(RepositoryError) -> ProviderGrant? { try await store.providerGrant(identity, of: user) }

    package func leaseGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> GrantLeaseOutcome {
        let outcome = try await store.leaseGrant(lease, now: now)
        if case .held = outcome { turnedAway.add(1, ordering: .relaxed) }
        return outcome
    }

    package func endGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> Bool {
        try await store.endGrant(lease, now: now)
    }

    package func releaseGrant(_ lease: GrantLease, isDoubted: Bool) async throws(RepositoryError) {
        try await store.releaseGrant(lease, isDoubted: isDoubted)
    }

    package func takeGrantsToCheck(
        askedBefore time: Int64, again: Int64, limit: Int, now: Int64
    ) async throws(RepositoryError) -> [ProviderGrant] {
        try await store.takeGrantsToCheck(askedBefore: time, again: again, limit: limit, now: now)
    }

    package func endSessions(
        withRefused grant: ProviderGrant, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Int? {
        try await store.endSessions(withRefused: grant, line: line, now: now)
    }

    package func noteStoppedChecks(of provider: String, now: Int64) async throws(RepositoryError) {
        try await store.noteStoppedChecks(of: provider, now: now)
    }

    package func refreshProfile(_ refresh: ProfileRefresh) async throws(RepositoryError) -> User? {
        try await store.refreshProfile(refresh)
    }

    package func grantCounts() async throws(RepositoryError) -> GrantCounts { try await store.grantCounts() }

    package func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session? {
        try await store.session(id, now: now)
    }

    package func identities(of user: UserID) async throws(RepositoryError) -> [Identity] {
        try await store.identities(of: user)
    }
}
