internal import Accounts
internal import Crypto
internal import JOSE
import Syntax

/// A refresh token as earlier versions made them: the name of its session and a secret. None is made any more; those
/// that are out work until they are replaced by a ``RefreshToken`` or expire.
struct EarlierRefreshToken: Sendable {
    private static let maximumTokenBytes = 256
    private static let secretBytes = 32
    private static let wrappingPurpose = Array("gatehouse refresh token successor".utf8)

    let session: SessionID
    let text: String

    /// Reads a token a client presents; nil when it is none of those by its form alone.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumTokenBytes else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(parts[0]),
            Base64URL.decode(String(parts[1]))?.count == Self.secretBytes
        else { return nil }
        (self.session, self.text) = (session, text)
    }

    /// What the store holds of it.
    var hash: TokenHash { TokenHash(sha256: text) }

    /// The successor that was sealed for this token alone, before the store was updated.
    func unwrapped(_ wrapped: [UInt8]) -> EarlierRefreshToken? {
        let secret = Secret(HMAC.sha256(Self.wrappingPurpose, key: Array(text.utf8)))
        guard let key = try? SymmetricKey(secret),
            let bytes = try? AEAD.open(wrapped, key: key, associatedData: Self.wrappingPurpose)
        else { return nil }
        return EarlierRefreshToken(String(decoding: bytes, as: UTF8.self))
    }
}
