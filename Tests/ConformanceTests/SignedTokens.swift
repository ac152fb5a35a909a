import Crypto
import JOSE
import JSON
import Syntax
import System
import TestSupport

/// Makes what a scripted provider signs.
struct SignedTokens: Sendable {
    private static let lifetime: Int64 = 600

    let issuer: String
    let script: ProviderScript
    let record: ProviderRecord

    private var now: Int64 { WallClock.now.seconds }

    /// The keys as they are published.
    func published() throws -> [JSONObject] {
        var keys = try [SignatureAlgorithm.rs256, .es256].map {
            try ProviderKeys.key($0, generation: record.generation).jwk()
        }
        try script.keys(&keys)
        return keys
    }

    /// An ID token (OpenID Connect Core §2).
    ///
    /// - Parameter isRefreshed: whether it comes with a refresh.
    func idToken(for grant: ProviderRecord.Grant, _ accessToken: String, isRefreshed: Bool) throws -> String {
        if script.rotation == .beforeSigning { record.rotate() }
        let now = now
        var draft = try draft(
            "JWT",
            [
                ("sub", .string(ScriptedProvider.subject)), ("iat", .integer(now)),
                ("exp", .integer(now + Self.lifetime)), ("auth_time", .integer(now - 5)),
                ("at_hash", .string(LeftHalfHash.leftHalf(of: accessToken, algorithm: script.algorithm))),
            ])
        if !isRefreshed { draft.claims[setting: "nonce"] = grant.nonce.map { .string($0) } }
        if isRefreshed { try script.refreshedIDToken(&draft) } else { try script.idToken(&draft) }
        return try compact(draft, script.signature)
    }

    /// Userinfo as a JWT (OpenID Connect Core §5.3.2).
    func userinfo(_ claims: JSONObject, _ signature: ProviderScript.Signature) throws -> String {
        try compact(try draft("JWT", claims.members), signature)
    }

    /// A logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
    func logoutToken(_ module: LogoutModule) throws -> String {
        let now = now
        var draft = try draft(
            "logout+jwt",
            [
                ("sub", .string(ScriptedProvider.subject)), ("iat", .integer(now)),
                ("exp", .integer(now + Self.lifetime)), ("jti", .string(Random.token(byteCount: 8))),
                ("events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
            ])
        try module.change(&draft)
        return try compact(draft, module.signature)
    }

    private func draft(_ type: String, _ claims: [JSONObject.Member]) throws -> TokenDraft {
        let key = try ProviderKeys.key(script.algorithm, generation: record.generation)
        return TokenDraft(
            header: JSONObject([
                ("typ", .string(type)), ("alg", .string(script.algorithm.rawValue)), ("kid", .string(key.id)),
            ]),
            claims: JSONObject([("iss", .string(issuer)), ("aud", .string(ScriptedProvider.clientID))] + claims))
    }

    private func compact(_ draft: TokenDraft, _ signature: ProviderScript.Signature) throws -> String {
        let parts = [draft.header, draft.claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
        let input = parts.joined(separator: ".")
        return "\(input).\(Base64URL.encode(try bytes(of: signature, Array(input.utf8))))"
    }

    private func bytes(of signature: ProviderScript.Signature, _ input: [UInt8]) throws -> [UInt8] {
        func signed(_ generation: Int) throws -> [UInt8] {
            try ProviderKeys.key(script.algorithm, generation: generation).key.sign(input, with: script.algorithm)
        }
        switch signature {
        case .right: return try signed(record.generation)
        case .spoilt:
            var bytes = try signed(record.generation)
            bytes[bytes.count / 2] ^= 1
            return bytes
        case .none: return []
        case .hmac(let key): return HMAC.sha256(input, key: Array(key.utf8))
        case .unpublishedKey: return try signed(ProviderKeys.unpublished)
        }
    }
}
