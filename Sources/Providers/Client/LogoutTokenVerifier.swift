public import JOSE
internal import JSON
internal import Syntax

/// The rules a logout token must keep, as a function of the token and of the time (OpenID Connect Back-Channel Logout
/// 1.0 §2.6, steps numbered as there).
///
/// The signature comes first (steps 2 and 3, with the algorithm from our list). Step 1, decryption, does not arise:
/// encrypted tokens are not asked for. Step 8, whether the token has come before, takes a memory, and is the caller's.
public struct LogoutTokenVerifier: Sendable {
    /// How old a token may be, whatever it says of its expiry: what ends a session is sent as it ends. The clause
    /// recommends two minutes for the whole life of a token; a provider that tries again after an outage needs some
    /// more.
    public static let maximumAgeSeconds: Int64 = 600
    /// The longest token taken, in bytes.
    public static let maximumTokenBytes = EventTokenRules.maximumTokenBytes

    private let rules: EventTokenRules

    /// - Parameters:
    ///   - issuer: the issuer whose keys were used.
    ///   - clientID: our identifier at that issuer.
    ///   - demandsType: whether it must say what it is, by `typ: logout+jwt`, so that no other token of the issuer's
    ///     can be taken for one (§4.1, RFC 8725 §3.11). §2.4 recommends it, and not every issuer does it.
    ///   - clockSkewSeconds: how far the provider's clock may differ from ours.
    public init(issuer: String, clientID: String, demandsType: Bool, clockSkewSeconds: Int64) {
        rules = EventTokenRules(
            issuer: issuer, audiences: [clientID], type: "logout+jwt", demandsType: demandsType, expiry: .required,
            maximumAgeSeconds: Self.maximumAgeSeconds, clockSkewSeconds: clockSkewSeconds)
    }

    /// The issuer a token claims, for the decision whose keys to ask, which comes before anything is fetched.
    public static func claimedIssuer(_ token: CompactJWS) -> String? { EventTokenRules.claimedIssuer(token) }

    /// Checks the claims of a token whose signature was verified.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    public func verify(_ token: VerifiedJWS, now: Int64) throws(EventTokenError) -> LogoutToken {
        let (claims, issuedAt) = try rules.check(token, now: now)  // steps 4 and 5, and the times
        try checkEvent(claims)  // step 6
        // Present at all, null too: what has a nonce was made to be an ID token.
        guard claims["nonce"] == nil else { throw .nonce }  // step 7
        let ended = try ended(claims)  // step 5
        return LogoutToken(
            issuer: rules.issuer, identifier: try rules.identifier(claims), issuedAt: issuedAt, ended: ended)
    }

    private func checkEvent(_ claims: JSONValue) throws(EventTokenError) {
        guard let events = claims["events"]?.object, events[LogoutToken.event]?.object != nil else { throw .event }
    }

    /// One that is there and can't be read is refused, rather than that the other alone decides what ends.
    private func ended(_ claims: JSONValue) throws(EventTokenError) -> LogoutToken.Ended {
        var subject: String?
        if let claim = claims["sub"] {
            guard let text = claim.string, text.isSubject else { throw .subject }
            subject = text
        }
        guard claims["sid"] != nil else {
            guard let subject else { throw .session }
            return .subject(subject)
        }
        guard let session = IDToken.session(in: claims) else { throw .session }
        return .session(session, subject: subject)
    }
}
