internal import Accounts
public import Apps
internal import Crypto
internal import JOSE
internal import JSON
internal import OpenIDConnect
import Syntax

/// The tokens of our own apps: a one-time code for the first ones, and a refresh token for those that follow.
public struct AppTokens: Sendable {
    /// For how long a redeemed code is known again, in seconds: whoever has stolen one tries it soon.
    private static let memorySeconds: Int64 = 3600

    /// The tokens of one answer (OpenID Connect Core §3.1.3.3).
    public struct Answer: Sendable {
        public let tokens: TokenIssuer.Tokens
        /// nil unless the app has asked for `openid`.
        public let idToken: String?
        /// What the app may learn; nil for everything.
        public let scope: String?
    }

    let repository: any BrowserSignInRepository & UserRepository
    let providers: ProviderDirectory
    let sessions: Sessions
    let tokenIssuer: TokenIssuer
    let clock: Clock

    /// Redeems a one-time code (RFC 6749 §4.1.3, RFC 7636 §4.6).
    ///
    /// - Throws: `ServiceError.invalidGrant`; after a second use by whoever has the verifier the session has ended.
    public func redeem(
        _ code: String, redirectURI: String, codeVerifier: String, for app: RegisteredApp
    ) async throws(ServiceError) -> Answer {
        let now = clock.seconds
        let terms = tokenIssuer.terms(for: app)
        let redemption = AppCodeRedemption(
            code: TokenHash(sha256: code), client: app.clientID, redirectURI: redirectURI,
            codeChallenge: PKCE.challenge(of: codeVerifier),
            sessionExpiresAt: terms.firstExpiry(now: now), rememberedUntil: now + Self.memorySeconds, now: now)
        let outcome = try await stored { () throws(RepositoryError) in try await repository.redeem(redemption) }
        switch outcome {
        case .redeemed(let session, let nonce):
            let refreshToken = try await tokenIssuer.refreshTokens.text(of: terms.token(of: session))
            return try await answer(session, refreshToken, for: app, nonce: nonce, now: now)
        case .reused: throw .invalidGrant(.reusedAppCode)
        case .refused: throw .invalidGrant(.invalidAppCode)
        }
    }

    /// Exchanges a refresh token for new tokens (RFC 6749 §6).
    ///
    /// - Parameter app: who presents it, as whose session it must have been opened.
    public func refresh(_ refreshToken: String, for app: RegisteredApp) async throws(ServiceError) -> Answer {
        let (session, text) = try await sessions.refresh(refreshToken, by: app)
        return try await answer(session, text, for: app, nonce: nil, now: clock.seconds)
    }

    /// The tokens of a session of an app's.
    ///
    /// - Parameter nonce: the app's; nil where it has sent none with this.
    func answer(
        _ session: Session, _ refreshToken: String, for app: RegisteredApp, nonce: String?, now: Int64
    ) async throws(ServiceError) -> Answer {
        let tokens = try tokenIssuer.tokens(of: session, refreshToken: refreshToken, now: now)
        guard let scope = session.scope, AppScope(scope).contains("openid") else {
            return Answer(tokens: tokens, idToken: nil, scope: session.scope)
        }
        let user = try await stored { () throws(RepositoryError) in try await repository.user(session.user) }
        guard let user else { throw .invalidToken }
        let idToken = try tokenIssuer.idToken(
            for: user, of: session, by: providers, nonce: nonce, accessToken: tokens.accessToken,
            signedBy: app.idTokenAlgorithm, now: now)
        return Answer(tokens: tokens, idToken: idToken, scope: scope)
    }
}

extension TokenIssuer {
    /// Signs an ID token for one of our own apps (OpenID Connect Core §2).
    ///
    /// - Parameters:
    ///   - providers: whose word the claims are.
    ///   - nonce: the app's; nil also when tokens are refreshed (§12.2).
    ///   - accessToken: the one that goes with it.
    ///   - algorithm: what the app is registered for.
    func idToken(
        for user: User, of session: Session, by providers: ProviderDirectory, nonce: String?, accessToken: String,
        signedBy algorithm: SigningAlgorithm, now: Int64
    ) throws(ServiceError) -> String {
        guard let signer = try? keys.idTokenSigner(algorithm) else { throw .overloaded }
        var claims = JSONWriter(reservingCapacity: 768)
        claims.object { claims in
            claims.member("iss", configuration.issuer.text)
            claims.member("sub", user.id.description)
            claims.member("aud", session.client)
            claims.member("exp", now + configuration.accessTokenSeconds)
            claims.member("iat", now)
            if let nonce { claims.member("nonce", nonce) }
            claims.authentication(session.authentication)
            claims.member("at_hash", JOSE.TokenHash.leftHalf(of: accessToken, algorithm: signer.algorithm))
            claims.member("sid", session.id.description)
            claims.userClaims(user, of: session, by: providers)
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
    func idTokenHint(_ token: String) -> (client: String, bearer: Bearer)? {
        guard
            let verified = try? JWS.verify(
                token, keys: keys.verifyingIDTokens, allowed: [.rs256, .es256], maximumByteCount: Self.maximumTokenBytes
            ),
            verified.header.hasType(SessionKeys.idTokenType.lowercased()),
            let claims = try? JSONValue(parsing: verified.payload.span),
            claims["iss"]?.string == configuration.issuer.text, let client = claims["aud"]?.string,
            let user = claims["sub"]?.string.flatMap({ Int64($0) }),
            let session = claims["sid"]?.string.flatMap({ SessionID($0) })
        else { return nil }
        return (client, Bearer(user: UserID(rawValue: user), session: session))
    }
}
