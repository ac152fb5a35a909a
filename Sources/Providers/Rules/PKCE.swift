internal import Crypto
internal import Syntax

/// The proof that a code is redeemed by the client that asked for it (RFC 7636), by the one method that proves
/// anything.
public enum PKCE {
    /// `code_challenge_method`.
    public static let method = "S256"

    /// The challenge of a verifier (§4.2).
    public static func challenge(of codeVerifier: String) -> String {
        Base64URL.encode(Digest.sha256.hash(codeVerifier.utf8.span))
    }
}
