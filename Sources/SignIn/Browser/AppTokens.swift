public import Accounts
public import Apps
internal import Crypto
internal import JOSE
internal import JSON
internal import Providers
import Syntax
internal import System

/// The tokens of our own apps: a one-time code for the first ones, and a refresh token for those that follow.
public struct AppTokens: Sendable {
    /// For how long a redeemed code is known again, in seconds: a thief tries a stolen one soon.
    private static let memorySeconds: Int64 = 3600
    /// How long a request that is sent again waits for the note that its first answer was lost, and between two looks.
    private static let (longestWaitForLoss, pause) = (Duration.seconds(2), Duration.milliseconds(20))

    /// The tokens of one answer (OpenID Connect Core §3.1.3.3).
    public struct Answer: Sendable {
        public let tokens: TokenIssuer.Tokens
        /// nil unless the app was granted `openid`.
        public let idToken: String?
        /// What the access token can be used for.
        public let permissions: Permissions
        /// What the user has declined of what the app has asked for; nil for nothing.
        public let declined: String?
        /// Proof for third parties of what the user has approved with the sign-in (RFC 7519); nil where that is
        /// nothing.
        public internal(set) var receipt: String?
        /// Whether the sign-in came with a port token that names another user (``SignedIn/isMergeOffered``).
        public internal(set) var isMergeOffered = false
    }

    let repository: any BrowserSignInRepository & UserRepository & ReceiptRepository
    let providers: ProviderRegistry
    let sessions: Sessions
    let tokenIssuer: TokenIssuer
    let clock: Clock

    /// Redeems a one-time code (RFC 6749 §4.1.3, RFC 7636 §4.6).
    ///
    /// - Parameters:
    ///   - request: the request: the same again gets the same session while its answer is on its way, or was lost.
    ///   - replacedToken: of the session that the new one takes the place of (``Sessions/replaced(by:for:)``).
    /// - Throws: `.unlinked` with the ticket of somebody who has to register; `ServiceError.invalidGrant`; after a
    ///   second use by one who has the verifier the session has ended. `.unauthorizedClient`, `.invalidTarget`, before
    ///   the code is looked at.
    public func redeem(
        _ code: String, redirectURI: String?, codeVerifier: String, for app: RegisteredApp,
        asking asked: RequestedAccess, as request: RequestDigest, replacing replacedToken: String?
    ) async throws(ServiceError) -> Answer {
        guard app.rights.grants.contains(.authorizationCode) else { throw .unauthorizedClient }
        let audience = try audience(asked, for: app)
        let replaced = try await sessions.replaced(by: replacedToken, for: app)
        let now = clock.seconds
        let terms = tokenIssuer.terms(for: app)
        var redemption = AppCodeRedemption(
            code: TokenHash(sha256: code), client: app.clientID, redirectURI: redirectURI,
            codeChallenge: PKCE.challenge(of: codeVerifier),
            sessionExpiresAt: terms.firstExpiry(now: now), rememberedUntil: now + Self.memorySeconds,
            request: request, replaces: replaced, now: now)
        switch try await outcome(of: &redemption) {
        case .redeemed(let session, let nonce):
            let token = terms.token(of: session)
            var answer = try await answer(session, token, for: app, asked, to: audience, nonce: nonce, now: now)
            answer.isMergeOffered = session.isMergeOffered
            if answer.permissions.contains(.transactions) {
                answer.receipt = try await tokenIssuer.receipt(ofSignInTo: session, in: repository)
            }
            return answer
        case .reused, .handedOver: throw .invalidGrant(.reusedAppCode)
        case .refused:
            if let ticket = try await waitingTicket(under: code, redemption) { throw .unlinked(ticket) }
            throw .invalidGrant(.invalidAppCode)
        }
    }

    /// Redeems a code. A request that is sent again right after its connection broke may come before the note of that,
    /// and would be taken for a second use: so it waits for the note, for a moment.
    private func outcome(of redemption: inout AppCodeRedemption) async throws(ServiceError) -> AppCodeOutcome {
        let end = ContinuousClock.now + Self.longestWaitForLoss
        while true {
            redemption.mayWait = ContinuousClock.now < end
            let outcome = try await stored { [redemption] () throws(RepositoryError) in
                try await repository.redeem(redemption)
            }
            guard outcome == .handedOver else { return outcome }
            // A caller that goes away while it waits has not used the code a second time.
            do { try await Task.sleep(for: Self.pause) } catch { throw .overloaded }
        }
    }

    /// What the sign-in that a code is of is called in logs, by the code itself.
    public static func correlationID(of code: String) -> String? { AppCode.correlationID(in: code) }

    /// Notes what has become of the answer to a code's redemption. Where that can't be stored, the code may be redeemed
    /// again by the same request, for a moment, or may not: neither lets anybody in whom it kept out.
    public func note(_ delivery: AppCodeDelivery, of code: String) async {
        try? await repository.note(delivery, of: TokenHash(sha256: code))
    }

