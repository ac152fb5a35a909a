public import Crypto
public import JOSE
public import JSON
internal import Syntax

/// The rules an ID token must keep, as a function of the token, of what was asked, and of the time
/// (OpenID Connect Core §3.1.3.7, steps numbered as there).
///
/// The signature comes first (steps 6 to 8, with the algorithm from our list), so that no rule looks at a claim that
/// the provider did not write. Step 1, decryption, does not arise: encrypted tokens are not asked for.
public struct IDTokenVerifier: Sendable {
    /// The nonce of the authorization request.
    public enum ExpectedNonce: Sendable, Equatable {
        case exactly(String)
        /// Whatever the token has is not compared.
        case unknownToUs
        /// The app has named none, and would have had to: a token that has one answers somebody else's request.
        case absent
    }

    /// How the text the user approved is compared: byte by byte.
    public enum ExpectedContext: Sendable, Equatable {
        case exactly(String)
        /// Carriers may cut a long text: then what is left must be its beginning, and long enough to mean something.
        case exactlyOrCut(String)
        case anything
    }

    /// How recent the authentication must be.
    public enum Freshness: Sendable, Equatable {
        /// Not older than so many seconds, by `auth_time` and `iat`.
        case within(Int64)
        /// Not before that time, in seconds since 1970, by `iat` and, where it is there or is required, `auth_time`:
        /// the user was to be asked again (OpenID Connect Core §3.1.2.1, `prompt=login`).
        case since(Int64, requiresAuthenticationTime: Bool)
        case anyAge
    }

    /// The longest ID token taken.
    public static let maximumTokenBytes = 32_768
    static let shortestCutContext = 32
    let issuer: IssuerNames
    let clientID: String
    /// Who else may stand in the audience though nothing says that they may not use the token.
    let trustedAudiences: [String]
    /// What an app must keep to that hands the token in itself; nil for a token that the provider has given to us.
    let native: NativeTokenRules?
    public let nonce: ExpectedNonce
    let authentication: [RequiredAuthentication]
    let context: ExpectedContext
    let freshness: Freshness
    let accessToken: String?
    let code: String?
    let accessTokenDigestOfEdDSA: Digest
    let clockSkewSeconds: Int64

    /// - Parameters:
    ///   - issuer: the names of the issuer whose metadata was used.
    ///   - clientID: our identifier at that issuer.
    ///   - trustedAudiences: whose names may stand beside that one (OpenID Connect Core §3.1.3.7, step 3).
    ///   - native: what else a token keeps to that an app hands in; nil for one that came from the token endpoint.
    ///   - nonce: with `native`, what the app has drawn: the provider's SDK may have hashed it.
    ///   - authentication: every requirement on `acr` that must be met.
    ///   - accessToken: the token that came with it, for `at_hash`; nil only when the ID token came alone.
    ///   - code: the code that came with it, for `c_hash`.
    ///   - accessTokenDigestOfEdDSA: what `at_hash` is made with under EdDSA.
    ///   - clockSkewSeconds: how far the provider's clock may differ from ours.
    public init(
        issuer: IssuerNames, clientID: String, trustedAudiences: [String] = [], native: NativeTokenRules? = nil,
        nonce: ExpectedNonce,
        authentication: [RequiredAuthentication], context: ExpectedContext, freshness: Freshness,
        accessToken: String?, code: String? = nil, accessTokenDigestOfEdDSA: Digest, clockSkewSeconds: Int64
    ) {
        (self.issuer, self.clientID, self.trustedAudiences) = (issuer, clientID, trustedAudiences)
        (self.native, self.nonce, self.authentication, self.context) = (native, nonce, authentication, context)
        (self.freshness, self.accessToken, self.code) = (freshness, accessToken, code)
        (self.accessTokenDigestOfEdDSA, self.clockSkewSeconds) = (accessTokenDigestOfEdDSA, clockSkewSeconds)
    }

    /// Whose tokens it takes, and for whom.
    public var expectedNames: ExpectedNames {
        ExpectedNames(issuers: issuer.all, audiences: [clientID] + (native?.audiences ?? []))
    }

    /// What stands in claims where they break a rule; see ``TokenFinding``.
    public func finding(_ error: IDTokenError, in claims: JSONValue, now: Int64) -> String? {
        TokenFinding.sentence(breaking: error.rule, claims, expecting: expectedNames, now: now)
    }

