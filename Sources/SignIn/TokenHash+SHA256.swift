internal import Accounts
internal import Crypto

extension Accounts.TokenHash {
    /// The SHA-256 of a token's or code's text.
    init(sha256 text: String) {
        self = Digest.sha256.withHash(of: text.utf8.span) { Self(digest: $0) }
    }

    /// - Parameter digest: 32 bytes, as SHA-256 makes them.
    init(digest: Span<UInt8>) {
        guard let hash = Accounts.TokenHash(digest) else { preconditionFailure("a SHA-256 digest has 32 bytes") }
        self = hash
    }
}