    /// Exchanges a refresh token for new tokens (RFC 6749 §6).
    ///
    /// - Parameter app: who presents it, as whose session it must have been opened.
    public func refresh(
        _ refreshToken: String, for app: RegisteredApp, asking asked: RequestedAccess
    ) async throws(ServiceError) -> Answer {
        guard app.rights.grants.contains(.refreshToken) else { throw .unauthorizedClient }
        let audience = try audience(asked, for: app)
        let (session, text) = try await sessions.refresh(refreshToken, by: app)
        let granted = sessions.rights.permissions(of: session, .app(app), narrowed: nil)
        // What was taken out of the app's section since is over.
        guard app.hasRefreshTokens(with: granted) else { throw .invalidGrant(.unknownRefreshToken) }
        return try await answer(session, text, for: app, asked, to: audience, nonce: nil, now: clock.seconds)
    }

    /// The first tokens of a session of an app's.
    ///
    /// - Parameter token: the refresh token that it has, if it is to have one.
    func answer(
        _ session: Session, _ token: RefreshToken, for app: RegisteredApp, _ asked: RequestedAccess,
        to audience: String?, nonce: String?, now: Int64
    ) async throws(ServiceError) -> Answer {
        let granted = sessions.rights.permissions(of: session, .app(app), narrowed: nil)
        let text =
            app.hasRefreshTokens(with: granted) ? try await tokenIssuer.refreshTokens.text(of: token) : nil
        return try await answer(session, text, for: app, asked, to: audience, nonce: nonce, now: now)
    }

    /// - Parameters:
    ///   - audience: whom the access token is made out to; nil for whom the session's usually are.
    ///   - nonce: the app's; nil where it has sent none with this.
    private func answer(
        _ session: Session, _ refreshToken: String?, for app: RegisteredApp, _ asked: RequestedAccess,
        to audience: String?, nonce: String?, now: Int64
    ) async throws(ServiceError) -> Answer {
        let rights = sessions.rights
        let permissions = try asked.granted(
            rights.permissions(of: session, .app(app), narrowed: asked.permissions))
        let tokens = try tokenIssuer.tokens(
            of: session, to: audience ?? rights.audience(of: session, .app(app)), permissions: permissions,
            refreshToken: refreshToken, now: now)
        guard permissions.contains(.openid) else {
            return Answer(tokens: tokens, idToken: nil, permissions: permissions, declined: session.declined)
        }
        let user = try await stored { () throws(RepositoryError) in try await repository.user(session.user) }
        guard let user else { throw .invalidToken }
        let idToken = try tokenIssuer.idToken(
            for: user, of: session, permissions, by: providers, nonce: nonce, accessToken: tokens.accessToken,
            signedBy: app.idTokenAlgorithm, now: now)
        return Answer(tokens: tokens, idToken: idToken, permissions: permissions, declined: session.declined)
    }

    private func audience(_ asked: RequestedAccess, for app: RegisteredApp) throws(ServiceError) -> String? {
        guard let audience = asked.audience else { return nil }
        return try sessions.rights.audience(asked: audience, for: .app(app))
    }
}

extension TokenIssuer {
    /// Signs an ID token for one of our own apps (OpenID Connect Core §2).
    ///
    /// - Parameters:
    ///   - permissions: which claims about the user it has.
    ///   - providers: whose word the claims are.
    ///   - nonce: the app's; nil also when tokens are refreshed (§12.2).
    ///   - accessToken: the one that goes with it.
    ///   - algorithm: what the app is registered for.
    func idToken(
        for user: User, of session: Session, _ permissions: Permissions, by providers: ProviderRegistry,
        nonce: String?, accessToken: String,
        signedBy algorithm: SigningAlgorithm, now: Int64
    ) throws(ServiceError) -> String {
        guard let signer = try? keys.idTokenSigner(algorithm) else { throw .overloaded }
        var claims = JSONWriter(reservingCapacity: 768)
        claims.object { claims in
            claims.member("iss", configuration.issuer.text)
            claims.member("sub", subject(of: session))
            claims.member("aud", session.client)
            claims.member("exp", now + configuration.accessTokenSeconds)
            claims.member("iat", now)
            if let nonce { claims.member("nonce", nonce) }
            claims.authentication(session.authentication)
            claims.member("at_hash", LeftHalfHash.leftHalf(of: accessToken, algorithm: signer.algorithm))
            claims.member("sid", session.id.description)
            claims.userClaims(user, of: session, UserClaims(permissions), by: providers)
        }
        do {
            return try signer.sign(claims.bytes)
        } catch {
            throw .overloaded
        }
    }

    /// Whose session an ID token of ours is about, expired or not (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Returns: nil for what is none.
    func idTokenHint(_ token: String) -> (client: String, subject: String, session: SessionID)? {
        guard
            let verified = try? JWS.verify(
                token, keys: keys.verifyingIDTokens, allowed: [.rs256, .es256],
                maximumByteCount: IDTokenVerifier.maximumTokenBytes),
            verified.header.hasType(SessionKeys.idTokenType.lowercased()),
            let claims = try? JSONValue(parsing: verified.payload.span),
            claims["iss"]?.string == configuration.issuer.text, let client = claims["aud"]?.string,
            let subject = claims["sub"]?.string,
            let session = claims["sid"]?.string.flatMap({ SessionID($0) })
        else { return nil }
        return (client, subject, session)
    }
}
