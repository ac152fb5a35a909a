public import Crypto
import Syntax

/// The binding of an access token or code to an ID token: `at_hash` and `c_hash`.
public enum LeftHalfHash {
    /// The left half of the hash of a token's ASCII octets, as base64url (OpenID Connect Core §3.1.3.6, §3.3.2.11).
    /// - Parameters:
    ///   - algorithm: the ID token's; its digest is the hash.
    ///   - digestOfEdDSA: the hash where that is EdDSA, whose name tells of none. With Ed25519, which hashes with
    ///     SHA-512 inside, nearly everybody takes that one; some take SHA-256.
    public static func leftHalf(
        of token: String, algorithm: SignatureAlgorithm, digestOfEdDSA: Digest = .sha512
    ) -> String {
        let digest = algorithm == .edDSA ? digestOfEdDSA : algorithm.digest
        let hash = digest.hash(token.utf8.span)
        return Base64URL.encode(hash.span.extracting(0..<(hash.count / 2)))
    }

    /// Whether a claim is the token's hash; see ``leftHalf(of:algorithm:digestOfEdDSA:)``.
    public static func matches(
        _ claim: String, _ token: String, algorithm: SignatureAlgorithm, digestOfEdDSA: Digest
    ) -> Bool {
        let hash = leftHalf(of: token, algorithm: algorithm, digestOfEdDSA: digestOfEdDSA)
        return constantTimeEqual(claim.utf8.span, hash.utf8.span)
    }
}
