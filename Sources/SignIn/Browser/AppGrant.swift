internal import Accounts
internal import Apps
internal import Crypto

/// What an app is given at the end of a sign-in through the browser: a code that it redeems once, for a session of its
/// own.
struct AppGrant: Sendable {
    private static let codeBytes = 32

    /// How long the app has to redeem the code, in seconds (RFC 6749 §4.1.2 recommends ten minutes at most).
    let lifetimeSeconds: Int64 = 60
    let client: String
    let permissions: Permissions
    let audience: String?
    let redirectURI: String
    let codeChallenge: String
    let nonce: String?
    /// The code, as the app gets it.
    let code: String

    init(_ request: PendingRequest) {
        client = request.clientID
        permissions = request.permissions
        audience = request.audience
        redirectURI = request.redirectURI
        codeChallenge = request.codeChallenge
        nonce = request.nonce
        code = Random.token(byteCount: Self.codeBytes)
    }

    /// - Parameter now: seconds since 1970.
    func code(now: Int64) -> NewAppCode {
        NewAppCode(
            hash: TokenHash(sha256: code), redirectURI: redirectURI, codeChallenge: codeChallenge, nonce: nonce,
            expiresAt: now + lifetimeSeconds)
    }
}
