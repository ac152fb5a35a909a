public import Accounts
public import Apps
package import System

/// Who a session token speaks for, and what else one can do with a session: read its user, refresh it, end it.
public struct Sessions: Sendable {
    private let repository: any SessionRepository & UserRepository & BudgetRepository
    private let tokenIssuer: TokenIssuer
    let rights: SessionRights
    /// How often a user's replaced refresh tokens get their answers again; nil for any number.
    private let repeats: Budget?
    private let clock: Clock

    init(
        repository: any SessionRepository & UserRepository & BudgetRepository, tokenIssuer: TokenIssuer,
        apps: AppRegistry, providers: ProviderRegistry, repeats: Budget? = nil, clock: Clock
    ) {
        (self.repository, self.tokenIssuer) = (repository, tokenIssuer)
        rights = SessionRights(
            configuration: tokenIssuer.configuration, apps: apps, providers: providers)
        (self.repeats, self.clock) = (repeats, clock)
    }

    private var refreshTokens: RefreshTokens { tokenIssuer.refreshTokens }

    /// What a session may be used for now; nothing where its app is not configured any more.
    public func permissions(of session: Session) -> Permissions {
        rights.owner(of: session).map { rights.permissions(of: session, $0, narrowed: nil) } ?? []
    }

    /// The JWK set document that verifies our tokens.
    public var keyDocument: [UInt8] { tokenIssuer.keyDocument }

    /// The `sub` of a session's user.
    public func subject(of session: Session) -> String { tokenIssuer.subject(of: session) }

