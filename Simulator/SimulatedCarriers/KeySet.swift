internal import Crypto
internal import JSON
import Syntax

/// The key sets that issuers publish (RFC 7517 §5).
enum KeySet {
    static func document(of provider: Provider, _ misbehaviour: KeySetMisbehaviour?) throws(CryptoError) -> JSONObject {
        var keys = provider.keys.published.map(\.jwk)
        if let key = provider.encryptionKey {
            var jwk = key.jwk
            jwk.set("use", "enc")
            jwk.set("alg", "RSA-OAEP-256")
            keys.append(jwk)
        }
        switch misbehaviour {
        case nil: break
        case .empty: keys = []
        case .withoutKeyIDs: keys = keys.map(withoutKeyID)
        case .severalWithoutKeyIDs: keys = (keys + [provider.keys.retired.jwk]).map(withoutKeyID)
        case .weak: keys = [weakKey(id: provider.keys.key(for: nil).id)]
        case .withUnknownTypes:
            keys.insert(
                JSONObject([("kty", "XYZ"), ("kid", "from-the-future"), ("use", "sig"), ("q", [1, 2])]), at: 0)
            keys.append(
                JSONObject([("kty", "oct"), ("kid", "symmetric"), ("k", .string(Random.token(byteCount: 32)))]))
        }
        return JSONObject([("keys", .array(keys.map { .object($0) }))])
    }

    private static func withoutKeyID(_ jwk: JSONObject) -> JSONObject {
        var jwk = jwk
        jwk.remove("kid")
        return jwk
    }

    /// A modulus of 1024 bits, too short to be taken (RFC 7518 §3.3). Nobody has its private half.
    private static func weakKey(id: String) -> JSONObject {
        var modulus = Random.bytes(128)
        modulus[0] |= 0x80
        modulus[127] |= 1
        return JSONObject([
            ("kty", "RSA"), ("n", .string(Base64URL.encode(modulus))), ("e", "AQAB"), ("kid", .string(id)),
            ("use", "sig"), ("alg", "RS256"),
        ])
    }
}
