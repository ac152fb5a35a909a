public import Accounts
internal import Providers

/// The second half of a registration: the app hands the link ticket back with what it has asked its user.
public struct RegisterWithTicket: Sendable {
    private let repository: any AccountRepository
    private let providers: ProviderDirectory
    private let sessions: SessionIssuer
    private let refreshTokens: RefreshTokens
    private let clock: Clock

    public init(
        repository: any AccountRepository, providers: ProviderDirectory, sessions: SessionIssuer, clock: Clock
    ) {
        self.repository = repository
        self.providers = providers
        self.sessions = sessions
        refreshTokens = RefreshTokens(repository: repository)
        self.clock = clock
    }

    /// Makes a user of a ticket and opens a session.
    ///
    /// - Parameters:
    ///   - ticket: as it was handed out. Anything else, a carrier's `sub` above all, is refused: whoever knows one would
    ///     have somebody's account.
    ///   - clientID: the client the app says it is; nil when it says nothing.
    ///   - profile: what the user said about himself.
    /// - Throws: `SignInError.invalidParameter`, `.invalidGrant(.invalidTicket)`, `.identityInUse`.
    public func register(
        _ ticket: String, clientID: String?, profile: Attributes, userAgent: String?
    ) async throws(SignInError) -> SessionIssuer.Tokens {
        guard let name = LinkTicket.provider(in: ticket) else {
            throw .invalidParameter(InvalidParameter("link_ticket", "is not a link ticket"))
        }
        let provider: Provider
        do throws(SignInError) {
            provider = try providers.provider(named: name, clientID: clientID, namesNetwork: false)
        } catch .unknownProvider {
            throw .invalidGrant(.invalidTicket)
        }
        let now = clock.seconds
        let session = sessions.makeSessionID(now: now)
        let redemption = TicketRedemption(
            ticket: TokenHash(sha256: ticket),
            session: NewSession(
                id: session, family: session, expiresAt: sessions.firstExpiry(now: now), userAgent: userAgent, acr: nil,
                amr: [], authTime: nil, authenticatedAt: 0, client: provider.configuration.clientID),
            reference: sessions.makeReference(), own: profile, now: now)
        let registered = try await repository.stored { repository throws(RepositoryError) in
            try await repository.redeemTicket(redemption)
        }
        return SessionIssuer.Tokens(
            accessToken: try sessions.accessToken(
                for: registered.signedIn.user, session: session, client: provider.configuration.clientID,
                acr: registered.authentication.acr,
                amr: registered.authentication.amr, authTime: registered.authentication.time, now: now),
            refreshToken: try await refreshTokens.text(
                of: RefreshToken(of: redemption.session, user: registered.signedIn.user, now: now)),
            expiresIn: sessions.configuration.accessTokenSeconds)
    }
}
