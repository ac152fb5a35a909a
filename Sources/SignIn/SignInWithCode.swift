public import Accounts
internal import EventLoop
public import HTTPClient
internal import OpenIDConnect
public import Providers

/// The sign-in: from an authorization code that an app posts to a session of ours.
///
/// One call is one walk down the road: discovery, token exchange, ID token, userinfo, port tokens where the subject is
/// unknown, one transaction in the repository, tokens. The code is spent by the exchange, so whatever fails after it is
/// recorded: the same code never reaches the provider twice.
public struct SignInWithCode: Sendable {
    /// Who is signed in, with the tokens to tell the app.
    public struct Outcome: Sendable {
        public let signedIn: SignedIn
        public let tokens: SessionIssuer.Tokens
        public let acr: String?
        /// Seconds since 1970.
        public let authTime: Int64?
    }

    /// How long a code is remembered as used, in seconds. Providers let codes live for minutes (RFC 6749 §4.1.2 says
    /// ten at most).
    private static let codeMemorySeconds: Int64 = 3600

    private let repository: any AccountRepository
    private let sessions: SessionIssuer
    private let codes: CodesInFlight
    private let transport: any HTTPTransport
    private let clock: Clock

    /// - Parameter transport: the HTTP client of the loop this use case runs on.
    public init(
        repository: any AccountRepository, sessions: SessionIssuer, codes: CodesInFlight,
        transport: any HTTPTransport, clock: Clock
    ) {
        self.repository = repository
        self.sessions = sessions
        self.codes = codes
        self.transport = transport
        self.clock = clock
    }

    /// Signs a user in.
    ///
    /// - Parameters:
    ///   - response: what the app posted, validated for this provider.
    ///   - userAgent: what the app says it is, for the list of sessions.
    /// - Throws: `SignInError`. When it returns, the user and the session are on disk.
    public func signIn(
        _ response: AuthorizedResponse, with provider: Provider, userAgent: String?
    ) async throws(SignInError) -> Outcome {
        guard provider.allows(redirectURI: response.redirectURI) else { throw .redirectURINotAllowed }
        guard provider.bulkhead.enter() else { throw .overloaded }
        defer { provider.bulkhead.leave() }
        let code = OneTimeUse(
            hash: TokenHash(sha256: "\(provider.configuration.name) \(response.code)"),
            expiresAt: clock.seconds + Self.codeMemorySeconds)
        guard codes.claim(code.hash) else { throw .invalidGrant(.codeAlreadyUsed) }
        defer { codes.release(code.hash) }
        if try await repository.stored({ repository throws(RepositoryError) in
            try await repository.isCodeUsed(code.hash, now: clock.seconds)
        }) {
            throw .invalidGrant(.codeAlreadyUsed)
        }
        let calls = ProviderCalls(
            provider: provider, transport: transport,
            deadline: Deadline(
                now: .now, total: provider.configuration.signInTimeout, perCall: provider.configuration.timeout))
        let metadata = try await calls.discover(response.network)
        let exchanged: TokenResponse
        do throws(ProviderFailure) {
            exchanged = try await calls.exchange(response, at: metadata)
        } catch {
            if error.mayHaveSpentCode { await recordUsed(code) }
            throw SignInError(.token, error)
        }
        do throws(SignInError) {
            return try await complete(calls, metadata, exchanged, response, code, userAgent)
        } catch {
            // Where the store itself can't take it, the provider's own refusal of a spent code remains.
            if error != .invalidGrant(.codeAlreadyUsed), error != .migrationConflict { await recordUsed(code) }
            throw error
        }
    }

    /// All that follows the exchange.
    private func complete(
        _ calls: ProviderCalls, _ metadata: ProviderMetadata, _ exchanged: TokenResponse,
        _ response: AuthorizedResponse, _ code: OneTimeUse, _ userAgent: String?
    ) async throws(SignInError) -> Outcome {
        let provider = calls.provider
        let idToken = try await calls.verifiedIDToken(exchanged, metadata, response, now: clock.seconds)
        let userinfo = try await calls.userinfo(exchanged, metadata, idToken, response)
        let subject = Subject(issuer: provider.currentName(of: idToken.issuer), value: idToken.subject)
        let ported = try await portedSubjects(calls, idToken, subject)
        let now = clock.seconds
        let acr = idToken.acr.map(AuthenticationLevel.normalized)
        let session = sessions.makeSessionID(now: now)
        let refreshToken = sessions.makeRefreshToken(for: session)
        let record = SignInRecord(
            code: code, provider: provider.configuration.name, subject: subject, ported: ported,
            registration: .automatic(reference: sessions.makeReference()),
            attributes: AttributesOfUserinfo.attributes(in: userinfo ?? idToken.claims),
            session: NewSession(
                id: session, family: session, refreshHash: refreshToken.hash,
                expiresAt: now + sessions.configuration.refreshTokenSeconds, userAgent: userAgent, acr: acr,
                amr: idToken.amr, authTime: idToken.authenticationTime, client: provider.configuration.clientID),
            now: now)
        let outcome = try await repository.stored { repository throws(RepositoryError) in
            try await repository.signIn(record)
        }
        guard case .signedIn(let signedIn) = outcome else { throw .accessDenied }
        let tokens = SessionIssuer.Tokens(
            accessToken: try sessions.accessToken(
                for: signedIn.user, session: session, acr: acr, amr: idToken.amr,
                authTime: idToken.authenticationTime, now: now),
            refreshToken: refreshToken.text, expiresIn: sessions.configuration.accessTokenSeconds)
        return Outcome(signedIn: signedIn, tokens: tokens, acr: acr, authTime: idToken.authenticationTime)
    }

    /// Who the user was at other carriers. Port tokens count for a subject nobody has yet and for no other, so for
    /// everybody else their carriers are not even asked.
    private func portedSubjects(
        _ calls: ProviderCalls, _ idToken: IDToken, _ subject: Subject
    ) async throws(SignInError) -> [PortedSubject] {
        guard PortToken.areIn(idToken.claims) else { return [] }
        let isKnown = try await repository.stored { repository throws(RepositoryError) in
            try await repository.isKnown(subject)
        }
        if isKnown { return [] }
        let now = clock.seconds
        let maximumAge = calls.provider.configuration.portTokenMaximumAgeSeconds
        return try await calls.portTokens(of: idToken, now: now).map { token in
            PortedSubject(
                subject: Subject(issuer: token.issuer, value: token.subject),
                token: OneTimeUse(
                    hash: TokenHash(digest: token.fingerprint),
                    expiresAt: maximumAge == 0
                        ? .max
                        : token.issuedAt + maximumAge
                            + calls.provider.configuration.clockSkewSeconds))
        }
    }

    private func recordUsed(_ code: OneTimeUse) async {
        try? await repository.recordUsedCode(code, now: clock.seconds)
    }
}
