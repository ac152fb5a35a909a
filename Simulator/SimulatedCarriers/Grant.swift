internal import Crypto

/// What a subscriber agreed to, which its code and tokens stand for.
struct Grant: Sendable {
    /// Names the family of tokens that are revoked together, and the session where the issuer names those.
    let id: String
    /// The browser's session at the issuer, where it keeps those.
    var session: String?
    let clientID: String
    /// Nil, or empty, for a code that nobody was redirected with.
    let redirectURI: String?
    let subscriber: Subscriber
    let scopes: Set<String>
    let nonce: String?
    /// The authentication level, as the ID token will say it.
    let level: String
    let context: String?
    let correlationID: String?
    /// The S256 challenge (RFC 7636 §4.2).
    let codeChallenge: String?
    /// Unix time.
    let authenticationTime: Int64
    /// Unix time from which on it is refreshed no more; nil where each refresh token counts for itself.
    var refreshesUntil: Int64?
    let algorithm: SignatureAlgorithm?
    let plan: MisbehaviourPlan
    /// At a dialect that has several.
    var tenant: String?
    /// The app's own client, where tokens are made out to its server's.
    var party: String?
    /// Whether an SDK on the phone has asked, and no browser.
    var isNative = false
}
