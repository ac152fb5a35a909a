public import Accounts
public import Apps
internal import Crypto
internal import JOSE
internal import JSON
public import Syntax

/// Makes and checks the tokens of our own sessions (RFC 9068 for access tokens; their type and algorithm are the
/// operator's choice).
///
/// An access token says who and which session, and nothing personal. Refresh tokens are ``RefreshTokens``' matter.
public struct TokenIssuer: Sendable {
    /// What the operator chose.
    public struct Configuration: Sendable {
        /// The `iss` of our tokens: the public base URL of this service.
        public var issuer: BaseURL
        /// The `aud` of access tokens for who posts codes: the app maker's own app, and their backend.
        public var audience: String
        /// Whether who posts codes gets tokens for this service, and those for ``audience`` only by asking.
        public var splitsAudiences: Bool
        /// What apps see as `sub`, which is the store's.
        public var subjects: SubjectForm
        /// What sessions of posted codes may do.
        public var permissions: Permissions
        /// What sessions may do that were opened by a provider's access token.
        public var exchangePermissions: Permissions
        public var accessTokenSeconds: Int64
        public var refreshTokenSeconds: Int64
        /// For how long a refresh token that was replaced gets the same answer again: a phone that lost the answer in a
        /// tunnel tries again with the old one.
        public var refreshRepeats: RefreshRepeat
        /// How long a session lasts however often it is refreshed; nil for no end.
        public var absoluteSeconds: Int64?
        /// How many sessions a user may have that a sign-in has opened. Nil for any number.
        public var maximumSessionsPerUser: Int64?
        /// How many of those of one app.
        public var maximumSessionsPerApp: Int64?
        /// The same of those that the exchange of a provider's access token has opened.
        public var maximumExchangedSessionsPerUser: Int64?
        /// How long ago a user may have authenticated to do what could take the account over; nil for any time.
        public var sensitiveMaximumAgeSeconds: Int64?

        public init(
            issuer: BaseURL, audience: String, splitsAudiences: Bool = false, subjects: SubjectForm = .reference,
            permissions: Permissions = .everything, exchangePermissions: Permissions = .ofExchanges,
            accessTokenSeconds: Int64, refreshTokenSeconds: Int64,
            refreshRepeats: RefreshRepeat, absoluteSeconds: Int64?, maximumSessionsPerUser: Int64?,
            maximumSessionsPerApp: Int64? = nil, maximumExchangedSessionsPerUser: Int64?,
            sensitiveMaximumAgeSeconds: Int64?
        ) {
            (self.issuer, self.audience, self.splitsAudiences) = (issuer, audience, splitsAudiences)
            (self.subjects, self.permissions, self.exchangePermissions) = (subjects, permissions, exchangePermissions)
            (self.accessTokenSeconds, self.refreshTokenSeconds) = (accessTokenSeconds, refreshTokenSeconds)
            (self.refreshRepeats, self.absoluteSeconds) = (refreshRepeats, absoluteSeconds)
            self.maximumSessionsPerUser = maximumSessionsPerUser
            self.maximumSessionsPerApp = maximumSessionsPerApp
            self.maximumExchangedSessionsPerUser = maximumExchangedSessionsPerUser
            self.sensitiveMaximumAgeSeconds = sensitiveMaximumAgeSeconds
        }

        /// Whom the tokens of who posts codes are made out to unless they ask otherwise.
        package var audienceOfPosters: String { splitsAudiences ? issuer.text : audience }

        /// What a session may do that is no app's of ours.
        ///
        /// - Parameter source: what has opened it.
        func permissions(ofPosters source: SessionSource) -> Permissions {
            source == .tokenExchange ? exchangePermissions.intersection(permissions) : permissions
        }

        func sessionLimits(openedBy source: SessionSource) -> SessionLimits? {
            switch source {
            case .signIn: SessionLimits(inAll: maximumSessionsPerUser, perApp: maximumSessionsPerApp)
            case .tokenExchange: SessionLimits(inAll: maximumExchangedSessionsPerUser, perApp: nil)
            }
        }

        /// The `aud` of receipts: an address below the issuer's, whatever the audience of access tokens is, so that
        /// nobody who takes those ever takes a receipt for one.
        public var receiptAudience: String { issuer.address("/receipts") }
    }

    /// The tokens of one answer.
    public struct Tokens: Sendable {
        public let accessToken: String
        /// Nil for an app that has none.
        public let refreshToken: String?
        /// How long the access token is good for, in seconds.
        public let expiresIn: Int64
    }

    /// Whom a verified access token speaks for.
    struct Bearer: Sendable {
        /// The `sub`, by which a session is known to be its own (``TokenIssuer/subject(of:)``).
        let subject: String
        let session: SessionID
        /// Whom it is made out to.
        let audience: String
        /// What it was narrowed to; nil for one that says nothing of a scope.
        let permissions: Permissions?
    }

