internal import Accounts
internal import Crypto

extension Accounts.TokenHash {
    /// The SHA-256 of a token's or code's text.
    init(sha256 text: String) {
        self.init(digest: Digest.sha256.hash(text.utf8.span))
    }

    /// - Parameter digest: 32 bytes, as SHA-256 makes them.
    init(digest: [UInt8]) {
        guard let hash = Accounts.TokenHash(digest) else { preconditionFailure("a SHA-256 digest has 32 bytes") }
        self = hash
    }
}
