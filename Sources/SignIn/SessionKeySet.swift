internal import Accounts
internal import Crypto
internal import JOSE
internal import JSON

/// The keys of our own tokens as they were stored at one moment.
final class SessionKeySet: Sendable {
    /// What signs access tokens until the next look into the store.
    let signer: JWTSigner
    /// What signs the ID tokens of our own apps: the same key, under another type.
    let idTokenSigner: JWTSigner
    /// What signs receipts.
    let receiptSigner: JWTSigner
    /// Every key that is stored for access tokens: those that an older one signed stay good until they expire. Keys of
    /// receipts are not among them.
    let verifying: JWKSet
    /// The JWK set document that has all keys.
    let document: [UInt8]
    private let entries: [SigningKeyEntry]

    /// - Parameters:
    ///   - keys: the newest first, at least one of each purpose.
    ///   - now: seconds since 1970.
    init(_ keys: [SigningKey], now: Int64) throws(SessionKeys.LoadError) {
        entries = keys.map(\.entry)
        let session = try Self.signers(keys, .session, ofType: SessionKeys.tokenType)
        let receipt = try Self.signers(keys, .receipt, ofType: SessionKeys.receiptType)
        guard let signer = Self.signing(.session, session, entries, now),
            let receiptSigner = Self.signing(.receipt, receipt, entries, now)
        else { throw .unreadableKey }
        self.signer = signer
        idTokenSigner = signer.signer(ofType: SessionKeys.idTokenType)
        self.receiptSigner = receiptSigner
        document = Self.set(of: session + receipt).serialized
        do {
            verifying = try JWKSet(Self.set(of: session), maximumKeyCount: session.count)
        } catch {
            throw .unreadableKey
        }
    }

    /// Whether these are the stored keys, with the same ones signing.
    func isSame(as stored: [SigningKeyEntry], now: Int64) -> Bool {
        stored.filter { $0.retiredAt == nil } == entries
            && stored.signing(.session, now: now)?.kid == signer.keyID
            && stored.signing(.receipt, now: now)?.kid == receiptSigner.keyID
    }

    func isSame(as other: SessionKeySet) -> Bool {
        entries == other.entries && signer.keyID == other.signer.keyID
            && receiptSigner.keyID == other.receiptSigner.keyID
    }

    private static func signers(
        _ keys: [SigningKey], _ purpose: SigningKeyEntry.Purpose, ofType type: String
    ) throws(SessionKeys.LoadError) -> [JWTSigner] {
        var signers: [JWTSigner] = []
        for key in keys where key.entry.purpose == purpose {
            guard let privateKey = try? PrivateKey(pem: Secret(key.privateKey)),
                let signer = try? JWTSigner(key: privateKey, algorithm: .es256, type: type, keyID: key.kid)
            else { throw .unreadableKey }
            signers.append(signer)
        }
        return signers
    }

    private static func signing(
        _ purpose: SigningKeyEntry.Purpose, _ signers: [JWTSigner], _ entries: [SigningKeyEntry], _ now: Int64
    ) -> JWTSigner? {
        let kid = entries.signing(purpose, now: now)?.kid
        return signers.first { $0.keyID == kid }
    }

    private static func set(of signers: [JWTSigner]) -> JSONValue {
        ["keys": .array(signers.map { .object($0.jwkJSON) })]
    }
}
