internal import Crypto
internal import JSON

/// Makes an issuer's logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.4). Who asks for one posts it: nobody is
/// called.
struct LogoutToken {
    /// What it names.
    enum Naming: String {
        case session = "sid"
        case subject = "sub"
        case both
    }

    static let event = "http://schemas.openid.net/event/backchannel-logout"
    private static let lifetime: Int64 = 120

    let provider: Provider
    /// The provider's URL.
    let issuer: String
    let client: SimulatedClient
    let subject: String
    /// The session that the subscriber has opened last.
    let session: String?
    let naming: Naming
    /// Unix time.
    let now: Int64

    /// The token in compact serialization, with what is to be the matter with it.
    func compact(_ misbehaviour: LogoutTokenMisbehaviour?) throws(CryptoError) -> String {
        var claims = JSONObject([
            ("iss", .string(issuer)), ("aud", .string(client.id)), ("iat", .integer(now)),
            ("exp", .integer(now + Self.lifetime)), ("jti", .string(Random.token(byteCount: 16))),
            ("events", .object(JSONObject([(Self.event, .object(JSONObject()))]))),
        ])
        if naming != .session { claims.append("sub", .string(subject)) }
        if naming != .subject { claims.append("sid", ifPresent: session) }
        var draft = TokenDraft(
            type: "logout+jwt", key: provider.keys.key(for: client.idTokenAlgorithm), claims: claims)
        misbehaviour?.spoil(&draft, of: self)
        return try draft.compact()
    }
}
