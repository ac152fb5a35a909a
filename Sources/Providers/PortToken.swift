internal import JOSE
public import JSON
internal import OpenIDConnect

/// A carrier's statement that a subscriber who is now elsewhere was its own: the old issuer and the old subject, signed
/// by the old carrier.
public struct PortToken: Sendable {
    /// How many port tokens of one ID token are looked at; a subscriber changes carriers a few times, not often.
    static let mostConsidered = 4
    static let longestToken = 8192

    public let issuer: String
    public let subject: String
    /// Seconds since 1970.
    public let issuedAt: Int64

    /// Whether an ID token has any.
    public static func areIn(_ claims: JSONValue) -> Bool { !candidates(in: claims).isEmpty }

    /// The port tokens of an ID token, as texts that nothing has checked yet.
    ///
    /// Carriers write `aka` in four shapes: a list of tokens, one token, an object whose `port_token` is a token, or a
    /// list of them.
    public static func candidates(in claims: JSONValue) -> [String] {
        func tokens(_ value: JSONValue?) -> [String] {
            switch value {
            case .string(let token): [token]
            case .array(let values): values.flatMap { tokens($0) }
            case .object(let object): tokens(object["port_token"])
            default: []
            }
        }
        return Array(
            tokens(claims["aka"]).filter { !$0.isEmpty && $0.utf8.count <= longestToken }.prefix(mostConsidered))
    }

    /// The issuer a token claims, for the decision whether it is trusted, which comes before anything is fetched.
    static func claimedIssuer(_ token: CompactJWS) -> String? {
        (try? JSONValue(parsing: token.unverifiedPayload.span))?["iss"]?.string
    }

    /// The rules of a port token whose signature was verified.
    ///
    /// It has no expiry, so its age is bounded here. A token that names the issuer or the subject of the very ID token it
    /// came in names no old account.
    ///
    /// - Parameters:
    ///   - current: issuer and subject of that ID token.
    ///   - now: seconds since 1970.
    /// - Returns: nil when any rule is broken; a bad port token means a new user, never a failed sign-in.
    init?(
        _ token: VerifiedJWS, issuer: String, clientID: String, current: (issuer: String, subject: String),
        maximumAgeSeconds: Int64, clockSkewSeconds: Int64, now: Int64
    ) {
        // RFC 8725 §3.11: an old carrier's ID token has the same issuer, audience and subject; only its type tells it apart.
        guard token.header.hasType("port_token+jwt") else { return nil }
        guard let claims = try? JSONValue(parsing: token.payload.span), claims["iss"].isExactly(issuer),
            issuer != current.issuer,
            let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 255,
            subject != current.subject,
            let issued = claims["iat"].flatMap({ NumericDate($0) })?.seconds, issued <= now + clockSkewSeconds,
            maximumAgeSeconds == 0 || issued >= now - maximumAgeSeconds
        else { return nil }
        switch claims["aud"] {
        case .string(let audience): guard audience.isExactly(clientID) else { return nil }
        case .array(let audiences): guard audiences.count == 1, audiences.first.isExactly(clientID) else { return nil }
        default: return nil
        }
        if let expires = claims["exp"] {
            guard let end = NumericDate(expires)?.seconds, now < end + clockSkewSeconds else { return nil }
        }
        self.issuer = issuer
        self.subject = subject
        issuedAt = issued
    }
}
