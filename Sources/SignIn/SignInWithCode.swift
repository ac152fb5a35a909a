public import Accounts
public import HTTPClient
internal import OpenIDConnect
public import Providers

/// The sign-in: from an authorization code that an app posts to a session of ours.
///
/// One call is one walk down the road: discovery, token exchange, ID token, userinfo, port tokens where the subject is
/// unknown, one transaction in the repository, tokens.
public struct SignInWithCode: Sendable {
    /// Who is signed in, with the tokens to tell the app.
    public struct Outcome: Sendable {
        public let signedIn: SignedIn
        public let tokens: SessionIssuer.Tokens
        public let acr: String?
        /// Seconds since 1970.
        public let authTime: Int64?
    }

    /// What becomes of somebody whom no user's identity fits.
    public enum Registration: Sendable {
        /// A user, at once.
        case automatic
        /// A link ticket, with which the app registers the user.
        case ticket
    }

    private let repository: any AccountRepository
    private let sessions: SessionIssuer
    private let refreshTokens: RefreshTokens
    private let grant: AuthorizationCodeGrant
    private let registration: Registration
    private let clock: Clock

    /// - Parameter transport: the HTTP client of the loop this use case runs on.
    public init(
        repository: any AccountRepository, sessions: SessionIssuer, codes: DispatchedCodes,
        transport: any HTTPTransport, registration: Registration, clock: Clock
    ) {
        self.repository = repository
        self.sessions = sessions
        refreshTokens = RefreshTokens(repository: repository)
        grant = AuthorizationCodeGrant(repository: repository, codes: codes, transport: transport, clock: clock)
        self.registration = registration
        self.clock = clock
    }

    /// Signs a user in.
    ///
    /// - Parameters:
    ///   - response: what the app posted, validated for this provider.
    ///   - userAgent: what the app says it is, for the list of sessions.
    ///   - trouble: where a failed call to the provider, and a port token that proved nothing, is noted for the log.
    /// - Throws: `SignInError`; `.unlinked` with a ticket for somebody who has to register. When it returns, the user and
    ///   the session are on disk.
    public func signIn(
        _ response: AuthorizedResponse, with provider: Provider, userAgent: String?, trouble: ProviderTrouble? = nil
    ) async throws(SignInError) -> Outcome {
        let demands = IDTokenDemands.signIn(response, with: provider)
        return try await grant.redeem(response, with: provider, demands: demands, trouble: trouble) {
            (verified) async throws(SignInError) -> Outcome in
            try await complete(verified, userAgent, trouble)
        }
    }

    private func complete(
        _ verified: AuthorizationCodeGrant.Verified, _ userAgent: String?, _ trouble: ProviderTrouble?
    ) async throws(SignInError) -> Outcome {
        let provider = verified.provider
        let idToken = verified.idToken
        let (ported, refused) = try await portedSubjects(verified.calls, idToken, verified.subject)
        trouble?.note(refused: refused)
        let now = clock.seconds
        let acr = idToken.acr.map(AuthenticationLevel.normalized)
        let session = sessions.makeSessionID(now: now)
        let ticket =
            registration == .ticket
            ? LinkTicket.make(provider: provider.configuration.name, attributes: verified.attributes) : nil
        let record = SignInRecord(
            code: verified.code, challenge: verified.challenge, provider: provider.configuration.name,
            subject: verified.subject, ported: ported, refusedPortTokens: refused.count,
            registration: ticket.map {
                .ticket(OneTimeUse(hash: $0.hash, expiresAt: now + LinkTicket.lifetimeSeconds))
            } ?? .automatic(reference: sessions.makeReference()),
            attributes: verified.attributes, claims: verified.claims,
            session: NewSession(
                id: session, family: session, expiresAt: sessions.firstExpiry(now: now), userAgent: userAgent, acr: acr,
                amr: idToken.amr, authTime: idToken.authenticationTime,
                authenticatedAt: min(idToken.authenticationTime ?? idToken.issuedAt, now),
                client: provider.configuration.clientID),
            maximumSessions: sessions.configuration.maximumSessionsPerUser, now: now)
        let outcome = try await repository.stored { repository throws(RepositoryError) in
            try await repository.signIn(record)
        }
        let signedIn: SignedIn
        switch outcome {
        case .signedIn(let user):
            signedIn = user
            trouble?.note(refused: Array(repeating: .used, count: user.usedPortTokens))
        case .unlinked:
            guard let ticket else { throw .accessDenied }
            throw .unlinked(ticket)
        }
        let tokens = SessionIssuer.Tokens(
            accessToken: try sessions.accessToken(
                for: signedIn.user, session: session, client: provider.configuration.clientID, acr: acr,
                amr: idToken.amr,
                authTime: idToken.authenticationTime, now: now),
            refreshToken: try await refreshTokens.text(
                of: RefreshToken(of: record.session, user: signedIn.user, now: now)),
            expiresIn: sessions.configuration.accessTokenSeconds)
        return Outcome(signedIn: signedIn, tokens: tokens, acr: acr, authTime: idToken.authenticationTime)
    }

    /// Who the user was at other carriers. Port tokens count for a subject nobody has yet and for no other, so for
    /// everybody else their carriers are not even asked.
    private func portedSubjects(
        _ calls: ProviderCalls, _ idToken: IDToken, _ subject: Subject
    ) async throws(SignInError) -> (ported: [PortedSubject], refused: [PortTokenRefusal]) {
        guard calls.provider.takesPortTokens, PortToken.areIn(idToken.claims) else { return ([], []) }
        let isKnown = try await repository.stored { repository throws(RepositoryError) in
            try await repository.isKnown(subject)
        }
        if isKnown { return ([], []) }
        let now = clock.seconds
        let maximumAge = calls.provider.configuration.portTokenMaximumAgeSeconds
        let verified = try await calls.portTokens(of: idToken, now: now)
        let ported = verified.tokens.map { token in
            PortedSubject(
                subject: Subject(issuer: token.issuer, value: token.subject),
                token: OneTimeUse(
                    hash: TokenHash(digest: token.fingerprint.span),
                    expiresAt: maximumAge == 0
                        ? .max
                        : token.issuedAt + maximumAge
                            + calls.provider.configuration.clockSkewSeconds))
        }
        return (ported, verified.refusals)
    }
}
