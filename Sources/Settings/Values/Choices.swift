public import Crypto
internal import Providers
internal import Syntax

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
