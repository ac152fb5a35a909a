public import Accounts
public import Apps
public import Crypto
internal import JOSE
internal import JSON
internal import Providers

/// The keys of our own tokens as they were stored at one moment.
final class SessionKeySet: Sendable {
    /// How access tokens are made, and what signs them until the next look into the store.
    let format: AccessTokenFormat
    let signer: JWTSigner
    /// What access tokens may be signed with: what nobody here signs with is not looked for in the store.
    let algorithms: [SignatureAlgorithm]
    /// What signs the ID tokens of our own apps, under another type: the key of access tokens for those that take
    /// ES256.
    private let idTokenSigners: [SigningAlgorithm: JWTSigner]
    /// What signs receipts.
    let receiptSigner: JWTSigner
    /// Every key that is stored for access tokens: those that an older one signed stay good until they expire. Keys of
    /// receipts are not among them.
    let verifying: JWKSet
    /// Every key that ID tokens are signed with.
    let verifyingIDTokens: JWKSet
    /// The JWK set document that has all keys.
    let document: [UInt8]
    /// What signs assertions of who we are, and every key that may have.
    let clientSigners: [JWTSigner]
    let clientJWKs: [JSONValue]
    private let entries: [SigningKeyEntry]
    /// When the keys were made that sign, by what they sign: seconds since 1970.
    let signingSince: [(purpose: SigningKeyEntry.Purpose, createdAt: Int64)]

    /// - Parameters:
    ///   - keys: the newest first, at least one for access tokens and one for receipts.
    ///   - format: of access tokens.
    ///   - now: seconds since 1970.
    init(_ keys: [SigningKey], _ format: AccessTokenFormat, now: Int64) throws(SessionKeys.LoadError) {
        self.format = format
        let entries = keys.map(\.entry)
        self.entries = entries
        signingSince = SigningKeyEntry.Purpose.allCases.compactMap { purpose in
            entries.signing(purpose, now: now).map { (purpose, $0.createdAt) }
        }
        let session = try Self.signers(keys, .session, ofType: format.type.rawValue)
        let receipt = try Self.signers(keys, .receipt, ofType: SessionKeys.receiptType)
        let idToken = try Self.signers(keys, .idToken, ofType: SessionKeys.idTokenType)
        guard let signer = Self.signing(.session, session, entries, now: now),
            let receiptSigner = Self.signing(.receipt, receipt, entries, now: now)
        else { throw .unreadableKey }
        idTokenSigners = [
            .es256: signer.signer(ofType: SessionKeys.idTokenType),
            .rs256: Self.signing(.idToken, idToken, entries, now: now),
        ].compactMapValues(\.self)
        let ofFormat = format.algorithm == .es256 ? signer : idTokenSigners[.rs256]
        guard let ofFormat else { throw .unreadableKey }
        self.signer = ofFormat.signer(ofType: format.type.rawValue)
        self.receiptSigner = receiptSigner
        let client = try SigningKeyEntry.Purpose.ofClient.map { purpose throws(SessionKeys.LoadError) in
            try Self.signers(keys, purpose, ofType: ClientKeys.tokenType)
        }
        clientSigners = zip(SigningKeyEntry.Purpose.ofClient, client).compactMap { purpose, signers in
            Self.signing(purpose, signers, keys.map(\.entry), now: now)
        }
        clientJWKs = client.joined().map { .object($0.jwkJSON) }
        document = Self.set(of: session + receipt + idToken).serialized
        // What was signed before another algorithm was chosen stays good until it expires.
        algorithms = format.algorithm == .es256 ? [.es256] : [.es256, .rs256]
        verifying = try Self.verifying(format.algorithm == .es256 ? session : session + idToken)
        verifyingIDTokens = try Self.verifying(session + idToken)
    }

    /// - Throws: `SessionKeys.LoadError.unreadableKey` when no key of that algorithm was stored.
    func idTokenSigner(
        _ algorithm: SigningAlgorithm
    ) throws(SessionKeys.LoadError) -> JWTSigner {
        guard let signer = idTokenSigners[algorithm] else { throw .unreadableKey }
        return signer
    }

    /// Whether these are the stored keys, with the same ones signing.
    func isSame(as stored: [SigningKeyEntry], now: Int64) -> Bool {
        stored.filter { $0.retiredAt == nil } == entries
            && stored.signing(.session, now: now)?.kid == idTokenSigners[.es256]?.keyID
            && stored.signing(.receipt, now: now)?.kid == receiptSigner.keyID
            && stored.signing(.idToken, now: now)?.kid == idTokenSigners[.rs256]?.keyID
            && SigningKeyEntry.Purpose.ofClient.compactMap { stored.signing($0, now: now)?.kid }
                == clientSigners.compactMap(\.keyID)
    }

    func isSame(as other: SessionKeySet) -> Bool {
        entries == other.entries && idTokenSigners[.es256]?.keyID == other.idTokenSigners[.es256]?.keyID
            && receiptSigner.keyID == other.receiptSigner.keyID
            && idTokenSigners[.rs256]?.keyID == other.idTokenSigners[.rs256]?.keyID
            && clientSigners.compactMap(\.keyID) == other.clientSigners.compactMap(\.keyID)
    }

    private static func signers(
        _ keys: [SigningKey], _ purpose: SigningKeyEntry.Purpose, ofType type: String
    ) throws(SessionKeys.LoadError) -> [JWTSigner] {
        var signers: [JWTSigner] = []
        for key in keys where key.entry.purpose == purpose {
            guard let privateKey = try? PrivateKey(pem: Secret(key.privateKey)),
                let signer = try? JWTSigner(
                    key: privateKey, algorithm: purpose.algorithm, type: type, keyID: key.kid)
            else { throw .unreadableKey }
            signers.append(signer)
        }
        return signers
    }

    private static func signing(
        _ purpose: SigningKeyEntry.Purpose, _ signers: [JWTSigner], _ entries: [SigningKeyEntry], now: Int64
    ) -> JWTSigner? {
        let kid = entries.signing(purpose, now: now)?.kid
        return signers.first { $0.keyID == kid }
    }

    private static func verifying(_ signers: [JWTSigner]) throws(SessionKeys.LoadError) -> JWKSet {
        do {
            return try JWKSet(set(of: signers), maximumKeyCount: signers.count)
        } catch {
            throw .unreadableKey
        }
    }

    private static func set(of signers: [JWTSigner]) -> JSONValue {
        ["keys": .array(signers.map { .object($0.jwkJSON) })]
    }
}

extension SigningKeyEntry.Purpose {
    /// Those of assertions to providers.
    public static let ofClient: [Self] = [.clientRS256, .clientES256]

    /// What the configuration asks for beside access tokens and receipts.
    ///
    /// - Parameters:
    ///   - format: of access tokens.
    ///   - algorithms: with which providers are told who we are, by keys of ours.
    public static func needed(
        for apps: AppRegistry, _ format: AccessTokenFormat, algorithms: Set<SignatureAlgorithm>
    ) -> Set<Self> {
        var needed = Set(ofClient.filter { algorithms.contains($0.algorithm) })
        if apps.hasRS256 || format.algorithm == .rs256 { needed.insert(.idToken) }
        return needed
    }

    /// What a key of this purpose signs with.
    var algorithm: SignatureAlgorithm {
        switch self {
        case .session, .receipt, .clientES256: .es256
        case .idToken, .clientRS256: .rs256
        }
    }
}
