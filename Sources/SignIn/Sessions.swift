public import Accounts
public import Apps

/// Who a session token speaks for, and what else one can do with a session: read its user, refresh it, end it.
public struct Sessions: Sendable {
    private let repository: any SessionRepository & UserRepository
    private let tokenIssuer: TokenIssuer
    private let clock: Clock

    init(repository: any SessionRepository & UserRepository, tokenIssuer: TokenIssuer, clock: Clock) {
        self.repository = repository
        self.tokenIssuer = tokenIssuer
        self.clock = clock
    }

    private var refreshTokens: RefreshTokens { tokenIssuer.refreshTokens }

    /// The JWK set document that verifies our tokens.
    public var keyDocument: [UInt8] { tokenIssuer.keyDocument }

    /// The live session an access token belongs to. Revocation counts at once: the repository is asked each time.
    ///
    /// - Throws: `ServiceError.invalidToken`, `.storageUnavailable`.
    public func session(of accessToken: String) async throws(ServiceError) -> Session {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: now, now: now) else { throw .invalidToken }
        let session = try await stored { () throws(RepositoryError) in
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
    ) async throws(ServiceError) -> TokenIssuer.Bearer? {
        if let bearer = tokenIssuer.bearer(of: accessToken, at: time) { return bearer }
        guard try await tokenIssuer.findsKey(of: accessToken, now: now) else { return nil }
        return tokenIssuer.bearer(of: accessToken, at: time)
    }

    /// The user an access token speaks for.
    public func user(of accessToken: String) async throws(ServiceError) -> User {
        let session = try await session(of: accessToken)
        let user = try await stored { () throws(RepositoryError) in
            try await repository.user(session.user)
        }
        guard let user else { throw .invalidToken }
        return user
    }

    /// Ends the session of an access token, which may have expired; none of its tokens works any more when this
    /// returns.
    ///
    /// - Throws: `ServiceError.invalidToken` for what is no token of ours, or has no session any more;
    ///   `.storageUnavailable`.
    public func signOut(_ accessToken: String) async throws(ServiceError) {
        guard try await endSession(of: accessToken) else { throw .invalidToken }
    }

    /// Ends the session of a token of either kind (RFC 7009 §2.1): an access token, which may have expired, or a
    /// refresh token, also one that was replaced. What is no token of ours opens nothing anyway, so there is nothing to
    /// tell.
    ///
    /// - Parameter app: who asks; nil for who names no app.
    /// - Throws: `ServiceError.invalidGrant` for a token of another client (§2.1).
    public func revoke(_ token: String, for app: RegisteredApp?) async throws(ServiceError) {
        let now = clock.seconds
        if let app, let session = try await session(ofAny: token, now: now), session.client != app.clientID {
            throw .invalidGrant(.unknownRefreshToken)
        }
        guard let presented = try await refreshTokens.presented(token, now: now) else {
            _ = try await endSession(of: token)
            return
        }
        _ = try await stored { () throws(RepositoryError) in
            try await repository.revokeSession(presented.session, presenting: presented.token, now: now)
        }
    }

    /// The live session of a token of either kind.
    private func session(ofAny token: String, now: Int64) async throws(ServiceError) -> Session? {
        let presented = try await refreshTokens.presented(token, now: now)?.session
        let id = if let presented { presented } else { try await bearer(of: token, at: nil, now: now)?.session }
        guard let id else { return nil }
        return try await stored { () throws(RepositoryError) in try await repository.session(id, now: now) }
    }

    /// - Returns: whether there was one.
    private func endSession(of accessToken: String) async throws(ServiceError) -> Bool {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: nil, now: now) else { return false }
        return try await stored { () throws(RepositoryError) in
            try await repository.revokeSession(bearer.session, of: bearer.user, now: now)
        }
    }

    /// Exchanges a refresh token of a session that is no app's of ours for a new pair.
    ///
    /// - Throws: as below.
    public func refresh(_ refreshToken: String) async throws(ServiceError) -> TokenIssuer.Tokens {
        let (session, text) = try await refresh(refreshToken, by: nil)
        return try tokenIssuer.tokens(of: session, refreshToken: text, now: clock.seconds)
    }

    /// Exchanges a refresh token for the next one (RFC 6749 §6, rotation as RFC 9700 §4.14.2 has it).
    ///
    /// - Parameter app: the app of ours that presents it; nil for who names none.
    /// - Returns: the session, and the text of its refresh token.
    /// - Throws: `ServiceError.invalidGrant`; after the reuse of a rotated token the whole session family is gone.
    func refresh(
        _ refreshToken: String, by app: RegisteredApp?
    ) async throws(ServiceError) -> (session: Session, refreshToken: String) {
        let now = clock.seconds
        guard let presented = try await refreshTokens.presented(refreshToken, now: now) else {
            throw .invalidGrant(.unknownRefreshToken)
        }
        let terms = tokenIssuer.terms(for: app)
        let record = RefreshRecord(
            session: presented.session, presented: presented.token, client: app?.clientID,
            expiresAt: terms.expiry(now: now), absoluteSeconds: terms.absoluteSeconds, isReusable: terms.isReusable,
            graceSeconds: tokenIssuer.configuration.refreshGraceSeconds, now: now)
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.refresh(record)
        }
        switch outcome {
        case .rotated(let session), .repeated(let session), .extended(let session):
            return (session, try await refreshTokens.text(of: terms.token(of: session)))
        case .repeatedEarlier(let session, let wrapped):
            guard let successor = presented.earlier?.unwrapped(wrapped) else {
                throw .invalidGrant(.unknownRefreshToken)
            }
            return (session, successor.text)
        case .reused: throw .invalidGrant(.reusedRefreshToken)
        case .refused: throw .invalidGrant(.unknownRefreshToken)
        }
    }
}