    /// Checks the claims of a token whose signature was verified.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    public func verify(_ token: VerifiedJWS, now: Int64) throws(IDTokenError) -> IDToken {
        try checkType(token.header.type)
        guard let claims = ProviderDocument.object(token.payload.span) else { throw .malformed }
        let idToken = try checked(claims, signedFor: token.keyIssuer, now: now)
        try checkHashes(claims, token.header.algorithm)
        return idToken
    }

    /// Checks the claims of a token that the provider has verified for us.
    ///
    /// - Parameters:
    ///   - claims: as the provider has answered them.
    ///   - asked: what it was asked.
    ///   - now: seconds since 1970.
    /// - Throws: the first rule broken; `.subject` also for an answer about somebody else than the token.
    public func verify(
        _ claims: JSONValue, answering asked: IDTokenVerificationRequest, now: Int64
    ) throws(IDTokenError) -> IDToken {
        try checkType(asked.type)
        guard let subject = asked.claimedSubject, claims["sub"].isExactly(subject) else { throw .subject }
        let idToken = try checked(claims, signedFor: nil, now: now)
        // HS256 hashes as RS256 does.
        try checkHashes(claims, .rs256)
        return idToken
    }

    private func checked(
        _ claims: JSONValue, signedFor keyIssuer: String?, now: Int64
    ) throws(IDTokenError) -> IDToken {
        // A logout token has all that an ID token needs but the nonce, which not everybody asks for, and may say that
        // it is a mere JWT. Its events tell (Back-Channel Logout 1.0 §2.4 and §4.1, RFC 8417 §4.6): no ID token has
        // any.
        guard claims["events"]?.isNull ?? true else { throw .malformed }
        if native != nil, !NativeTokenRules.isIDToken(claims) { throw .malformed }
        let issuer = try issuer.stored(claims, signedFor: keyIssuer)  // step 2
        try checkAudience(claims)  // steps 3 to 5
        let times = try checkTimes(claims, now: now)  // steps 9 and 10
        let answersNonce =
            if let native { try checkNativeNonce(claims, native) } else { try checkNonce(claims) }  // step 11
        try checkAuthentication(claims)  // step 12
        let authenticationTime = try checkAuthenticationTime(claims, now: now)  // step 13
        try checkContext(claims)
        return IDToken(
            issuer: issuer, subject: try subject(claims), issuedAt: times.issued, expiresAt: times.expires,
            authenticationTime: authenticationTime, answersNonce: answersNonce, claims: claims)
    }

    /// RFC 8725 §3.11: a token that says it is something else is not taken for an ID token.
    private func checkType(_ type: String?) throws(IDTokenError) {
        guard let type = type?.lowercased(), type.hasSuffix("+jwt"), type != "id_token+jwt" else { return }
        throw .malformed
    }

    private func checkAudience(_ claims: JSONValue) throws(IDTokenError) {
        let hasOurs: Bool
        let hasOthers: Bool
        switch claims["aud"] {
        case .string(let audience): (hasOurs, hasOthers) = (isOurs(audience), false)
        case .array(let audiences):
            guard audiences.allSatisfy({ $0.string != nil }) else { throw .audience }
            hasOurs = audiences.contains { isOurs($0.string) }
            hasOthers = audiences.contains { !isOurs($0.string) && !isTrusted($0.string) }
        default: throw .audience
        }
        guard hasOurs else { throw .audience }
        guard let authorizedParty = claims["azp"], !authorizedParty.isNull else {
            // Step 4: who else may use this token is said by `azp`; without it a second audience is one too many.
            if hasOthers { throw .authorizedParty }
            return
        }
        guard isOurs(authorizedParty.string) else { throw .authorizedParty }
    }

    private func isTrusted(_ audience: String?) -> Bool {
        guard let audience else { return false }
        return trustedAudiences.contains { audience.isExactly($0) }
    }

    private func isOurs(_ client: String?) -> Bool {
        guard let client else { return false }
        return client.isExactly(clientID) || native?.audiences.contains { client.isExactly($0) } == true
    }

    private func checkTimes(
        _ claims: JSONValue, now: Int64
    ) throws(IDTokenError) -> (issued: Int64, expires: Int64) {
        guard let expires = try seconds(claims["exp"]), now < expires + clockSkewSeconds else { throw .expired }
        guard let issued = try seconds(claims["iat"]), issued <= now + clockSkewSeconds else { throw .issuedAt }
        if let start = try seconds(claims["nbf"]), start > now + clockSkewSeconds { throw .issuedAt }
        if let earliest = freshness.earliest(now: now), issued < earliest - clockSkewSeconds { throw .issuedAt }
        if let native, issued < now - native.maximumAgeSeconds - clockSkewSeconds { throw .issuedAt }
        return (issued, expires)
    }

    /// - Returns: whether there was one to compare.
    private func checkNonce(_ claims: JSONValue) throws(IDTokenError) -> Bool {
        let expected: String
        switch nonce {
        case .unknownToUs: return false
        case .absent:
            guard let shown = claims["nonce"], !shown.isNull, !shown.isExactly("") else { return false }
            throw .nonce
        case .exactly(let nonce): expected = nonce
        }
        guard let shown = claims["nonce"]?.string, constantTimeEqual(shown, expected) else { throw .nonce }
        return true
    }

    /// What the app has drawn, in the form in which the SDK of that app puts it into tokens. A token that should have
    /// one is not taken without: it may be anybody's who has seen it.
    ///
    /// - Returns: whether there was one to compare.
    private func checkNativeNonce(_ claims: JSONValue, _ native: NativeTokenRules) throws(IDTokenError) -> Bool {
        let form = native.nonceForm(of: IDToken.client(in: claims))
        guard form != .none else {
            // What is asked for at this moment must show that it answers, and only a nonce does.
            if freshness != .anyAge { throw .nonce }
            return false
        }
        guard case .exactly(let preimage) = nonce, let expected = form.claim(of: preimage),
            let shown = claims["nonce"]?.string, constantTimeEqual(shown, expected)
        else { throw .nonce }
        return true
    }

    private func checkAuthentication(_ claims: JSONValue) throws(IDTokenError) {
        let acr = claims["acr"]?.string
        guard authentication.allSatisfy({ $0.isMet(by: acr) }) else { throw .acr }
    }

    private func checkAuthenticationTime(_ claims: JSONValue, now: Int64) throws(IDTokenError) -> Int64? {
        let time = try seconds(claims["auth_time"])
        guard let earliest = freshness.earliest(now: now) else { return time }
        guard let time else {
            if freshness.requiresAuthenticationTime { throw .authenticationTime }
            return nil
        }
        guard time >= earliest - clockSkewSeconds, time <= now + clockSkewSeconds else { throw .authenticationTime }
        return time
    }

    private func checkContext(_ claims: JSONValue) throws(IDTokenError) {
        let shown = claims["context"]?.string
        switch context {
        case .anything: return
        case .exactly(let expected): guard let shown, shown.isExactly(expected) else { throw .context }
        case .exactlyOrCut(let expected):
            guard let shown else { throw .context }
            if shown.isExactly(expected) { return }
            guard shown.count >= Self.shortestCutContext, expected.utf8.starts(with: shown.utf8) else { throw .context }
        }
    }

    private func checkHashes(_ claims: JSONValue, _ algorithm: SignatureAlgorithm) throws(IDTokenError) {
        guard hashFits("at_hash", accessToken, claims, algorithm) else { throw .accessTokenHash }  // §3.1.3.8
        guard hashFits("c_hash", code, claims, algorithm) else { throw .codeHash }  // §3.3.2.10
    }

    /// Whether a claim is the hash of what came with the token; one that is absent, or of what did not come, fits.
    private func hashFits(
        _ name: String, _ text: String?, _ claims: JSONValue, _ algorithm: SignatureAlgorithm
    ) -> Bool {
        guard let text, let claim = claims[name], !claim.isNull else { return true }
        guard let shown = claim.string else { return false }
        return LeftHalfHash.matches(
            shown, text, algorithm: algorithm, digestOfEdDSA: accessTokenDigestOfEdDSA)
    }

    private func subject(_ claims: JSONValue) throws(IDTokenError) -> String {
        guard let subject = claims["sub"]?.string, subject.isSubject else { throw .subject }
        return subject
    }

    /// - Returns: nil when the claim is not there.
    /// - Throws: `IDTokenError.malformed` for what is no date: negative, of a year beyond 9999, or no number at all.
    private func seconds(_ claim: JSONValue?) throws(IDTokenError) -> Int64? {
        guard let claim, !claim.isNull else { return nil }
        guard let date = NumericDate(claim) else { throw .malformed }
        return date.seconds
    }

    private func constantTimeEqual(_ left: String, _ right: String) -> Bool {
        Crypto.constantTimeEqual(left.utf8.span, right.utf8.span)
    }
}

extension IDTokenVerifier.Freshness {
    /// Since when the user must have authenticated, and the token have been issued, in seconds since 1970; nil for any
    /// time.
    fileprivate func earliest(now: Int64) -> Int64? {
        switch self {
        case .within(let seconds): now - seconds
        case .since(let time, requiresAuthenticationTime: _): time
        case .anyAge: nil
        }
    }

    fileprivate var requiresAuthenticationTime: Bool {
        switch self {
        case .within: true
        case .since(_, let requiresAuthenticationTime): requiresAuthenticationTime
        case .anyAge: false
        }
    }
}
