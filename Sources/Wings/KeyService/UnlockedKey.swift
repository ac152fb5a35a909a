internal import Accounts
internal import Crypto
internal import Syntax

/// A key of the KeyService, open: for the answer, and no longer than that takes.
struct UnlockedKey: Sendable {
    let id: UnlockKeyID
    /// What the client encrypts with: 32 random bytes.
    let key: Secret
    /// The text that unlocks the key beside its password: 256 random bits as base64url.
    let longSecret: Secret

    /// The name that the client keeps: 32 lowercase hexadecimal digits.
    var keyID: String { id.text }

    init(id: UnlockKeyID, key: Secret, longSecret: Secret) {
        (self.id, self.key, self.longSecret) = (id, key, longSecret)
    }

    /// A new key under a new name.
    static func generate() -> UnlockedKey {
        let id = Random.withBytes(UnlockKeyID.byteCount) { UnlockKeyID(copying: $0) }
        var key = Random.bytes(WrappedKey.keyBytes)
        return UnlockedKey(
            id: id, key: Secret(taking: &key), longSecret: Secret(Random.token(byteCount: WrappedKey.longSecretBytes)))
    }
}

extension UnlockedKey: CustomStringConvertible, CustomReflectable {
    /// Not even the name: who knows that may try passwords.
    var description: String { Secret.redacted }
    var customMirror: Mirror { Mirror(self, children: []) }
}
