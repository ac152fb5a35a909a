internal import JOSE
internal import JSON

/// An access token of which it is proven that its provider issued it, about whom, and for us.
///
/// It says who somebody is, and that they have signed in once. When that was it says only where its provider does:
/// an app that holds an access token need not have seen its user for hours.
public struct ProvenAccessToken: Sendable, Equatable {
    public let issuer: String
    public let subject: String
    /// When the user authenticated, in seconds since 1970.
    public let authenticationTime: Int64?
    /// The authentication context class the provider reached.
    public let acr: String?
    /// The methods used, such as `hwk` or `pin`.
    public let amr: [String]
    /// The provider's own session, where it names it.
    public let session: String?
    /// When the token was issued, in seconds since 1970; nil where nothing tells.
    public let issuedAt: Int64?

    init(issuer: String, subject: String, authenticationTime: Int64?, claims: JSONValue) {
        (self.issuer, self.subject, self.authenticationTime) = (issuer, subject, authenticationTime)
        acr = claims["acr"]?.string
        amr = claims["amr"]?.array?.compactMap(\.string) ?? claims["amr"]?.string.map { [$0] } ?? []
        session = IDToken.session(in: claims)
        issuedAt = claims["iat"].flatMap { NumericDate($0) }?.seconds
    }
}

/// The rule that an access token breaks which an app hands in. The raw value is what the app is told of it.
public enum AccessTokenError: String, TokenRuleError, Sendable, CaseIterable {
    /// It is nothing signed where it must be, or can't be read.
    case malformed
    case algorithm, signature
    case unknownKey = "unknown_key"
    /// It is a token of another kind, such as an ID token.
    case type = "typ"
    /// The provider does not say that it is good.
    case active
    /// It is to be used in another way than as a bearer token.
    case tokenType = "token_type"
    /// It is of use only with a key, and nobody here can tell who has that.
    case confirmation = "cnf"
    case issuer = "iss"
    /// Nothing of ours is named: it was meant for somebody else.
    case audience = "aud"
    /// It says of no client that it was issued to it.
    case client = "client_id"
    /// It was issued to one client and is another's.
    case authorizedParty = "azp"
    case expired = "exp"
    case issuedAt = "iat"
    case notBefore = "nbf"
    case subject = "sub"
    /// It can't be, or lies in the future.
    case authenticationTime = "auth_time"
    case acr
    /// The provider's userinfo does not take it.
    case userinfo
}
