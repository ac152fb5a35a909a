public import Accounts
internal import Providers
internal import System

/// The second half of a registration: the app hands the link ticket back with what it has asked its user.
public struct RegisterWithTicket: Sendable {
    private let accounts: any SignInRepository
    private let providers: ProviderDirectory
    private let tokenIssuer: TokenIssuer
    private let sentAgain: SentAgain
    private let clock: Clock

    init(
        accounts: any SignInRepository, providers: ProviderDirectory, tokenIssuer: TokenIssuer, sentAgain: SentAgain,
        clock: Clock
    ) {
        self.accounts = accounts
        self.providers = providers
        self.tokenIssuer = tokenIssuer
        self.sentAgain = sentAgain
        self.clock = clock
    }

    /// Makes a user of a ticket and opens a session.
    ///
    /// - Parameters:
    ///   - ticket: as it was handed out. Anything else, a carrier's `sub` above all, is refused: whoever knows one
    ///     would have somebody's account.
    ///   - clientID: the client the app says it is; nil when it says nothing.
    ///   - profile: what the user said about themselves.
    ///   - replaced: the session that the new one takes the place of (``Sessions/replaced(by:for:)``).
    ///   - request: of the request: the same again gets the same session, for a moment.
    /// - Throws: `ServiceError.invalidParameter`, `.invalidGrant(.invalidTicket)`, `.identityInUse`.
    public func register(
        _ ticket: String, clientID: String?, profile: Attributes, userAgent: String?, replacing replaced: SessionID?,
        as request: RequestDigest
    ) async throws(ServiceError) -> TokenIssuer.Tokens {
        guard let name = LinkTicket.provider(in: ticket) else {
            throw .invalidParameter(ParameterError("link_ticket", "is not a link ticket"))
        }
        let provider: Provider
        do throws(ServiceError) {
            provider = try providers.provider(named: name, clientID: clientID, namesNetwork: false)
        } catch .unknownProvider {
            throw .invalidGrant(.invalidTicket)
        }
        let moment = clock.now
        let now = moment.seconds
        let session = tokenIssuer.makeSessionID(at: moment.milliseconds)
        // How the user was authenticated is taken from the ticket.
        let redemption = TicketRedemption(
            ticket: TokenHash(sha256: ticket),
            session: NewSession(
                id: session, family: session, expiresAt: tokenIssuer.firstExpiry(now: now), userAgent: userAgent,
                authentication: Authentication(acr: nil, amr: [], time: nil),
                authenticatedAt: Session.neverAuthenticated, challengedAt: nil, client: provider.configuration.clientID,
                scope: nil, audience: nil, declined: nil, upstreamSession: nil, source: .signIn, replaces: replaced),
            reference: TokenIssuer.makeReference(), own: profile, request: request, now: now)
        let outcome = try await stored { () throws(RepositoryError) in try await accounts.redeemTicket(redemption) }
        switch outcome {
        case .refused(let refusal):
            // What was taken, and the user whose it has become.
            if let tokens = try await again(redemption) { return tokens }
            throw ServiceError(refusal)
        case .redeemed(let redeemed):
            var opened = redemption.session
            opened.authentication = redeemed.authentication
            return try await tokenIssuer.openSession(opened, of: redeemed.signedIn.user, now: now)
        }
    }

    /// The tokens of a session that the same request has got before.
    private func again(_ redemption: TicketRedemption) async throws(ServiceError) -> TokenIssuer.Tokens? {
        let now = clock.seconds
        let kept = try await stored { () throws(RepositoryError) in
            try await accounts.redeemedTicket(redemption.ticket, client: redemption.session.client, now: now)
        }
        guard let kept, kept.answers(redemption.request, now: now), case .session(let id, let arrival) = kept.outcome,
            let repeated = try await sentAgain.signIn(id, arrival)
        else { return nil }
        return try await tokenIssuer.firstTokens(of: repeated.session, now: now)
    }
}
