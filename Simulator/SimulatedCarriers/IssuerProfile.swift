internal import Crypto

/// How well a carrier knows what it says of a subscriber: 0 for what nobody has verified.
struct AssuranceLevels: Sendable {
    let name: Int64
    let email: Int64
    let phone: Int64
    let postalCode: Int64
    let birthdate: Int64
}

/// In what an issuer differs from the others, as real ones do.
struct IssuerProfile: Sendable {
    let displayName: String
    /// The mobile network, for carriers.
    let mccmnc: String?
    /// What stands before the digit of an authentication level: `a3` or `aal3`.
    let levelPrefix: String
    /// The first is used unless a client or a request names another; each has a key in the published set.
    let algorithms: [SignatureAlgorithm]
    /// The algorithms that the configuration announces.
    let announcedAlgorithms: [SignatureAlgorithm]
    /// Attributes inside objects with a `value`, or flat.
    let nestsUserinfo: Bool
    /// RFC 6749 §2.3: no more than one way of client authentication. Some take a stray `client_id` for another one.
    let refusesClientIDBesideBasic: Bool
    let takesPostAtUserinfo: Bool
    /// `exp` and `iat` as strings of digits, and the audience as an array.
    let writesTimesAsText: Bool
    /// Whether keys and userinfo are served from the discovery port, another origin than the issuer's.
    let spreadsOverOrigins: Bool
    /// Whether the key set also has a key for encryption, which verifies nothing.
    let publishesEncryptionKey: Bool
    /// RFC 9207.
    let answersWithIssuer: Bool
    /// Whether a refresh token comes only with the scope `offline_access`.
    let refreshTokenNeedsScope: Bool
    /// Whether ID tokens and logout tokens name sessions (Back-Channel Logout 1.0 §2.1).
    let namesSessions: Bool
    /// What stands before the names of its endpoints.
    var pathPrefix = ""
    /// In seconds.
    var idTokenLifetime: Int64 = 600
    /// For how long after the sign-in refresh tokens are good, however often they are replaced, in seconds; nil: each
    /// for a day.
    var refreshLifetime: Int64?
    /// Whether a browser stays signed in, can be signed out again, and comes back by a form where it is asked to;
    /// without a session of it `prompt=none` finds nobody. Elsewhere the login hint alone is believed.
    var keepsSessions = false
    /// The claim that names a person at all clients, where subjects don't.
    var crossClientClaim: String?

    /// How well it knows what it says of its subscribers, where `verified` is a number, as ZenKey's carriers have it.
    var levels: AssuranceLevels?

    /// Whether a code challenge is refused where the client is not registered for one.
    var refusesStrayPKCE = false

    /// Whether a code challenge is passed over.
    var ignoresPKCE = false
    /// Scopes with which the answer must come by a form. Where there are such, no scope need be `openid`.
    var scopesAnsweredByForm: Set<String> = []

    /// Whether an answer may come by a form.
    var answersByForm: Bool { keepsSessions || !scopesAnsweredByForm.isEmpty }

    /// Where an endpoint is, below the issuer.
    func path(_ name: String) -> String { "\(pathPrefix)/\(name)" }

    static func of(_ issuer: SimulatedIssuer) -> IssuerProfile? {
        switch issuer {
        case .discovery: nil
        case .aurora: aurora
        case .borealis: borealis
        case .plain: plain
        case .telenor: telenor
        case .beyond: beyond
        default: Dialect.of(issuer)?.profile
        }
    }

    /// That of a dialect. One algorithm twice means two keys.
    static func ofDialect(
        _ displayName: String, _ algorithms: [SignatureAlgorithm], idTokenLifetime: Int64,
        publishesEncryptionKey: Bool = false, ignoresPKCE: Bool = false, scopesAnsweredByForm: Set<String> = [],
        refreshTokenNeedsScope: Bool = true
    ) -> IssuerProfile {
        IssuerProfile(
            displayName: displayName, mccmnc: nil, levelPrefix: "", algorithms: algorithms,
            announcedAlgorithms: algorithms.reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
            nestsUserinfo: false, refusesClientIDBesideBasic: false, takesPostAtUserinfo: true,
            writesTimesAsText: false, spreadsOverOrigins: false, publishesEncryptionKey: publishesEncryptionKey,
            answersWithIssuer: false, refreshTokenNeedsScope: refreshTokenNeedsScope, namesSessions: false,
            idTokenLifetime: idTokenLifetime, ignoresPKCE: ignoresPKCE, scopesAnsweredByForm: scopesAnsweredByForm)
    }

    private static let aurora = IssuerProfile(
        displayName: "Aurora Mobile", mccmnc: "310410", levelPrefix: "aal", algorithms: [.rs256, .es256],
        announcedAlgorithms: [.rs256], nestsUserinfo: true, refusesClientIDBesideBasic: true,
        takesPostAtUserinfo: false, writesTimesAsText: false, spreadsOverOrigins: true, publishesEncryptionKey: false,
        answersWithIssuer: false, refreshTokenNeedsScope: false, namesSessions: false,
        levels: AssuranceLevels(name: 2, email: 1, phone: 3, postalCode: 2, birthdate: 0))

    private static let borealis = IssuerProfile(
        displayName: "Borealis Wireless", mccmnc: "311480", levelPrefix: "a", algorithms: [.rs256, .es256],
        announcedAlgorithms: [.rs256], nestsUserinfo: false, refusesClientIDBesideBasic: false,
        takesPostAtUserinfo: true, writesTimesAsText: true, spreadsOverOrigins: false, publishesEncryptionKey: true,
        answersWithIssuer: false, refreshTokenNeedsScope: true, namesSessions: false)

    private static let plain = IssuerProfile(
        displayName: "Plain OpenID Provider", mccmnc: nil, levelPrefix: "a", algorithms: [.rs256, .es256, .edDSA],
        announcedAlgorithms: [.rs256, .es256, .edDSA], nestsUserinfo: false, refusesClientIDBesideBasic: false,
        takesPostAtUserinfo: true, writesTimesAsText: false, spreadsOverOrigins: false, publishesEncryptionKey: false,
        answersWithIssuer: true, refreshTokenNeedsScope: true, namesSessions: true)

    private static let beyond = IssuerProfile(
        displayName: "Beyond Identity", mccmnc: nil, levelPrefix: "a", algorithms: [.es256, .rs256],
        announcedAlgorithms: [.es256, .rs256], nestsUserinfo: false, refusesClientIDBesideBasic: false,
        takesPostAtUserinfo: false, writesTimesAsText: false, spreadsOverOrigins: false, publishesEncryptionKey: false,
        answersWithIssuer: false, refreshTokenNeedsScope: true, namesSessions: false, refusesStrayPKCE: true)

    private static let telenor = IssuerProfile(
        displayName: "TelenorID+", mccmnc: nil, levelPrefix: "urn:telenor.identity.aal.", algorithms: [.rs256],
        announcedAlgorithms: [.rs256], nestsUserinfo: false, refusesClientIDBesideBasic: false,
        takesPostAtUserinfo: false, writesTimesAsText: false, spreadsOverOrigins: false, publishesEncryptionKey: false,
        answersWithIssuer: false, refreshTokenNeedsScope: true, namesSessions: true, pathPrefix: "/connect",
        idTokenLifetime: 300, refreshLifetime: 14 * 86_400, keepsSessions: true, crossClientClaim: "kurtid")
}
