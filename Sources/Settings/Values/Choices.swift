public import Crypto
internal import Providers
internal import Syntax

/// The dialect an OpenID Provider speaks.
enum ProviderProfile: String, Sendable, CaseIterable {
    /// Carriers found through ZenKey's discovery issuer.
    case zenkey
    /// OpenID Connect, with discovery at the issuer.
    case openid
    case beyondIdentity = "beyond-identity"
    case telenorID = "telenor-id"
    case tim
    case google, apple, microsoft, facebook
    /// Each operator has an issuer of their own.
    case auth0, okta, keycloak, cognito
    case line

    /// ZenKey's guide shows ID and secret as they are in plain Base64; everybody else keeps to RFC 6749 §2.3.1.
    var basicEncoding: ClientAuthentication.BasicEncoding { self == .zenkey ? .raw : .form }

    /// Whether its providers take the session of a line authentication, which only a handset can do, with the
    /// authorization request (TelenorID+'s `aloha_token`).
    var takesLineTokens: Bool { self == .telenorID }
}

/// What a back-channel logout token's `typ` must be.
enum LogoutTyp: String, Sendable, CaseIterable {
    /// `logout+jwt` (OpenID Connect Back-Channel Logout 1.0 §2.4).
    case required
    /// That, `jwt`, or none.
    case any
}

/// The API by which Beyond Identity's directories are kept.
enum UserAPIVersion: String, Sendable, CaseIterable {
    /// That of 2021, with a token, `/users` and `/recover-user`.
    case of2021 = "2021"
    /// That of tenants and realms.
    case v1
}

/// Whose SQL a database server takes.
public enum StorageDialect: String, Sendable, CaseIterable {
    case postgresql
    /// That of engines which speak PostgreSQL's protocol, and lack some of it.
    case distributed
}

/// How the token endpoint learns who we are (OpenID Connect Core §9).
enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case secretJWT = "client_secret_jwt"
    case privateKey = "private_key_jwt"
    /// A secret that is made of a key, as Apple has it.
    case apple
    /// A public client: it says who it is and proves nothing.
    case publicClient = "none"
}

/// What assertions of who we are may be signed with: the algorithms that providers have in common.
enum AssertionAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"

    var algorithm: SignatureAlgorithm { self == .rs256 ? .rs256 : .es256 }
    /// In words, of the keys that go with it.
    var keys: String { self == .rs256 ? "an RSA key" : "a key of curve P-256" }
}

/// The hash behind `at_hash` in ID tokens that EdDSA signs: the algorithm's name tells of none.
enum EdDSATokenHash: String, Sendable, CaseIterable {
    case sha256, sha512

    var digest: Digest { self == .sha256 ? .sha256 : .sha512 }
}

/// The database that holds the users.
public enum StorageLocation: Sendable {
    /// An embedded database in this file.
    case file(path: String)
    /// A shared database; the connection URI may hold a password.
    case postgres(Secret)

    /// - Parameter text: as `storage.url` is written.
    /// - Returns: nil for what that refuses.
    public init?(_ text: String) {
        guard let location = try? TextRule<StorageLocation>.storage.read(text) else { return nil }
        self = location
    }
}

/// A carrier that changed its issuer: subjects known under `old` are those of `new`.
struct IssuerAlias: Sendable, Equatable {
    let old: EndpointURL
    let new: EndpointURL
}
