internal import Crypto
internal import JSON
import Syntax

/// A JWT before it is signed, so that everything about it can be made wrong.
struct TokenDraft {
    /// What stands in the third part.
    enum Signature {
        case made(by: SigningKey)
        /// HMAC-SHA-256 under any bytes.
        case hmac(key: [UInt8])
        /// An empty third part.
        case none
    }

    var header: JSONObject
    var claims: JSONObject
    var signature: Signature
    /// Changes one bit of the signature.
    var isSignatureSpoilt = false
    /// Gives an ES256 signature its other form, which is right as well.
    var isResigned = false
    /// Adds the padding that JOSE forbids (RFC 7515 §2).
    var isPadded = false
    /// What is changed in the text of the claims.
    var edits: [TextEdit] = []
    /// Instead of all the rest.
    var replacement: String?

    init(type: String, key: SigningKey, claims: JSONObject) {
        header = JSONObject([
            ("typ", .string(type)), ("alg", .string(key.algorithm.rawValue)), ("kid", .string(key.id)),
        ])
        self.claims = claims
        signature = .made(by: key)
    }

    /// Signs with another key and says so in the header.
    mutating func sign(with key: SigningKey) {
        header.set("alg", .string(key.algorithm.rawValue))
        header.set("kid", .string(key.id))
        signature = .made(by: key)
    }

    /// The compact serialization (RFC 7515 §7.1).
    func compact() throws(CryptoError) -> String {
        if let replacement { return replacement }
        let payload = edits.reduce(JSONValue.object(claims).serialized) { $1.edited($0) }
        let text = "\(encode(JSONValue.object(header).serialized)).\(encode(payload))"
        var bytes: [UInt8]
        switch signature {
        case .made(let key): bytes = try key.key.sign(Array(text.utf8), with: key.algorithm)
        case .hmac(let key): bytes = HMAC.sha256(Array(text.utf8), key: key)
        case .none: bytes = []
        }
        if isResigned, bytes.count == 64 { bytes = ResignedToken.other(bytes) }
        if isSignatureSpoilt, !bytes.isEmpty { bytes[bytes.count / 2] ^= 1 }
        return "\(text).\(encode(bytes))"
    }

    private func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes)
        guard isPadded, text.utf8.count % 4 != 0 else { return text }
        return text + String(repeating: "=", count: 4 - text.utf8.count % 4)
    }
}
