package import Accounts
package import HTTPClient
package import Providers
package import SignIn
package import System

/// A provider's access token for a user, fresh: the one that is kept, or what its refresh token brings (RFC 6749 §6).
///
/// One refresh of a grant runs at a time, here by ``GrantRefreshes`` and among servers by a lease in the store. The
/// lease is on disk before the refresh token is sent, and what comes back before anybody gets it. When the user signs
/// out, unlinks or erases the account meanwhile, that wins: then what came is revoked.
package struct TokenVault: Sendable {
    /// What is told of a provider's access token.
    package struct AccessToken: Sendable {
        package let text: String
        /// In seconds; nil where the provider has not said.
        package let lifetimeSeconds: Int64?
        package let scope: String?
    }

    /// A token that is younger is not renewed by anybody's request, in seconds: if it was refused, the reason was
    /// something else.
    static let minimumAgeSeconds: Int64 = 10
    /// How much longer a lease lasts than a refresh may take, in seconds.
    private static let leaseReserveSeconds: Int64 = 10
    /// Between two looks at what another server does.
    private static let pause = Duration.milliseconds(250)
    /// Half a minute of such looks: longer than another server's refresh takes with usual limits.
    private static let maximumLooks = 120

    private let repository: any VaultRepository
    private let providers: ProviderRegistry
    private let refreshes: GrantRefreshes
    private let transport: any HTTPTransport
    private let clock: Clock

    package init(
        repository: any VaultRepository, providers: ProviderRegistry, refreshes: GrantRefreshes,
        transport: any HTTPTransport, clock: Clock
    ) {
        (self.repository, self.providers, self.refreshes) = (repository, providers, refreshes)
        (self.transport, self.clock) = (transport, clock)
    }

    package init(_ parts: UseCases.Parts, _ refreshes: GrantRefreshes) {
        self.init(
            repository: parts.repository, providers: parts.providers, refreshes: refreshes,
            transport: parts.transport, clock: parts.clock)
    }

    /// A fresh access token of one of the user's identities.
    ///
    /// - Parameters:
    ///   - allowed: whether who asks may have tokens of a provider, by its name.
    ///   - isForced: whether the token that is kept was refused where it was shown.
    ///   - call: where a failed call to the provider is noted for the log.
    /// - Throws: `ServiceError.notFound` for an identity that is not this user's; `.unauthorizedClient`;
    ///   `.providerSignInRequired` when none is kept, or the provider says that it is over; `.invalidToken` when the
    ///   session has ended meanwhile; what a failed call to the provider means.
    package func accessToken(
        of identity: IdentityID, under session: Session, allowed: (String) -> Bool, isForced: Bool,
        in call: CallContext
    ) async throws(ServiceError) -> AccessToken {
        let identities = try await stored { () throws(RepositoryError) in
            try await repository.identities(of: session.user)
        }
        guard let found = identities.first(where: { $0.id == identity }) else { throw .notFound }
        guard allowed(found.provider) else { throw .unauthorizedClient }
        let tokens = try await fresh(identity, under: session, isForced: isForced, in: call)
        return AccessToken(
            text: tokens.accessToken, lifetimeSeconds: tokens.expiresAt.map { max(0, $0 - clock.seconds) },
            scope: tokens.scope)
    }

    /// Tokens that are good for a while.
    func fresh(
        _ identity: IdentityID, under session: Session, isForced: Bool, in call: CallContext
    ) async throws(ServiceError) -> ProviderTokens {
        var refused: Int64?
        for look in 0..<Self.maximumLooks {
            let grant = try await stored { () throws(RepositoryError) in
                try await repository.providerGrant(identity, of: session.user)
            }
            guard let grant, let tokens = grant.tokens else { throw .providerSignInRequired }
            let now = clock.seconds
            if look == 0, isForced, now - grant.obtainedAt >= Self.minimumAgeSeconds { refused = grant.version }
            if tokens.isFresh(now: now), grant.version != refused { return tokens }
            guard tokens.refreshToken != nil else { throw .providerSignInRequired }
            guard let provider = providers.provider(named: grant.provider) else { throw .unknownProvider }
            let outcome = await refreshes.outcome(for: identity) { unstored in
                if let unstored { return await store(unstored) }
                return await refresh(grant, at: provider, call)
            }
            switch outcome {
            case .renewed(let tokens):
                try await checkStillOpen(session)
                return tokens
            case .superseded: continue
            case .elsewhere: try? await Task.sleep(for: Self.pause)
            case .refused: throw .providerSignInRequired
            case .failed(let error): throw error
            }
        }
        throw .providerTimeout
    }

    /// Has the store take what it could not take before.
    package func storeWhatWaits() async {
        for identity in refreshes.waitingForStore {
            _ = await refreshes.outcome(for: identity) { unstored in
                guard let unstored else { return .superseded }
                return await store(unstored)
            }
        }
    }

    /// What a provider says when it is asked whether a grant is still good.
    enum Check: Equatable, Sendable {
        case good
        /// It knows it no more (`invalid_grant`). The grant is left as it was.
        case refused
        /// It was not asked, or has not said.
        case unknown
    }

    /// Asks a provider whether a grant is still good, by a refresh of it (RFC 6749 §6).
    func check(_ grant: ProviderGrant, in call: CallContext) async -> Check {
        guard let provider = providers.provider(named: grant.provider) else { return .unknown }
        let outcome = await refreshes.outcome(for: grant.identity) { unstored in
            if let unstored { return await store(unstored) }
            return await refresh(grant, at: provider, isCheck: true, call)
        }
        return switch outcome {
        case .renewed: .good
        case .refused: .refused
        case .superseded, .elsewhere, .failed: .unknown
        }
    }

    private func checkStillOpen(_ session: Session) async throws(ServiceError) {
        let now = clock.seconds
        let open = try await stored { () throws(RepositoryError) in
            try await repository.session(session.id, now: now)
        }
        if open == nil { throw .invalidToken }
    }

    private func refresh(
        _ grant: ProviderGrant, at provider: Provider, isCheck: Bool = false, _ call: CallContext
    ) async -> GrantRefreshes.Outcome {
        guard let refreshToken = grant.tokens?.refreshToken else { return .failed(.providerSignInRequired) }
        let now = clock.seconds
        let lease = GrantLease(
            grant: grant, holder: refreshes.holder,
            expiresAt: now + provider.configuration.signInTimeout.components.seconds + Self.leaseReserveSeconds)
        do throws(RepositoryError) {
            switch try await repository.leaseGrant(lease, now: now) {
            case .leased: break
            case .changed: return .superseded
            case .held: return .elsewhere
            }
        } catch {
            return .failed(ServiceError(error))
        }
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            return await giveUp(lease, .overloaded)
        }
        do throws(ProviderError) {
            let issuer = try await client.issuer(ofStored: grant.subject.issuer)
            let answer = try await client.refresh(
                RefreshRequest(refreshToken: refreshToken, clientID: grant.tokens?.client),
                ofStored: (grant.subject.issuer, grant.subject.value), at: issuer, now: clock.seconds)
            let tokens = ProviderTokens(answer.accessToken, answer.terms, now: clock.seconds)
            return await store(
                GrantRefreshes.Unstored(lease: lease, tokens: grant.tokens?.renewed(by: tokens) ?? tokens))
        } catch {
            return await fail(lease, error, isCheck: isCheck)
        }
    }

    /// Ends the grant where the provider says that it is over; everything else may pass.
    private func fail(
        _ lease: GrantLease, _ error: ProviderError, isCheck: Bool
    ) async -> GrantRefreshes.Outcome {
        guard case .call(let problem) = error, problem.step == .refresh else {
            return await giveUp(lease, ServiceError(error))
        }
        switch problem.failure {
        case .refused(.invalidGrant): return await end(lease, isCheck: isCheck)
        // The grant is there, but nothing comes of it unless the user is asked.
        case .refused(.accessDenied), .refused(.interactionRequired), .refused(.userNotFound),
            .refused(.authenticationTimedOut):
            return await giveUp(lease, .providerSignInRequired)
        default: return await giveUp(lease, ServiceError(error))
        }
    }

    /// Where grants are checked, the check has the last word, since sessions end with it.
    private func end(_ lease: GrantLease, isCheck: Bool) async -> GrantRefreshes.Outcome {
        do throws(RepositoryError) {
            if isCheck || refreshes.areChecked {
                try await repository.releaseGrant(lease, isDoubted: !isCheck)
                return .refused
            }
            return try await repository.endGrant(lease, now: clock.seconds) ? .refused : .superseded
        } catch {
            return .failed(ServiceError(error))
        }
    }

    /// Where the store can't take it, the lease ends by itself.
    private func giveUp(_ lease: GrantLease, _ error: ServiceError) async -> GrantRefreshes.Outcome {
        do throws(RepositoryError) { try await repository.releaseGrant(lease, isDoubted: false) } catch {}
        return .failed(error)
    }

    private func store(_ unstored: GrantRefreshes.Unstored) async -> GrantRefreshes.Outcome {
        do throws(RepositoryError) {
            let renewal = try await repository.renewGrant(unstored.lease, with: unstored.tokens, now: clock.seconds)
            refreshes.forget(unstored)
            switch renewal {
            case .stored: return .renewed(unstored.tokens)
            case .superseded: return .superseded
            case .over: return .refused
            }
        } catch {
            refreshes.keep(unstored)
            return .failed(ServiceError(error))
        }
    }
}

/// What the vault asks of a store.
package typealias VaultRepository = ProviderGrantRepository & SessionLookup & IdentityLookup
