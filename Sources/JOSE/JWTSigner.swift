public import Crypto
public import JSON
import Syntax

/// Signs tokens with one key, algorithm and header.
///
/// The header is encoded once, so a token costs the encoding of its payload and one signature.
public struct JWTSigner: Sendable {
    public let algorithm: SignatureAlgorithm
    /// The `kid` in every header; nil when headers carry none.
    public let keyID: String?
    private let key: PrivateKey
    private let encodedHeader: [UInt8]

    /// A signer whose `kid` is the key's thumbprint (RFC 7638).
    /// - Parameter type: the header's `typ`, such as `at+jwt`; nil leaves it out.
    /// - Throws: `CryptoError.algorithmMismatch` when the algorithm does not fit the key.
    public init(key: PrivateKey, algorithm: SignatureAlgorithm, type: String?) throws(CryptoError) {
        try self.init(key: key, algorithm: algorithm, type: type, keyID: key.publicKey.thumbprint)
    }

    /// A signer with a `kid` of the caller's choice, or none.
    /// - Throws: `CryptoError.algorithmMismatch` when the algorithm does not fit the key.
    public init(key: PrivateKey, algorithm: SignatureAlgorithm, type: String?, keyID: String?) throws(CryptoError) {
        guard algorithm.fits(key.publicKey.keyType) else { throw .algorithmMismatch }
        self.init(key: key, algorithm: algorithm, keyID: keyID, type: type)
    }

    /// The algorithm fits the key.
    private init(key: PrivateKey, algorithm: SignatureAlgorithm, keyID: String?, type: String?) {
        (self.key, self.algorithm, self.keyID) = (key, algorithm, keyID)
        var header = JSONObject()
        if let type { header.append("typ", .string(type)) }
        header.append("alg", .string(algorithm.rawValue))
        if let keyID { header.append("kid", .string(keyID)) }
        encodedHeader = Array(Base64URL.encode(JSONValue.object(header).serialized).utf8)
    }

    /// The same key for tokens of another type (RFC 8725 §3.11: what each token is, it says itself).
    public func signer(ofType type: String) -> JWTSigner {
        JWTSigner(key: key, algorithm: algorithm, keyID: keyID, type: type)
    }

    /// The compact serialization of a payload and its signature (RFC 7515 §7.1).
    /// - Parameter payload: for a JWT, its claims as JSON text.
    public func sign(_ payload: Span<UInt8>) throws(CryptoError) -> String {
        var token = encodedHeader
        // Room for the rest: the longest signature is that of RSA with 8192 bits.
        token.reserveCapacity(token.count + Base64URL.encodedCount(of: payload.count) + 1368)
        token.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &token)
        let signature = try key.sign(token.span, with: algorithm)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// The compact serialization of a payload and its signature; see ``sign(_:)``.
    public func sign(_ payload: [UInt8]) throws(CryptoError) -> String { try sign(payload.span) }

    /// The public key as it belongs into a published JWK set.
    public var jwkJSON: JSONObject { key.publicKey.jwk(keyID: keyID, algorithm: algorithm) }
}
