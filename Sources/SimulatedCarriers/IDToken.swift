internal import Crypto
internal import JSON

/// Makes an issuer's ID tokens (OpenID Connect Core §2).
struct IDToken {
    static let lifetime: Int64 = 600

    let world: World
    let provider: Provider
    let client: SimulatedClient
    let grant: Grant
    let accessToken: String
    /// Whether it comes with a refresh: then it has no nonce (OpenID Connect Core §12.2).
    let isRefreshed: Bool
    /// Unix time.
    let now: Int64

    var subject: String {
        SubscriberDirectory.subject(of: grant.subscriber.name, for: client.id, at: provider.issuer)
    }

    /// The token in compact serialization, with what is to be the matter with it.
    func compact(_ misbehaviours: [Misbehaviour]) throws(CryptoError) -> String {
        // Before the key is chosen: from now on the issuer signs with new keys.
        if misbehaviours.idToken.contains(.rotatedKey) { try provider.keys.rotate() }
        let key = provider.keys.key(for: grant.algorithm ?? client.idTokenAlgorithm)
        var claims = rightClaims
        let portToken = PortToken(world: world, idToken: self)
        if let known = try portToken.claim(misbehaviours.portToken, misbehaviours.portTokenShape ?? .array) {
            claims.append("aka", known)
        }
        var draft = TokenDraft(type: "JWT", key: key, claims: claims)
        for misbehaviour in misbehaviours.idToken { spoil(&draft, misbehaviour) }
        return try draft.compact()
    }

    private var rightClaims: JSONObject {
        func time(_ seconds: Int64) -> JSONValue {
            provider.profile.writesTimesAsText ? .string(String(seconds)) : .integer(seconds)
        }
        var claims = JSONObject([
            ("iss", .string(world.url(provider.issuer))),
            ("sub", .string(subject)),
            ("aud", provider.issuer == .borealis ? [.string(client.id)] : .string(client.id)),
            ("exp", time(now + Self.lifetime)),
            ("iat", time(now)),
            ("auth_time", .integer(grant.authenticationTime)),
            ("acr", .string(grant.level)),
            ("amr", grant.level.hasSuffix("3") ? ["hwk", "fpt"] : ["hwk"]),
        ])
        if !isRefreshed { claims.append("nonce", ifPresent: grant.nonce) }
        claims.append("context", ifPresent: grant.context)
        return claims
    }
}