    /// Who an access token speaks for, and what it can be used for here. Revocation counts at once: the repository is
    /// asked each time.
    ///
    /// - Parameter client: an app that has proved itself beside the token: one that is made out to it will do as well.
    /// - Throws: `ServiceError.invalidToken`, also for a token that is made out to somebody else, and for one of an app
    ///   that is not configured any more; `.storageUnavailable`.
    public func principal(
        of accessToken: String, shownBy client: RegisteredApp? = nil
    ) async throws(ServiceError) -> Principal {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: now, now: now) else { throw .invalidToken }
        let session = try await stored { () throws(RepositoryError) in
            try await repository.session(bearer.session, now: now)
        }
        return try principal(bearer, session, shownBy: client)
    }

    /// The same with the user, in one look into the store.
    public func authenticatedUser(of accessToken: String) async throws(ServiceError) -> (
        principal: Principal, user: User
    ) {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: now, now: now) else { throw .invalidToken }
        let authenticated = try await stored { () throws(RepositoryError) in
            try await repository.authenticatedUser(of: bearer.session, now: now)
        }
        guard let authenticated else { throw .invalidToken }
        return (try principal(bearer, authenticated.session, shownBy: nil), authenticated.user)
    }

    private func principal(
        _ bearer: TokenIssuer.Bearer, _ session: Session?, shownBy client: RegisteredApp?
    ) throws(ServiceError) -> Principal {
        guard let session, tokenIssuer.subject(of: session) == bearer.subject, let owner = rights.owner(of: session),
            rights.isOurs(bearer.audience, owner) || bearer.audience == client?.clientID
        else { throw .invalidToken }
        return Principal(
            session: session, app: owner.app,
            permissions: rights.permissions(of: session, owner, narrowed: bearer.permissions),
            audience: bearer.audience)
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
        let principal = try await principal(of: accessToken)
        let user = try await stored { () throws(RepositoryError) in
            try await repository.user(principal.user)
        }
        guard let user else { throw .invalidToken }
        return user
    }

    /// Ends the session of an access token, which may have expired; none of its tokens works any more when this
    /// returns.
    ///
    /// - Throws: `ServiceError.invalidToken` for what is no token of ours, is made out to somebody else, or has no
    ///   session any more; `.storageUnavailable`.
    public func signOut(_ accessToken: String) async throws(ServiceError) {
        let isSignedOut = try await endSession(of: accessToken) { rights.isOurs($0, .poster) }
        guard isSignedOut else { throw .invalidToken }
    }

    /// Ends the session of a token of either kind (RFC 7009 §2.1): an access token, which may have expired, or a
    /// refresh token, also one that was replaced. What is no token of ours opens nothing anyway, so there is nothing to
    /// tell.
    ///
    /// - Parameter app: who asks, proven where it has a secret; nil for who names no app.
    /// - Throws: `ServiceError.invalidGrant` for a token of another client (§2.1); `.invalidClient` for one of an app
    ///   that has a secret and has not shown it.
    public func revoke(_ token: String, for app: RegisteredApp?) async throws(ServiceError) {
        let now = clock.seconds
        if let session = try await session(ofAny: token, now: now) {
            if let app, session.app != app.clientID { throw .invalidGrant(.unknownRefreshToken) }
            if app == nil, case .app(let owner)? = rights.owner(of: session), owner.secret != nil {
                throw .invalidClient
            }
        }
        guard let presented = try await refreshTokens.presented(token, now: now) else {
            _ = try await endSession(of: token) { _ in true }
            return
        }
        _ = try await stored { () throws(RepositoryError) in
            try await repository.revokeSession(presented.session, presenting: presented.token, now: now)
        }
    }

    /// The session that a sign-in takes the place of (OWASP ASVS 5.0, 7.2.4), by a token of it of either kind, also an
    /// access token that has expired and a refresh token that was replaced. Whose session it is does not matter: where
    /// somebody else signs in on the same device, the one before is signed out.
    ///
    /// - Parameters:
    ///   - token: nil where none was shown.
    ///   - app: who signs in, proven where it has a secret; nil for who is no app of ours.
    /// - Returns: nil for a token that opens nothing any more, as at a revocation, and for one of another client's.
    /// - Throws: `ServiceError.storageUnavailable`.
    public func replaced(by token: String?, for app: RegisteredApp?) async throws(ServiceError) -> SessionID? {
        guard let token, !token.isEmpty else { return nil }
        let now = clock.seconds
        let id: SessionID
        let isOwn: (Session) -> Bool
        if let presented = try await refreshTokens.presented(token, now: now) {
            // Those of the earlier form say not whose they are, and were all replaced long ago.
            guard case .signed(_, user: let owner) = presented.token else { return nil }
            (id, isOwn) = (presented.session, { $0.user == owner })
        } else if let bearer = try await bearer(of: token, at: nil, now: now) {
            (id, isOwn) = (bearer.session, { tokenIssuer.subject(of: $0) == bearer.subject })
        } else {
            return nil
        }
        let session = try await stored { () throws(RepositoryError) in try await repository.session(id, now: now) }
        guard let session, isOwn(session), session.app == app?.clientID else { return nil }
        return id
    }

    /// The live session of a token of either kind.
    private func session(ofAny token: String, now: Int64) async throws(ServiceError) -> Session? {
        let presented = try await refreshTokens.presented(token, now: now)?.session
        let id = if let presented { presented } else { try await bearer(of: token, at: nil, now: now)?.session }
        guard let id else { return nil }
        return try await stored { () throws(RepositoryError) in try await repository.session(id, now: now) }
    }

    /// - Parameter isTaken: whether a token for that audience will do.
    /// - Returns: whether there was one.
    private func endSession(
        of accessToken: String, isTaken: (_ audience: String) -> Bool
    ) async throws(ServiceError) -> Bool {
        let now = clock.seconds
        guard let bearer = try await bearer(of: accessToken, at: nil, now: now), isTaken(bearer.audience) else {
            return false
        }
        return try await stored { () throws(RepositoryError) in
            guard let session = try await repository.session(bearer.session, now: now),
                tokenIssuer.subject(of: session) == bearer.subject
            else { return false }
            return try await repository.revokeSession(session.id, of: session.user, now: now)
        }
    }

    /// Exchanges a refresh token of a session that is no app's of ours for a new pair.
    ///
    /// - Throws: as below.
    public func refresh(
        _ refreshToken: String, for asked: RequestedAccess
    ) async throws(ServiceError) -> TokenIssuer.Tokens {
        let audience = try asked.audience.map { resource throws(ServiceError) in
            try rights.audience(asked: resource, for: .poster)
        }
        let (session, text) = try await refresh(refreshToken, by: nil)
        var permissions: Permissions?
        if let narrower = asked.permissions {
            permissions = try asked.granted(rights.permissions(of: session, .poster, narrowed: narrower))
        }
        return try tokenIssuer.tokens(
            of: session, to: audience ?? rights.audience(of: session, .poster), permissions: permissions,
            refreshToken: text, now: clock.seconds)
    }

    /// Exchanges a refresh token for the next one (RFC 6749 §6, rotation as RFC 9700 §4.14.2 has it).
    ///
    /// - Parameter app: the app of ours that presents it; nil for who names none.
    /// - Returns: the session, and the text of its refresh token.
    /// - Throws: `ServiceError.invalidGrant`; after the reuse of a rotated token the whole session family is gone;
    ///   `.rateLimited` where a replaced token comes again too often.
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
            repeats: tokenIssuer.configuration.refreshRepeats, now: now)
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.refresh(record)
        }
        switch outcome {
        case .rotated(let session), .repeated(let session), .extended(let session):
            guard rights.goesOn(session) else {
                _ = try await stored { () throws(RepositoryError) in
                    try await repository.revokeSession(session.id, of: session.user, now: now)
                }
                throw .invalidGrant(.unknownRefreshToken)
            }
            if case .repeated = outcome { try await takeRepeat(of: session, now: now) }
            return (session, try await refreshTokens.text(of: terms.token(of: session)))
        case .repeatedEarlier(let session, let wrapped):
            try await takeRepeat(of: session, now: now)
            guard let successor = presented.earlier?.unwrapped(wrapped) else {
                throw .invalidGrant(.unknownRefreshToken)
            }
            return (session, successor.text)
        case .reused: throw .invalidGrant(.reusedRefreshToken)
        case .locked: throw .invalidGrant(.locked)
        case .refused: throw .invalidGrant(.unknownRefreshToken)
        }
    }

    private func takeRepeat(of session: Session, now: Int64) async throws(ServiceError) {
        try await repository.take(repeats, for: String(session.user.rawValue), as: .refreshRepeats, now: now)
    }
}

extension SessionRepository {
    /// Ends all sessions of a scope, by an operator's word. They are over as soon as the line is on disk, at every
    /// instance; then their rows go.
    ///
    /// - Parameter reauthenticate: whether users have to authenticate anew at their provider.
    /// - Returns: how many there were.
    package func endAll(
        _ scope: SessionScope, reauthenticate: Bool, _ clock: Clock
    ) async throws(RepositoryError) -> Int {
        // What another instance was storing while the first line was, and could not see it, lies before the second.
        for isNoted in [true, false] {
            let line = NotBefore(drawnAt: clock.milliseconds, reauthenticate: reauthenticate)
            try await draw(line, for: scope, isNoted: isNoted, now: clock.seconds)
        }
        var ended = 0
        var position: SessionID?
        repeat {
            let step = try await removeBarredSessions(after: position, now: clock.seconds)
            ended += step.ended
            position = step.next
        } while position != nil
        return ended
    }
}
