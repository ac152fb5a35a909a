public import JOSE
internal import JSON
internal import Syntax

/// The rules a logout token must keep, as a function of the token and of the time (OpenID Connect Back-Channel Logout 1.0 §2.6,
/// steps numbered as there).
///
/// The signature comes first (steps 2 and 3, with the algorithm from our list). Step 1, decryption, does not arise: encrypted
/// tokens are not asked for. Step 8, whether the token has come before, takes a memory, and is the caller's.
public struct LogoutTokenVerifier: Sendable {
    /// How old a token may be, whatever it says of its expiry: what ends a session is sent as it ends. The clause recommends
    /// two minutes for the whole life of a token; a provider that tries again after an outage needs some more.
    public static let maximumAgeSeconds: Int64 = 600
    /// Such a token has no more than a dozen short claims.
    public static let maximumTokenBytes = 8192

    let issuer: String
    let clientID: String
    let clockSkewSeconds: Int64

    /// - Parameters:
    ///   - issuer: the issuer whose keys were used.
    ///   - clientID: our identifier at that issuer.
    ///   - clockSkewSeconds: how far the provider's clock may differ from ours.
    public init(issuer: String, clientID: String, clockSkewSeconds: Int64) {
        self.issuer = issuer
        self.clientID = clientID
        self.clockSkewSeconds = clockSkewSeconds
    }

    /// The issuer a token claims, for the decision whose keys to ask, which comes before anything is fetched.
    public static func claimedIssuer(_ token: CompactJWS) -> String? {
        (try? JSONValue(parsing: token.unverifiedPayload.span))?["iss"]?.string
    }

    /// Checks the claims of a token whose signature was verified.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    public func verify(_ token: VerifiedJWS, now: Int64) throws(LogoutTokenError) -> LogoutToken {
        try checkType(token.header)
        guard let claims = try? JSONValue(parsing: token.payload.span), claims.object != nil else { throw .malformed }
        guard claims["iss"].isExactly(issuer) else { throw .issuer }  // step 4, and the next two
        try checkAudience(claims)
        try checkTimes(claims, now)
        try checkEvent(claims)  // step 6
        // Present at all, null too: what has a nonce was made to be an ID token.
        guard claims["nonce"] == nil else { throw .nonce }  // step 7
        let ended = try ended(claims)  // step 5
        guard let identifier = claims["jti"]?.string, LogoutToken.isName(identifier) else { throw .identifier }
        return LogoutToken(issuer: issuer, identifier: identifier, ended: ended)
    }

    /// §2.4: `logout+jwt` is recommended and not required. Whatever says that it is another kind of token is one.
    private func checkType(_ header: JWSHeader) throws(LogoutTokenError) {
        guard header.type == nil || header.hasType("logout+jwt") || header.hasType("jwt") else { throw .type }
    }

    /// Who else it is for is no matter, as nothing is opened by it.
    private func checkAudience(_ claims: JSONValue) throws(LogoutTokenError) {
        switch claims["aud"] {
        case .string(let audience): guard audience.isExactly(clientID) else { throw .audience }
        case .array(let audiences):
            guard audiences.allSatisfy({ $0.string != nil }),
                audiences.contains(where: { $0.string?.isExactly(clientID) == true })
            else { throw .audience }
        default: throw .audience
        }
    }

    private func checkTimes(_ claims: JSONValue, _ now: Int64) throws(LogoutTokenError) {
        guard let issued = claims["iat"].flatMap({ NumericDate($0) })?.seconds, issued <= now + clockSkewSeconds,
            issued >= now - Self.maximumAgeSeconds - clockSkewSeconds
        else { throw .issuedAt }
        guard let end = claims["exp"].flatMap({ NumericDate($0) })?.seconds, now < end + clockSkewSeconds else {
            throw .expired
        }
    }

    private func checkEvent(_ claims: JSONValue) throws(LogoutTokenError) {
        guard let events = claims["events"]?.object, events[LogoutToken.event]?.object != nil else { throw .event }
    }

    /// One that is there and can't be read is refused, rather than that the other alone decides what ends.
    private func ended(_ claims: JSONValue) throws(LogoutTokenError) -> LogoutToken.Ended {
        var subject: String?
        if let claim = claims["sub"] {
            guard let text = claim.string, (1...IDTokenVerifier.maximumSubjectBytes).contains(text.utf8.count) else {
                throw .subject
            }
            subject = text
        }
        guard claims["sid"] != nil else {
            guard let subject else { throw .session }
            return .subject(subject)
        }
        guard let session = LogoutToken.session(in: claims) else { throw .session }
        return .session(session, subject: subject)
    }
}
