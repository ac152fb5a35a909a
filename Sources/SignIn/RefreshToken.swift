internal import Accounts
internal import Crypto
internal import JOSE

/// A refresh token: the name of its session and a secret.
struct RefreshToken: Sendable {
    private static let longestToken = 256
    private static let wrappingPurpose = Array("gatehouse refresh token successor".utf8)

    let session: SessionID
    private let secret: String

    init(session: SessionID, secret: String) {
        self.session = session
        self.secret = secret
    }

    /// Reads a token a client presents; nil when it is none of ours by its form alone.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longestToken else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(parts[0]), !parts[1].isEmpty else { return nil }
        self.init(session: session, secret: String(parts[1]))
    }

    var text: String { "\(session).\(secret)" }

    /// What the store holds of it.
    var hash: Accounts.TokenHash { Accounts.TokenHash(sha256: text) }

    /// This token, sealed so that only who presents `predecessor` can read it: a client that lost the answer to its
    /// refresh gets the same answer again, though the store holds hashes only.
    func wrapped(for predecessor: RefreshToken) -> [UInt8]? {
        guard let key = predecessor.wrappingKey else { return nil }
        return try? AEAD.seal(Array(text.utf8), key: key, associatedData: Self.wrappingPurpose)
    }

    /// The successor that was sealed for this token.
    func unwrapped(_ wrapped: [UInt8]) -> RefreshToken? {
        guard let key = wrappingKey,
            let bytes = try? AEAD.open(wrapped, key: key, associatedData: Self.wrappingPurpose)
        else { return nil }
        return RefreshToken(String(decoding: bytes, as: UTF8.self))
    }

    private var wrappingKey: SymmetricKey? {
        try? SymmetricKey(Secret(HMAC.sha256(Self.wrappingPurpose, key: Array(text.utf8))))
    }
}

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
