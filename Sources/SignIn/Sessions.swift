public import Accounts

/// Who a session token speaks for, and what else one can do with a session: read its user, refresh it, end it.
public struct Sessions: Sendable {
    private let repository: any AccountRepository
    private let issuer: SessionIssuer
    private let refreshTokens: RefreshTokens
    private let clock: Clock

    public init(repository: any AccountRepository, issuer: SessionIssuer, clock: Clock) {
        self.repository = repository
        self.issuer = issuer
        refreshTokens = RefreshTokens(repository: repository)
        self.clock = clock
    }

    /// The JWK set document that verifies our tokens.
    public var keyDocument: [UInt8] { issuer.keyDocument }

    /// The live session an access token belongs to. Revocation counts at once: the repository is asked each time.
    ///
    /// - Throws: `SignInError.invalidToken`, `.storageUnavailable`.
    public func session(of accessToken: String) async throws(SignInError) -> Session {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: now, now: now) else { throw .invalidToken }
        let session = try await repository.stored { repository throws(RepositoryError) in
            try await repository.session(bearer.session, now: now)
        }
        guard let session, session.user == bearer.user else { throw .invalidToken }
        return session
    }

    /// Whom an access token speaks for, also when a key signed it that was stored since the keys were last read.
    ///
    /// - Parameter time: when it must be good; nil for any time.
    private func bearer(
        of accessToken: String, at time: Int64?, now: Int64
    ) async throws(SignInError) -> SessionIssuer.Bearer? {
        if let bearer = issuer.bearer(of: accessToken, at: time) { return bearer }
        guard try await issuer.findsKey(of: accessToken, in: repository, now: now) else { return nil }
        return issuer.bearer(of: accessToken, at: time)
    }

    /// The user an access token speaks for.
    public func user(of accessToken: String) async throws(SignInError) -> User {
        let session = try await session(of: accessToken)
        let user = try await repository.stored { repository throws(RepositoryError) in
            try await repository.user(session.user)
        }
        guard let user else { throw .invalidToken }
        return user
    }

    /// Ends the session of an access token, which may have expired; none of its tokens works any more when this returns.
    ///
    /// - Throws: `SignInError.invalidToken` for what is no token of ours, or has no session any more;
    ///   `.storageUnavailable`.
    public func signOut(_ accessToken: String) async throws(SignInError) {
        guard try await endSession(of: accessToken) else { throw .invalidToken }
    }

    /// Ends the session of a token of either kind (RFC 7009 §2.1): an access token, which may have expired, or a refresh
    /// token, also one that was replaced. What is no token of ours opens nothing anyway, so there is nothing to tell.
    public func revoke(_ token: String) async throws(SignInError) {
        let now = clock.seconds
        guard let presented = try await refreshTokens.presented(token, now: now) else {
            _ = try await endSession(of: token)
            return
        }
        _ = try await repository.stored { repository throws(RepositoryError) in
            try await repository.revokeSession(presented.session, presenting: presented.token, now: now)
        }
    }

    /// - Returns: whether there was one.
    private func endSession(of accessToken: String) async throws(SignInError) -> Bool {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: nil, now: now) else { return false }
        return try await repository.stored { repository throws(RepositoryError) in
            try await repository.revokeSession(bearer.session, of: bearer.user, now: now)
        }
    }

    /// Exchanges a refresh token for a new pair (RFC 6749 §6, rotation as RFC 9700 §4.14.2 has it).
    ///
    /// - Throws: `SignInError.invalidGrant`; after the reuse of a rotated token the whole session family is gone.
    public func refresh(_ refreshToken: String) async throws(SignInError) -> SessionIssuer.Tokens {
        let now = clock.seconds
        guard let presented = try await refreshTokens.presented(refreshToken, now: now) else {
            throw .invalidGrant(.unknownRefreshToken)
        }
        let configuration = issuer.configuration
        let record = RefreshRecord(
            session: presented.session, presented: presented.token,
            expiresAt: now + configuration.refreshTokenSeconds, absoluteSeconds: configuration.absoluteSeconds,
            graceSeconds: configuration.refreshGraceSeconds, now: now)
        let outcome = try await repository.stored { repository throws(RepositoryError) in
            try await repository.refresh(record)
        }
        switch outcome {
        case .rotated(let session), .repeated(let session):
            return try tokens(session, try await refreshTokens.text(of: RefreshToken(of: session)), now)
        case .repeatedEarlier(let session, let wrapped):
            guard let successor = presented.earlier?.unwrapped(wrapped) else {
                throw .invalidGrant(.unknownRefreshToken)
            }
            return try tokens(session, successor.text, now)
        case .reused: throw .invalidGrant(.reusedRefreshToken)
        case .refused: throw .invalidGrant(.unknownRefreshToken)
        }
    }

    private func tokens(
        _ session: Session, _ refreshToken: String, _ now: Int64
    ) throws(SignInError) -> SessionIssuer.Tokens {
        SessionIssuer.Tokens(
            accessToken: try issuer.accessToken(
                for: session.user, session: session.id, client: session.client, acr: session.acr, amr: session.amr,
                authTime: session.authTime,
                now: now),
            refreshToken: refreshToken, expiresIn: issuer.configuration.accessTokenSeconds)
    }
}
