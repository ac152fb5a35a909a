public import Crypto
public import JSON
import Syntax

/// Why a JWK can't be used to verify signatures.
public enum JWKError: Error, Equatable, Sendable {
    case notAnObject
    /// `kty` or `crv` is missing or none of ours. A symmetric key (`oct`) is among them: it makes signatures as well as
    /// it checks them, so it is never a verification key.
    case unsupportedType
    /// A member is missing, or not what its specification says.
    case member(String)
    /// The private half is there, so a reader of the set can sign with it (RFC 7517 §9.2).
    case privateKeyPublished
    /// The key itself is refused.
    case key(CryptoError)
}

/// A public key for signatures as a provider publishes it (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2).
///
/// The key is built and checked once, here. Certificates (`x5c` and its kin) and unknown members are ignored.
public struct JWK: Sendable {
    public let keyID: String?
    public let publicKey: PublicKey
    /// Whose tokens the key may sign, where one set is shared by many issuers and its keys say that: an issuer, or a
    /// template of issuers; nil for the others. No registered member.
    public let issuer: String?
    /// Those of whose signatures the key may verify: type and curve fit, `use` is absent or `sig`, `key_ops` is absent
    /// or has `verify`, and `alg` is absent or exactly that algorithm (RFC 7517 §4.2–4.4).
    public let algorithms: [SignatureAlgorithm]

    /// Reads a JWK.
    /// - Throws: `JWKError`.
    public init(_ json: JSONValue) throws(JWKError) {
        guard let members = json.object else { throw .notAnObject }
        guard !Self.hasPrivateMember(members) else { throw .privateKeyPublished }
        let publicKey = try Self.publicKey(members)
        keyID = try members.optionalText("kid")
        let use = try members.optionalText("use")
        let algorithm = try members.optionalText("alg")
        issuer = try members.optionalText("issuer")
        let operations = try Self.operations(members)
        let mayVerify = (use == nil || use == "sig") && operations?.contains("verify") != false
        algorithms = SignatureAlgorithm.allCases.filter {
            mayVerify && $0.fits(publicKey.keyType) && (algorithm == nil || algorithm == $0.rawValue)
        }
        self.publicKey = publicKey
    }

    /// RFC 7518 §6.2.2, §6.3.2, RFC 8037 §2, RFC 9864: two factors of a modulus make its exponent, so that any of them
    /// is the private half.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"]

    /// Whether a key's private half is told with it. A symmetric key has no other.
    static func hasPrivateMember(_ members: JSONObject) -> Bool {
        members["kty"]?.string != "oct" && privateMembers.contains { members[$0] != nil }
    }

    private static func publicKey(_ members: JSONObject) throws(JWKError) -> PublicKey {
        switch (members["kty"]?.string, members["crv"]?.string) {
        case ("RSA", _):
            let (modulus, exponent) = (try members.bytes("n"), try members.bytes("e"))
            return try checked { () throws(CryptoError) in try PublicKey(rsaModulus: modulus, exponent: exponent) }
        case ("EC", let name?):
            guard let curve = EllipticCurve(rawValue: name) else { throw .unsupportedType }
            let (x, y) = (try members.bytes("x"), try members.bytes("y"))
            return try checked { () throws(CryptoError) in try PublicKey(curve: curve, x: x, y: y) }
        case ("OKP", "Ed25519"):
            let bytes = try members.bytes("x")
            return try checked { () throws(CryptoError) in try PublicKey(ed25519: bytes) }
        default: throw .unsupportedType
        }
    }

    private static func checked(_ make: () throws(CryptoError) -> PublicKey) throws(JWKError) -> PublicKey {
        do {
            return try make()
        } catch {
            throw .key(error)
        }
    }

    private static func operations(_ members: JSONObject) throws(JWKError) -> [String]? {
        guard let value = members["key_ops"], !value.isNull else { return nil }
        guard let elements = value.array else { throw .member("key_ops") }
        let operations = elements.compactMap(\.string)
        guard operations.count == elements.count else { throw .member("key_ops") }
        return operations
    }
}

extension JSONObject {
    fileprivate func optionalText(_ name: String) throws(JWKError) -> String? {
        // Some write null where they have nothing to say.
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .member(name) }
        return text
    }

    fileprivate func bytes(_ name: String) throws(JWKError) -> [UInt8] {
        guard let text = self[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw .member(name)
        }
        return bytes
    }
}

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
