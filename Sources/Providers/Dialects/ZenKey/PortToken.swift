public import JOSE
public import JSON
internal import Syntax

/// Why a port token proves nothing. The raw value is what the log tells, and all it tells.
public enum PortTokenError: String, SignedTokenRefusal, Sendable, CaseIterable {
    /// It is no signed token, or too long for one.
    case malformed
    case type
    /// It claims to be of nobody, of the present carrier, or of another than its metadata names.
    case issuer
    case untrustedIssuer = "untrusted_issuer"
    /// The old carrier's metadata is gone for good.
    case carrierGone = "carrier_gone"
    case algorithm, signature
    case unknownKey = "unknown_key"
    case subject
    case issuedAt = "issued_at"
    case audience, expired
    /// It has moved an account before.
    case used

    public init(_ error: JOSEError) {
        self =
            switch error {
            case .malformed: .malformed
            case .algorithm: .algorithm
            case .signature: .signature
            case .unknownKey: .unknownKey
            }
    }
}

/// A carrier's statement that a subscriber who is now elsewhere was its own: the old issuer and the old subject, signed
/// by the old carrier.
public struct PortToken: Sendable {
    /// How many port tokens of one ID token are looked at; a subscriber changes carriers a few times, not often.
    static let maximumConsidered = 4
    static let maximumTokenBytes = ProviderTextLimit.inBody

    public let issuer: String
    public let subject: String
    /// Seconds since 1970.
    public let issuedAt: Int64

    /// The claims that hold them: `aka` on the wire, and `AKA` in the carriers' guides.
    static let claims = ["aka", "AKA"]

    /// The port tokens of an ID token, as texts that nothing has checked yet.
    ///
    /// Carriers write the claim in four shapes: a list of tokens, one token, an object whose `port_token` is a token,
    /// or a list of them.
    public static func candidates(in claims: JSONValue) -> [String] {
        func tokens(_ value: JSONValue?) -> [String] {
            switch value {
            case .string(let token): [token]
            case .array(let values): values.flatMap { tokens($0) }
            case .object(let object): tokens(object["port_token"])
            default: []
            }
        }
        let all = Self.claims.flatMap { tokens(claims[$0]) }
        return Array(all.filter { !$0.isEmpty }.prefix(maximumConsidered))
    }

    /// The issuer a token claims, for the decision whether it is trusted, which comes before anything is fetched.
    static func claimedIssuer(_ token: CompactJWS) -> String? {
        ProviderDocument.object(token.unverifiedPayload.span)?["iss"]?.string
    }

    /// Whom the port tokens of an ID token claim to be of, which nothing has checked yet: enough to see whether a check
    /// of them could tell anything.
    public static func claimedSubjects(in claims: JSONValue) -> [(issuer: String, subject: String)] {
        candidates(in: claims).compactMap { text in
            guard let token = try? CompactJWS(parsing: text, maximumByteCount: maximumTokenBytes),
                let payload = ProviderDocument.object(token.unverifiedPayload.span),
                let issuer = payload["iss"]?.string, let subject = payload["sub"]?.string, subject.isSubject
            else { return nil }
            return (issuer, subject)
        }
    }

    /// The rules of a port token whose signature was verified.
    ///
    /// It has no expiry, so its age is bounded here. A token that names the issuer or the subject of the very ID token
    /// it came in names no old account.
    ///
    /// - Parameters:
    ///   - current: issuer and subject of that ID token.
    ///   - now: seconds since 1970.
    /// - Throws: the first rule broken; a bad port token means a new user, never a failed sign-in.
    init(
        _ token: VerifiedJWS, issuer: String, clientID: String, current: (issuer: String, subject: String),
        maximumAgeSeconds: Int64, clockSkewSeconds: Int64, now: Int64
    ) throws(PortTokenError) {
        // RFC 8725 §3.11: an old carrier's ID token has the same issuer, audience and subject; only its type tells it
        // apart.
        guard token.header.hasType("port_token+jwt") else { throw .type }
        guard let claims = ProviderDocument.object(token.payload.span) else { throw .malformed }
        guard claims["iss"].isExactly(issuer), issuer != current.issuer else { throw .issuer }
        guard let subject = claims["sub"]?.string, subject.isSubject, subject != current.subject else {
            throw .subject
        }
        guard let issued = claims["iat"].flatMap({ NumericDate($0) })?.seconds, issued <= now + clockSkewSeconds,
            maximumAgeSeconds == 0 || issued >= now - maximumAgeSeconds
        else { throw .issuedAt }
        switch claims["aud"] {
        case .string(let audience): guard audience.isExactly(clientID) else { throw .audience }
        case .array(let audiences):
            guard audiences.count == 1, audiences.first.isExactly(clientID) else { throw .audience }
        default: throw .audience
        }
        if let expires = claims["exp"] {
            guard let end = NumericDate(expires)?.seconds, now < end + clockSkewSeconds else { throw .expired }
        }
        (self.issuer, self.subject) = (issuer, subject)
        issuedAt = issued
    }
}
