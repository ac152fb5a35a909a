/// What happens when somebody signs in for the first time.
public enum Registration: String, Sendable, CaseIterable {
    /// The user is stored at once.
    case automatic
    /// The app gets a link ticket and decides.
    case ticket
}

/// The least severe event that is logged; the names are those of swift-log.
public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

public enum LogFormat: String, Sendable, CaseIterable {
    case text, json
}

/// The header in which proxies tell the address of their client.
public enum ClientAddressHeader: String, Sendable, CaseIterable {
    case xForwardedFor = "X-Forwarded-For"
    /// RFC 7239.
    case forwarded = "Forwarded"
}

/// The dialect an OpenID Provider speaks.
public enum ProviderProfile: String, Sendable, CaseIterable {
    /// Carriers found through ZenKey's discovery issuer.
    case zenkey
    /// OpenID Connect, with discovery at the issuer.
    case openid
    case beyondIdentity = "beyond-identity"
    case telenorID = "telenor-id"
    case tim

    /// ZenKey's guide shows ID and secret as they are in plain Base64; everybody else keeps to RFC 6749 §2.3.1.
    var basicEncoding: BasicEncoding { self == .zenkey ? .raw : .form }
}

/// How the token endpoint learns who we are (OpenID Connect Core §9).
public enum ClientAuthentication: String, Sendable, CaseIterable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case privateKey = "private_key_jwt"
    /// A public client: it says who it is and proves nothing.
    case publicClient = "none"
}

/// How client ID and secret are written into the Basic header.
public enum BasicEncoding: String, Sendable, CaseIterable {
    /// Form-encoded first, as RFC 6749 §2.3.1 has it.
    case form
    /// As they are, for providers that skip that step.
    case raw
}

/// The hash behind `at_hash` in ID tokens that EdDSA signs: the algorithm's name tells of none.
public enum EdDSATokenHash: String, Sendable, CaseIterable {
    case sha256, sha512
}

/// A signature algorithm an ID token may carry (RFC 7518 §3.1, RFC 8037 §3.1): asymmetric ones only.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
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
}

/// The database that holds the users.
public enum StorageLocation: Sendable {
    /// An embedded database in this file.
    case file(path: String)
    /// A shared database; the connection URI may hold a password.
    case postgres(SecretString)
}

/// A carrier that changed its issuer: subjects known under `old` are those of `new`.
public struct IssuerAlias: Sendable, Equatable {
    public let old: WebAddress
    public let new: WebAddress
}
