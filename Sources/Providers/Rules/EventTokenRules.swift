internal import JOSE
internal import JSON
internal import Syntax

/// The rules that whatever a provider tells us in a signed token must keep, be it a logout or an event (RFC 8417 §2,
/// RFC 8725 §3): of whom it is, for whom, and when it was signed. What it tells of is the caller's.
struct EventTokenRules: Sendable {
    /// What is made of `exp`.
    enum Expiry { case required, whereGiven, ignored }

    /// Such a token has no more than a dozen short claims, and maybe its signer's certificates (RFC 7515 §4.1.6).
    static let maximumTokenBytes = ProviderTextLimit.inBody

    /// The issuer whose keys were used.
    let issuer: String
    /// Our identifiers there.
    let audiences: [String]
    /// The media type that the token has.
    let type: String
    /// Whether it has to have it; else it may be `jwt`, or none.
    let demandsType: Bool
    let expiry: Expiry
    /// How old a token may be, whatever it says of its expiry.
    let maximumAgeSeconds: Int64
    let clockSkewSeconds: Int64

    /// The issuer a token claims, for the decision whose keys to ask, which comes before anything is fetched.
    static func claimedIssuer(_ token: CompactJWS) -> String? {
        ProviderDocument.object(token.unverifiedPayload.span)?["iss"]?.string
    }

    /// Checks a token whose signature was verified.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: its claims, and when it was issued.
    /// - Throws: the first rule broken.
    func check(_ token: VerifiedJWS, now: Int64) throws(EventTokenError) -> (claims: JSONValue, issuedAt: Int64) {
        // Whatever says that it is another kind of token is one.
        let isUntold = token.header.type == nil || token.header.hasType("jwt")
        guard token.header.hasType(type) || isUntold && !demandsType else { throw .type }
        guard let claims = ProviderDocument.object(token.payload.span) else { throw .malformed }
        guard claims["iss"].isExactly(issuer) else { throw .issuer }
        try checkAudience(claims)
        return (claims, try issuedAt(claims, now: now))
    }

    /// By which a token that comes again is known.
    func identifier(_ claims: JSONValue) throws(EventTokenError) -> String {
        guard let identifier = claims["jti"]?.string, IDToken.isName(identifier) else { throw .identifier }
        return identifier
    }

    /// Who else it is for is no matter, as nothing is opened by it.
    private func checkAudience(_ claims: JSONValue) throws(EventTokenError) {
        let isOurs = { (audience: String) in audiences.contains { audience.isExactly($0) } }
        switch claims["aud"] {
        case .string(let audience): guard isOurs(audience) else { throw .audience }
        case .array(let audiences):
            let names = audiences.compactMap(\.string)
            guard names.count == audiences.count, names.contains(where: isOurs) else { throw .audience }
        default: throw .audience
        }
    }

    private func issuedAt(_ claims: JSONValue, now: Int64) throws(EventTokenError) -> Int64 {
        guard let issued = claims["iat"].flatMap({ NumericDate($0) })?.seconds, issued <= now + clockSkewSeconds,
            issued >= now - maximumAgeSeconds - clockSkewSeconds
        else { throw .issuedAt }
        if expiry == .ignored || expiry == .whereGiven && claims["exp"]?.isNull ?? true {
            return issued
        }
        guard let end = claims["exp"].flatMap({ NumericDate($0) })?.seconds, now < end + clockSkewSeconds else {
            throw .expired
        }
        return issued
    }
}

/// The rule that breaks what a provider tells us: a logout token, an event, a signed request. The raw value is what the
/// provider is told of it.
public enum EventTokenError: String, TokenRuleError, Sendable, CaseIterable {
    /// It is nothing signed, or too long for it.
    case malformed
    case algorithm, signature
    case unknownKey = "unknown_key"
    /// It says that it is something else.
    case type = "typ"
    /// It is of nobody, of another provider, or of nobody that is trusted.
    case issuer = "iss"
    case audience = "aud"
    /// It lies in the future, or too far back.
    case issuedAt = "iat"
    case expired = "exp"
    /// It tells of nothing, or of something that is not told here.
    case event = "events"
    /// What it tells of has no time that can be, or one that lies in the future.
    case eventTime = "event_time"
    /// It has one, as an ID token has.
    case nonce
    /// It names no session and no user, or neither in a way that can be.
    case session = "sid"
    case subject = "sub"
    case identifier = "jti"
    /// It has come before.
    case replayed
}
