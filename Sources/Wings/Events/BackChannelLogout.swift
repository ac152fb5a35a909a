internal import Accounts
internal import HTTPClient
package import Providers
package import SignIn
internal import System

/// The end of sessions by a provider's word (OpenID Connect Back-Channel Logout 1.0 §2.6 and §2.7).
package struct BackChannelLogout: Sendable {
    private let repository: any SessionRepository
    private let seen: SeenTokens
    private let transport: any HTTPTransport
    private let clock: Clock

    package init(_ parts: UseCases.Parts, seen: SeenTokens) {
        (repository, transport, clock) = (parts.repository, parts.transport, parts.clock)
        self.seen = seen
    }

    /// Ends what a logout token names. Whether there was anything is told nobody.
    ///
    /// - Parameter call: where a failed call to the provider is noted for the log.
    /// - Throws: `ServiceError.invalidLogoutToken`; `.overloaded` when the provider's bulkhead is full; what comes of a
    ///   call to the provider that failed, or of the store, and then the same token may come again. When it returns,
    ///   what was named is over for all instances.
    package func end(_ text: String, at provider: Provider, in call: CallContext) async throws(ServiceError) {
        let now = clock.seconds
        let token = try await verified(text, at: provider, call, now: now)
        // Of the provider too: one token may be for several clients of ours, each of which it comes to.
        let name = TokenHash(sha256: [provider.configuration.name, token.issuer, token.identifier])
        guard seen.claim(name, now: now) else { throw .invalidLogoutToken(.replayed) }
        var hasEnded = false
        defer { seen.release(name, hasEnded: hasEnded, now: now) }
        // Longer than it could be presented again, at whatever instance.
        let use = OneTimeUse(hash: name, expiresAt: now + seen.memorySeconds)
        let openedBy = token.issuedAt + provider.configuration.clockSkewSeconds
        let drawn = clock.milliseconds
        let record = LogoutRecord(
            logout: token.logout(at: provider), token: use, openedBy: openedBy,
            // What begins after this moment is another sign-in, however far the provider's clock is ahead.
            line: NotBefore(at: min(openedBy * 1000, drawn), authenticatedAfter: nil), now: now)
        let ended = try await stored { () throws(RepositoryError) in try await repository.endSessions(record) }
        hasEnded = true
        if ended == nil { throw .invalidLogoutToken(.replayed) }
    }

    private func verified(
        _ text: String, at provider: Provider, _ call: CallContext, now: Int64
    ) async throws(ServiceError) -> LogoutToken {
        let presented: PresentedLogoutToken
        do throws(EventTokenError) {
            presented = try provider.presented(logoutToken: text)
        } catch {
            throw .invalidLogoutToken(error)
        }
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        return try await asked { () throws(ProviderError) in try await client.verified(presented, now: now) }
    }
}

extension LogoutToken {
    /// What ends, under the names by which the provider's users are stored.
    fileprivate func logout(at provider: Provider) -> ProviderLogout {
        let issuer = provider.currentName(of: issuer)
        func subject(_ value: String) -> Subject { Subject(issuer: issuer, value: value) }
        return switch ended {
        case .session(let session, let user):
            .session(
                .upstreamSession(session, at: issuer), of: user.map(subject),
                former: FormerIssuers(provider.configuration.formerIssuerNames).names(of: issuer).map {
                    .upstreamSession(session, at: $0)
                })
        case .subject(let user): .subject(subject(user))
        }
    }
}
