public import Crypto
internal import JOSE
public import JSON

/// What requests are signed with that a carrier takes from our server alone: always RS256, which is what carriers
/// verify.
public struct RequestSigner: Sendable {
    private enum Key: Sendable {
        case own(JWTSigner)
        case shared
    }

    private let key: Key

    /// The RS256 key of ours that all providers may read at our address.
    public static let shared = RequestSigner(key: .shared)

    private init(key: Key) {
        self.key = key
    }

    /// A key that the operator has given for this provider alone.
    ///
    /// - Parameter keyID: what the provider calls it; nil for its thumbprint (RFC 7638).
    /// - Throws: `CryptoError.algorithmMismatch` for a key that is not RSA.
    public init(key: PrivateKey, keyID: String?) throws(CryptoError) {
        self.key = .own(
            try JWTSigner(
                key: key, algorithm: .rs256, type: ClientKeys.tokenType, keyID: keyID ?? key.publicKey.thumbprint))
    }

    /// What key of ours it needs; nil where it has its own.
    public var sharedKey: SignatureAlgorithm? {
        if case .shared = key { .rs256 } else { nil }
    }

    /// The public key of a provider's own key file (RFC 7517).
    public var publishedKey: JSONValue? {
        guard case .own(let signer) = key else { return nil }
        return .object(signer.jwkJSON)
    }

    /// - Throws: `ProviderCallError.noClientKey` when there is nothing to sign with.
    func sign(_ claims: [UInt8], _ keys: ClientKeys) throws(ProviderCallError) -> String {
        let signer: JWTSigner? =
            switch key {
            case .own(let own): own
            case .shared: keys.signer(.rs256)
            }
        guard let text = try? signer?.sign(claims) else { throw .noClientKey }
        return text
    }
}
