internal import Accounts
internal import Crypto
internal import JOSE
internal import JSON

/// The session keys as they were stored at one moment.
final class SessionKeySet: Sendable {
    /// What signs until the next look into the store.
    let signer: JWTSigner
    /// Every key that is stored: tokens that an older one signed stay good until they expire.
    let verifying: JWKSet
    /// The JWK set document that has them.
    let document: [UInt8]

    /// - Parameters:
    ///   - keys: the newest first, at least one.
    ///   - now: seconds since 1970.
    init(_ keys: [SigningKey], now: Int64) throws(SessionKeys.Failure) {
        var signers: [JWTSigner] = []
        for key in keys {
            guard let privateKey = try? PrivateKey(pem: Secret(key.privateKey)),
                let signer = try? JWTSigner(key: privateKey, algorithm: .es256, type: SessionKeys.tokenType)
            else { throw .unreadableKey }
            signers.append(signer)
        }
        guard let signing = Self.signing(keys, now: now) else { throw .unreadableKey }
        signer = signers[signing]
        let set: JSONValue = ["keys": .array(signers.map { .object($0.jwkJSON) })]
        document = set.serialized
        do {
            verifying = try JWKSet(set, maximumKeyCount: signers.count)
        } catch {
            throw .unreadableKey
        }
    }

    /// Which key signs: the newest that may; where none may, the oldest.
    ///
    /// - Returns: its index; nil when there is none.
    static func signing(_ keys: [SigningKey], now: Int64) -> Int? {
        keys.firstIndex { $0.signsFrom <= now } ?? keys.indices.last
    }

    func isSame(as other: SessionKeySet) -> Bool {
        signer.keyID == other.signer.keyID && document == other.document
    }
}
