/// What keeps a code that an app posts from being good for anybody else who has got it (RFC 9700 §4.5).
public struct CodeProtection: Sendable, Equatable {
    /// Whether the provider compares the verifier with the challenge of its authorization request.
    public enum PKCE: String, Sendable, CaseIterable {
        /// As its metadata says it.
        case auto
        case enforced
        /// It passes the verifier over.
        case ignored
    }

    /// Whether a nonce that the ID token has must be named by the app that posts the code.
    public enum Nonce: String, Sendable, CaseIterable {
        case required
        /// For SDKs that put one in which nobody can read.
        case optional
    }

    public var pkce: PKCE
    public var nonce: Nonce

    public init(pkce: PKCE, nonce: Nonce) {
        (self.pkce, self.nonce) = (pkce, nonce)
    }
}
