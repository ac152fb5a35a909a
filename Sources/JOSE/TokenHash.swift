public import Crypto

/// The binding of an access token or code to an ID token: `at_hash` and `c_hash`.
public enum TokenHash {
    /// The left half of the hash of a token's ASCII octets, as base64url (OpenID Connect Core §3.1.3.6, §3.3.2.11).
    /// - Parameter algorithm: the ID token's; its digest is the hash, for EdDSA SHA-512.
    public static func leftHalf(of token: String, algorithm: SignatureAlgorithm) -> String {
        let hash = algorithm.digest.hash(token.utf8.span)
        return Base64URL.encode(hash.span.extracting(0..<(hash.count / 2)))
    }

    /// Whether a claim is the token's hash.
    public static func matches(_ claim: String, _ token: String, algorithm: SignatureAlgorithm) -> Bool {
        constantTimeEqual(Array(claim.utf8), Array(leftHalf(of: token, algorithm: algorithm).utf8))
    }
}
