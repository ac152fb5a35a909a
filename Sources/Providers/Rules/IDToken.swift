internal import JOSE
public import JSON

/// The claims of an ID token that was verified (OpenID Connect Core §2).
public struct IDToken: Sendable {
    public let issuer: String
    public let subject: String
    /// When the token was issued, in seconds since 1970.
    public let issuedAt: Int64
    /// In seconds since 1970.
    public let expiresAt: Int64
    /// When the user authenticated, in seconds since 1970.
    public let authenticationTime: Int64?
    /// Whether it has the nonce that was expected, so that it was made for that request. Where none was expected, or
    /// none could be compared, it tells of no request.
    public let answersNonce: Bool
    /// The authentication context class the provider reached.
    public let acr: String?
    /// The methods used, such as `hwk` or `pin`.
    public let amr: [String]
    /// The text the user approved.
    public let context: String?
    /// Every claim, for what only one kind of provider has.
    public let claims: JSONValue

    init(
        issuer: String, subject: String, issuedAt: Int64, expiresAt: Int64, authenticationTime: Int64?,
        answersNonce: Bool, claims: JSONValue
    ) {
        (self.issuer, self.subject, self.issuedAt, self.expiresAt) = (issuer, subject, issuedAt, expiresAt)
        (self.authenticationTime, self.answersNonce) = (authenticationTime, answersNonce)
        acr = claims["acr"]?.string
        amr = claims["amr"]?.array?.compactMap(\.string) ?? claims["amr"]?.string.map { [$0] } ?? []
        context = claims["context"]?.string
        self.claims = claims
    }

    /// Which of our clients the token was issued to: the authorized party, else the (first) audience (§2).
    public var client: String { Self.client(in: claims) }

    /// Whether the access token that came with it is the one that it was issued with, as `at_hash` tells (§3.1.3.6):
    /// where it is there it has been compared.
    public var namesAccessToken: Bool { claims["at_hash"]?.string != nil }

    /// The provider's own session, as it names it.
    public var session: String? { Self.session(in: claims) }

    /// The `sid` of a token, by which the provider names its own session (Front-Channel Logout 1.0 §3, Back-Channel
    /// Logout 1.0 §2.1); nil where there is none, or none that could be kept.
    static func session(in claims: JSONValue) -> String? {
        guard let session = claims["sid"]?.string, isName(session) else { return nil }
        return session
    }

    /// Whether a text is as long as one that names something may be; a provider's own are far shorter.
    static func isName(_ text: String) -> Bool { (1...maximumNameBytes).contains(text.utf8.count) }

    private static let maximumNameBytes = 512

    static func client(in claims: JSONValue) -> String {
        claims["azp"]?.string ?? claims["aud"]?.string ?? claims["aud"]?.array?.first?.string ?? ""
    }
}

/// The rule an ID token breaks. The raw value is what the API answers as `reason`.
public enum IDTokenError: String, TokenRuleError, Sendable, CaseIterable {
    case signature, algorithm, issuer, audience
    case authorizedParty = "authorized_party"
    case expired
    case issuedAt = "issued_at"
    case nonce, subject, acr
    case authenticationTime = "auth_time"
    case context
    case accessTokenHash = "at_hash"
    case codeHash = "c_hash"
    case malformed
    case unknownKey = "unknown_key"
}

/// What an ID token must show, by what it is asked for. None has a default: who asks for nothing says so.
public struct IDTokenExpectations: Sendable {
    public let nonce: IDTokenVerifier.ExpectedNonce
    public let authentication: [RequiredAuthentication]
    public let context: IDTokenVerifier.ExpectedContext
    public let freshness: IDTokenVerifier.Freshness

    public init(
        nonce: IDTokenVerifier.ExpectedNonce, authentication: [RequiredAuthentication],
        context: IDTokenVerifier.ExpectedContext, freshness: IDTokenVerifier.Freshness
    ) {
        (self.nonce, self.authentication, self.context, self.freshness) = (nonce, authentication, context, freshness)
    }
}
