public import Crypto
public import JSON
import Syntax

extension PublicKey {
    /// The SHA-256 thumbprint of the key as base64url: a `kid` that anybody can compute (RFC 7638 §3).
    public var thumbprint: String {
        // RFC 7638 §3.2: the required members only, in lexicographic order, no white space.
        let members = requiredMembers.sorted { $0.name < $1.name }
        return Base64URL.encode(Digest.sha256.hash(JSONValue.object(JSONObject(members)).serialized))
    }

    /// The key as a JWK for signatures (RFC 7517 §4).
    public func jwk(keyID: String?, algorithm: SignatureAlgorithm) -> JSONObject {
        var members = requiredMembers
        if let keyID { members.append(("kid", .string(keyID))) }
        members.append(("use", "sig"))
        members.append(("alg", .string(algorithm.rawValue)))
        return JSONObject(members)
    }

    private var requiredMembers: [JSONObject.Member] {
        func encoded(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
        return switch parameters {
        case .rsa(let modulus, let exponent):
            [("kty", "RSA"), ("n", encoded(modulus)), ("e", encoded(exponent))]
        case .ellipticCurve(let curve, let x, let y):
            [("kty", "EC"), ("crv", .string(curve.rawValue)), ("x", encoded(x)), ("y", encoded(y))]
        case .ed25519(let bytes): [("kty", "OKP"), ("crv", "Ed25519"), ("x", encoded(bytes))]
        }
    }
}
