package import Accounts
internal import HTTPClient
internal import JSON
package import Providers
package import SignIn
internal import System

/// What a provider says of its user now: userinfo once more (OpenID Connect Core §5.3), with a token of the vault.
package struct RefreshProfile: Sendable {
    private let vault: TokenVault
    private let repository: any ProviderGrantRepository & BudgetRepository
    private let providers: ProviderRegistry
    private let transport: any HTTPTransport
    private let budget: Budget?
    private let line: FairLine
    private let clock: Clock

    /// - Parameters:
    ///   - budget: how often for one user; nil: as often as one likes.
    ///   - line: in which users wait for their turn.
    package init(_ parts: UseCases.Parts, vault: TokenVault, budget: Budget?, line: FairLine) {
        (repository, providers) = (parts.repository, parts.providers)
        (transport, clock) = (parts.transport, parts.clock)
        (self.vault, self.budget, self.line) = (vault, budget, line)
    }

    /// - Parameters:
    ///   - identity: whose provider is asked; nil for the one that the session was opened by.
    ///   - lane: whose turn it is beside the user's, by where the request comes from.
    ///   - call: where a failed call to the provider is noted for the log.
    /// - Returns: the user, with what the provider says merged in.
    /// - Throws: `ServiceError.rateLimited` where that was done too often within an hour; `.overloaded`; what
    ///   ``TokenVault`` throws; `.userinfoMismatch`; `.noUserinfo` where the provider has none.
    package func refresh(
        _ identity: IdentityID?, under session: Session, from lane: [UInt8], in call: CallContext
    ) async throws(ServiceError) -> User {
        guard let identity = identity ?? session.identity else { throw .providerSignInRequired }
        let grant = try await stored { () throws(RepositoryError) in
            try await repository.providerGrant(identity, of: session.user)
        }
        guard let grant else { throw identity == session.identity ? .providerSignInRequired : .notFound }
        guard let provider = providers.provider(named: grant.provider) else { throw .unknownProvider }
        try await repository.take(
            budget, for: "\(session.user.rawValue)", as: .profileRefreshes, now: clock.seconds)
        let turn = FairLine.Turn(key: Array("\(session.user.rawValue)".utf8), address: lane)
        try await line.enter(turn)
        defer { line.leave(turn) }
        let claims: JSONValue
        do throws(ServiceError) {
            claims = try await userinfo(of: grant, at: provider, under: session, isForced: false, call)
        } catch .providerError(ProviderProblem(.userinfo, .status(401))) {
            // It was revoked or has expired before its time: a refresh tells.
            claims = try await userinfo(of: grant, at: provider, under: session, isForced: true, call)
        }
        let said = ProviderAssertion(userinfo: claims, about: grant.subject.value, from: provider)
        let refresh = ProfileRefresh(
            session: session.id, identity: identity, attributes: said.attributes, claims: said.claims,
            now: clock.seconds)
        let user = try await stored { () throws(RepositoryError) in try await repository.refreshProfile(refresh) }
        guard let user else { throw .invalidToken }
        return user
    }

    private func userinfo(
        of grant: ProviderGrant, at provider: Provider, under session: Session, isForced: Bool,
        _ call: CallContext
    ) async throws(ServiceError) -> JSONValue {
        let tokens = try await vault.fresh(grant.identity, under: session, isForced: isForced, in: call)
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        let claims = try await asked { () throws(ProviderError) in
            let issuer = try await client.issuer(ofStored: grant.subject.issuer)
            return try await client.userinfo(
                tokens.accessToken, at: issuer, of: grant.subject.value)
        }
        guard let claims else { throw .noUserinfo }
        return claims
    }
}
