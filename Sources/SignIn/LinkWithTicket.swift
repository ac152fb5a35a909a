public import Accounts
internal import Apps
internal import Providers
internal import System

/// One more identity for a signed-in user, proven by the link ticket of a sign-in that found nobody: the user has an
/// account, and wants no second one.
public struct LinkWithTicket: Sendable {
    private let accounts: any SignInRepository & IdentityRepository
    private let providers: ProviderRegistry
    private let sensitive: SensitiveActions
    private let clock: Clock

    init(
        accounts: any SignInRepository & IdentityRepository, providers: ProviderRegistry, sensitive: SensitiveActions,
        clock: Clock
    ) {
        (self.accounts, self.providers, self.sensitive, self.clock) = (accounts, providers, sensitive, clock)
    }

    /// Links the identity that a ticket proves.
    ///
    /// - Parameters:
    ///   - ticket: as it was handed out, to the client whose session it is.
    ///   - request: of the request: the same again gets the same answer, for a moment.
    /// - Throws: `ServiceError.invalidParameter`, `.invalidGrant(.invalidTicket)`, `.identityInUse`, `.identityTooNew`,
    ///   `.insufficientAuthentication`, `.locked`, `.invalidToken`; the ticket is good for another try after each of
    ///   the last five.
    public func link(
        _ ticket: String, by principal: Principal, as request: RequestDigest
    ) async throws(ServiceError) -> (identity: Identity, isNew: Bool) {
        guard let name = LinkTicket.provider(in: ticket) else {
            throw .invalidParameter(ParameterError("link_ticket", "is not a link ticket"))
        }
        guard let provider = providers.provider(named: name) else { throw .invalidGrant(.invalidTicket) }
        try principal.demand(provider: name)
        let (session, now) = (principal.session, clock.seconds)
        let link = TicketLink(
            ticket: TokenHash(sha256: ticket), client: principal.app?.clientID ?? provider.configuration.clientID,
            session: session.id, demands: sensitive.demands(on: session), request: request, now: now)
        switch try await stored({ () throws(RepositoryError) in try await accounts.link(link) }) {
        case .linked(let identity, let isNew): return (identity, isNew)
        case .refused(let refusal):
            if let linked = try await again(link, of: session) { return linked }
            throw sensitive.error(refusal, under: session)
        }
    }

    /// What the same request has come to before.
    private func again(
        _ link: TicketLink, of session: Session
    ) async throws(ServiceError) -> (identity: Identity, isNew: Bool)? {
        let kept = try await stored { () throws(RepositoryError) in
            try await accounts.redeemedTicket(link.ticket, client: link.client, now: link.now)
        }
        guard let kept, kept.answers(link.request, now: link.now), case .linked(let id, isNew: let isNew) = kept.outcome
        else { return nil }
        let identities = try await stored { () throws(RepositoryError) in
            try await accounts.identities(of: session.user)
        }
        return identities.first { $0.id == id }.map { ($0, isNew) }
    }
}
