public import Accounts
public import Apps
internal import Providers
internal import System

/// The second half of a registration: the app hands the link ticket back with what it has asked its user.
public struct RegisterWithTicket: Sendable {
    private let accounts: any SignInRepository
    private let providers: ProviderRegistry
    private let tokenIssuer: TokenIssuer
    private let appTokens: AppTokens
    private let sentAgain: SentAgain
    private let clock: Clock

    init(
        accounts: any SignInRepository, providers: ProviderRegistry, tokenIssuer: TokenIssuer, appTokens: AppTokens,
        sentAgain: SentAgain, clock: Clock
    ) {
        (self.accounts, self.providers, self.tokenIssuer) = (accounts, providers, tokenIssuer)
        (self.appTokens, self.sentAgain, self.clock) = (appTokens, sentAgain, clock)
    }

    /// Makes a user of a ticket and opens a session.
    ///
    /// - Parameters:
    ///   - ticket: as it was handed out. Anything else, a carrier's `sub` above all, is refused: to know one would be
    ///     to have somebody's account.
    ///   - clientID: the client that who posts codes says it is; nil when it says nothing.
    ///   - app: the app of ours that the ticket was given to, which has proven itself: the session is its own, with
    ///     what it was granted; nil for who posts codes.
    ///   - profile: what the user said about themselves.
    ///   - replaced: the session that the new one takes the place of (``Sessions/replaced(by:for:)``).
    ///   - request: of the request: the same again gets the same session, for a moment.
    /// - Throws: `ServiceError.invalidParameter`, `.invalidGrant(.invalidTicket)`, `.identityInUse`.
    public func register(
        _ ticket: String, clientID: String?, by app: RegisteredApp?, profile: Attributes, userAgent: String?,
        replacing replaced: SessionID?, as request: RequestDigest
    ) async throws(ServiceError) -> AppTokens.Answer {
        guard let name = LinkTicket.provider(in: ticket) else {
            throw .invalidParameter(ParameterError("link_ticket", "is not a link ticket"))
        }
        let provider: Provider
        do throws(ServiceError) {
            provider = try providers.provider(
                named: name, clientID: app == nil ? clientID : nil, namesNetwork: false)
        } catch .unknownProvider {
            throw .invalidGrant(.invalidTicket)
        }
        let moment = clock.now
        let now = moment.seconds
        let session = tokenIssuer.makeSessionID(at: moment.milliseconds)
        let expiry = app.map { tokenIssuer.terms(for: $0).firstExpiry(now: now) } ?? tokenIssuer.firstExpiry(now: now)
        // How the user was authenticated is taken from the ticket.
        let redemption = TicketRedemption(
            ticket: TokenHash(sha256: ticket),
            session: NewSession(
                id: session, family: session, expiresAt: expiry, userAgent: userAgent,
                authentication: Authentication(acr: nil, amr: [], time: nil),
                authenticatedAt: Session.neverAuthenticated, challengedAt: nil,
                client: app?.clientID ?? provider.configuration.clientID,
                scope: nil, audience: nil, declined: nil, upstreamSession: nil, source: .signIn, replaces: replaced),
            reference: TokenIssuer.makeReference(), own: profile, request: request, now: now)
        let outcome = try await stored { () throws(RepositoryError) in try await accounts.redeemTicket(redemption) }
        switch outcome {
        case .refused(let refusal):
            // What was taken, and the user whose it has become.
            if let answer = try await again(redemption, app) { return answer }
            throw ServiceError(refusal)
        case .redeemed(let redeemed):
            let opened = Session(
                redeemed.session, of: redeemed.signedIn, at: provider.configuration.name, now: now)
            return try await answer(opened, for: app, now: now)
        }
    }

    /// The tokens of a session that the same request has got before.
    private func again(
        _ redemption: TicketRedemption, _ app: RegisteredApp?
    ) async throws(ServiceError) -> AppTokens.Answer? {
        let now = clock.seconds
        let kept = try await stored { () throws(RepositoryError) in
            try await accounts.redeemedTicket(redemption.ticket, client: redemption.session.client, now: now)
        }
        guard let kept, kept.answers(redemption.request, now: now), case .session(let id, let arrival) = kept.outcome,
            let repeated = try await sentAgain.signIn(id, arrival)
        else { return nil }
        return try await answer(repeated.session, for: app, now: now)
    }

    private func answer(
        _ session: Session, for app: RegisteredApp?, now: Int64
    ) async throws(ServiceError) -> AppTokens.Answer {
        guard let app else {
            let tokens = try await tokenIssuer.firstTokens(of: session, now: now)
            return AppTokens.Answer(tokens: tokens, idToken: nil, permissions: [], declined: nil)
        }
        return try await appTokens.answer(
            session, tokenIssuer.terms(for: app).token(of: session), for: app, RequestedAccess(), to: session.audience,
            nonce: nil, now: now)
    }
}