    static let maximumTokenBytes = 4096

    public let configuration: Configuration
    let keys: SessionKeys
    private let signingKeys: any SigningKeyRepository
    /// How long the first refresh token of a session works that is no app's of ours.
    private let firstSeconds: Int64
    package let refreshTokens: RefreshTokens

    /// - Parameters:
    ///   - keys: what access tokens and receipts are signed with.
    ///   - repository: where newer ones are found, and the keys of refresh tokens.
    public init(
        configuration: Configuration, keys: SessionKeys,
        repository: any SigningKeyRepository & SecretKeyRepository
    ) {
        (self.configuration, self.keys) = (configuration, keys)
        signingKeys = repository
        firstSeconds = RefreshTerms(of: nil, configuration).firstSeconds
        refreshTokens = RefreshTokens(repository: repository)
    }

    /// The JWK set document that verifies our tokens.
    public var keyDocument: [UInt8] { keys.document }

    /// When the first refresh token of a session stops working that is no app's of ours.
    package func firstExpiry(now: Int64) -> Int64 { now + firstSeconds }

    /// How long the sessions of a client last.
    func terms(for app: RegisteredApp?) -> RefreshTerms { RefreshTerms(of: app, configuration) }

    /// A new session's name.
    ///
    /// - Parameter milliseconds: since 1970.
    func makeSessionID(at milliseconds: Int64) -> SessionID {
        Random.withBytes(16) { bytes in
            func word(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
            return SessionID(milliseconds: milliseconds, random: (word(0..<8), word(8..<16)))
        }
    }

    /// A new user's public reference, which stands where stock clients expect a carrier's `sub`.
    package static func makeReference() -> String { Random.token(byteCount: 16) }

    /// The tokens of a session that was just opened and is no app's of ours.
    ///
    /// - Parameter audience: whom the access token is made out to; nil for whom such tokens usually are.
    func openSession(
        _ session: NewSession, of signedIn: SignedIn, to audience: String? = nil, now: Int64
    ) async throws(ServiceError) -> Tokens {
        let subject = signedIn.subject(as: configuration.subjects)
        return Tokens(
            accessToken: try accessToken(
                for: subject, session: session.id, client: session.client,
                to: audience ?? configuration.audienceOfPosters, permissions: nil, session.authentication, now: now),
            refreshToken: try await refreshTokens.text(
                of: RefreshToken(of: session, user: signedIn.user, subject: subject, now: now)),
            expiresIn: configuration.accessTokenSeconds)
    }

    /// The first tokens once more, of a session that is no app's of ours.
    func firstTokens(
        of session: Session, to audience: String? = nil, now: Int64
    ) async throws(ServiceError) -> Tokens {
        try tokens(
            of: session, to: audience ?? configuration.audienceOfPosters, permissions: nil,
            refreshToken: try await refreshTokens.text(of: RefreshToken(of: session, as: configuration.subjects)),
            now: now)
    }

    /// The tokens of a session that goes on.
    ///
    /// - Parameters:
    ///   - audience: whom the access token is made out to.
    ///   - permissions: what it can be used for; nil for all that its session can at any time.
    ///   - refreshToken: the text of the one that counts now; nil where there is none.
    package func tokens(
        of session: Session, to audience: String, permissions: Permissions?, refreshToken: String?, now: Int64
    ) throws(ServiceError) -> Tokens {
        Tokens(
            accessToken: try accessToken(
                for: subject(of: session), session: session.id, client: session.client, to: audience,
                permissions: permissions, session.authentication, now: now),
            refreshToken: refreshToken, expiresIn: configuration.accessTokenSeconds)
    }

    /// The `sub` of a session's user.
    func subject(of session: Session) -> String { session.subject(as: configuration.subjects) }

    /// Signs an access token.
    ///
    /// - Parameter subject: the user's `sub`.
    /// - Throws: `ServiceError.overloaded` if the signature can't be made, which no input causes.
    func accessToken(
        for subject: String, session: SessionID, client: String, to audience: String, permissions: Permissions?,
        _ authentication: Authentication, now: Int64
    ) throws(ServiceError) -> String {
        var claims = JSONWriter(reservingCapacity: 384)
        claims.object { claims in
            claims.member("iss", configuration.issuer.text)
            claims.member("sub", subject)
            claims.member("aud", audience)
            claims.member("client_id", client)
            if let permissions { claims.member("scope", permissions.scope) }
            claims.member("sid", session.description)
            claims.member("iat", now)
            claims.member("exp", now + configuration.accessTokenSeconds)
            claims.member("jti", Random.token(byteCount: 16))
            claims.authentication(authentication)
        }
        do {
            return try keys.signer.sign(claims.bytes)
        } catch {
            throw .overloaded
        }
    }

    /// Signs a receipt: proof for third parties that the user approved that text. Type, audience and key are receipts'
    /// own, which keeps it from ever passing for an access token.
    ///
    /// - Parameter session: the session that it was made under.
    func receipt(_ receipt: Receipt, under session: Session) throws(ServiceError) -> String {
        var claims = JSONWriter(reservingCapacity: 512)
        claims.object { claims in
            claims.member("iss", configuration.issuer.text)
            claims.member("sub", subject(of: session))
            claims.member("aud", configuration.receiptAudience)
            claims.member("sid", receipt.session.description)
            claims.member("iat", receipt.createdAt)
            claims.member("jti", receipt.id)
            if let nonce = receipt.nonce { claims.member("nonce", nonce) }
            claims.member("context_hash", Base64URL.encode(receipt.contextHash.bytes))
            claims.member("context_hash_alg", "sha-256")
            claims.authentication(receipt.authentication)
            claims.member("client_id", receipt.client)
        }
        do {
            return try keys.receiptSigner.sign(claims.bytes)
        } catch {
            throw .overloaded
        }
    }

    /// A new receipt's name.
    func makeReceiptID() -> String { Random.token(byteCount: 16) }

    /// Checks an access token's signature, type, issuer and time. Whether its session still lives is the repository's
    /// to say; whether its audience will do is for those who are shown it.
    ///
    /// - Parameter time: when it must be good, in seconds since 1970; nil for any time.
    /// - Returns: nil when any of them is wrong.
    func bearer(of token: String, at time: Int64?) -> Bearer? { access(of: token, at: time)?.bearer }

    /// The same, with the time that the token expires at, in seconds since 1970.
    func access(of token: String, at time: Int64?) -> (bearer: Bearer, expiresAt: Int64)? {
        guard let verified = keys.verified(token, else: Self.verify), verified.issuer == configuration.issuer.text,
            time.map({ $0 < verified.expiresAt }) ?? true
        else { return nil }
        return (verified.bearer, verified.expiresAt)
    }

    /// What a token says whose signature, type and claims are those of an access token of ours, whenever it is good.
    private static func verify(_ token: String, by keys: SessionKeySet) -> VerifiedToken? {
        guard
            let verified = try? JWS.verify(
                token, keys: keys.verifying, allowed: keys.algorithms, maximumByteCount: maximumTokenBytes),
            isAccessToken(verified.header, of: keys.format),
            let claims = try? JSONValue(parsing: verified.payload.span),
            // Which no ID token has, whatever its type is called.
            claims["client_id"]?.string != nil,
            let issuer = claims["iss"]?.string, let audience = claims["aud"]?.string,
            let expires = claims["exp"]?.integer, let subject = claims["sub"]?.string,
            let session = claims["sid"]?.string.flatMap({ SessionID($0) })
        else { return nil }
        let permissions = claims["scope"]?.string.map { Permissions(scope: $0) }
        return VerifiedToken(
            issuer: issuer,
            bearer: Bearer(subject: subject, session: session, audience: audience, permissions: permissions),
            expiresAt: expires)
    }

    /// By the type that access tokens have now, or the one that nothing else ever has.
    private static func isAccessToken(_ header: JWSHeader, of format: AccessTokenFormat) -> Bool {
        header.hasType(AccessTokenFormat.TokenType.atJWT.rawValue)
            || header.hasType(format.type.rawValue.lowercased())
    }

    /// Whether a token can't be checked because its key is not known here. Another instance may have signed it with a
    /// key that is stored since: when this has looked for it, it is worth checking the token again.
    ///
    /// - Throws: `ServiceError.storageUnavailable`, since nothing can be said of the token then.
    func findsKey(of token: String, now: Int64) async throws(ServiceError) -> Bool {
        do {
            _ = try JWS.verify(
                token, keys: keys.verifying, allowed: keys.algorithms, maximumByteCount: Self.maximumTokenBytes)
            return false
        } catch .unknownKey(.keyIDNotInSet) {
            do throws(SessionKeys.LoadError) {
                try await keys.reloadForUnknownKey(from: signingKeys, now: now)
                return true
            } catch .repository(let error) {
                throw ServiceError(error)
            } catch {
                throw .storageUnavailable(.brokenSeal)
            }
        } catch {
            return false
        }
    }
}

extension JSONWriter {
    /// How the user was authenticated (RFC 9068 §2.2.1).
    mutating func authentication(_ authentication: Authentication) {
        if let acr = authentication.acr { member("acr", acr) }
        if !authentication.amr.isEmpty {
            name("amr")
            array { methods in for method in authentication.amr { methods.string(method) } }
        }
        if let time = authentication.time { member("auth_time", time) }
    }
}
