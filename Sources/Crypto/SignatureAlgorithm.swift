/// The JOSE signature algorithms that use a public key (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` and the HMAC family are not here, so no allow-list can name them.
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// Whether a key of that type can be used with this algorithm.
    ///
    /// Each ECDSA algorithm belongs to exactly one curve (RFC 7518 §3.4).
    public func fits(_ keyType: KeyType) -> Bool {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: keyType == .rsa
        case .es256: keyType == .ellipticCurve(.p256)
        case .es384: keyType == .ellipticCurve(.p384)
        case .es512: keyType == .ellipticCurve(.p521)
        case .edDSA: keyType == .ed25519
        }
    }

    /// The digest that is signed; also the one an `at_hash` is made with (OpenID Connect Core §3.1.3.6).
    ///
    /// Ed25519 hashes inside, with SHA-512, and takes the message itself.
    public var digest: Digest {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }

    /// RSASSA-PSS rather than PKCS #1 v1.5 (RFC 7518 §3.5).
    var isPSS: Bool {
        switch self {
        case .ps256, .ps384, .ps512: true
        default: false
        }
    }
}

/// What kind of key it is, down to the curve.
public enum KeyType: Equatable, Sendable {
    case rsa
    case ellipticCurve(EllipticCurve)
    case ed25519
}

/// The curves of RFC 7518 §6.2.1.1; the raw value is the `crv` of a JWK.
public enum EllipticCurve: String, CaseIterable, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The width of a coordinate, and of each half of a signature, in bytes.
    public var byteCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// OpenSSL's name of the group.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }
}
