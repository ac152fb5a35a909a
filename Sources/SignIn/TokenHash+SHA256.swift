package import Accounts
internal import Crypto

extension Accounts.TokenHash {
    /// The SHA-256 of a token's or code's text.
    package init(sha256 text: String) {
        self = Digest.sha256.withHash(of: text.utf8.span) { Self(digest: $0) }
    }

    /// Several texts in their order; each with its length, so that no others come to the same.
    init(sha256 texts: [String]) {
        self.init(sha256: texts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    /// - Parameter digest: 32 bytes, as SHA-256 makes them.
    init(digest: Span<UInt8>) {
        guard let hash = Accounts.TokenHash(digest) else { preconditionFailure("a SHA-256 digest has 32 bytes") }
        self = hash
    }

    /// A provider's own session, as it is stored beside ours.
    ///
    /// - Parameter issuer: the name by which the issuer's users are stored; any two issuers may give the same name to a
    ///   session.
    static func upstreamSession(_ session: String, at issuer: String) -> Self { Self(sha256: [issuer, session]) }
}
