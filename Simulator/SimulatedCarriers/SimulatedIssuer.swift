/// Who answers on the simulation's ports.
public enum SimulatedIssuer: String, Sendable, CaseIterable {
    /// Names a carrier's configuration by mobile network; signs nobody in.
    case discovery
    /// Aurora Mobile, 310410.
    case aurora
    /// Borealis Wireless, 311480.
    case borealis
    /// An OpenID Provider that is no carrier.
    case plain
    /// An OpenID Provider like TelenorID+.
    case telenor
    /// An OpenID Provider like Beyond Identity: people with an account in its directory, and a credential, sign in.
    case beyond
    // Dialects of the providers that people use, all of them on one port, below paths of these names.
    case apple
    case google
    case facebook
    case entra
    case auth0
    case okta
    case keycloak
    case cognito
    case line
    case firebase

    /// Those.
    public static let dialects: [SimulatedIssuer] = [
        .apple, .google, .facebook, .entra, .auth0, .okta, .keycloak, .cognito, .line, .firebase,
    ]

    /// Those with a port of their own that sign subscribers in.
    static let providers: [SimulatedIssuer] = [.aurora, .borealis, .plain, .telenor, .beyond]

    var isCarrier: Bool { self == .aurora || self == .borealis }

    var isDialect: Bool { listener == .dialects }

    /// Where it is found.
    var listener: Listener {
        switch self {
        case .discovery: .discovery
        case .aurora: .aurora
        case .borealis: .borealis
        case .plain: .plain
        case .telenor: .telenor
        case .beyond: .beyond
        case .apple, .google, .facebook, .entra, .auth0, .okta, .keycloak, .cognito, .line, .firebase: .dialects
        }
    }

    /// The other carrier: the one that a ported subscriber comes from.
    var otherCarrier: SimulatedIssuer? {
        switch self {
        case .aurora: .borealis
        case .borealis: .aurora
        default: nil
        }
    }
}

/// One of the simulation's ports, in their order.
enum Listener: Int, Sendable, CaseIterable {
    case discovery, aurora, borealis, plain, telenor, beyond
    /// All dialects, each below a path of its own.
    case dialects

    /// Whose port it is; nil where several share it.
    var issuer: SimulatedIssuer? {
        SimulatedIssuer.allCases.first { $0.listener == self && !$0.isDialect }
    }
}

/// What the simulation answers, and where misbehaviour can be asked for.
public enum SimulatedEndpoint: String, Sendable, CaseIterable {
    /// The carrier's configuration by mobile network, on the discovery port.
    case discovery
    /// An issuer's own configuration (OpenID Connect Discovery 1.0 §4).
    case configuration
    case keys
    case authorize
    case token
    case userinfo
    case introspection
    /// Where subscribers are asked on their phones, at the request of a client's server.
    case push
    case pushCancellation = "push_cancellation"
    /// Where browsers are signed out, and where a client's server has a user signed out.
    case endSession = "end_session"
    case customLogout = "custom_logout"
    /// Where tokens are revoked (RFC 7009).
    case revocation
    /// What an SDK on a phone would ask.
    case native
    /// Where an ID token is verified for anybody who asks.
    case verification
    /// Where the names of an app's users are carried to another team.
    case migration
    // The APIs of a directory of users: that of 2021, and the present one.
    case directoryUsers = "directory_users"
    case directoryRecovery = "directory_recovery"
    case directoryToken = "directory_token"
    case directoryIdentities = "directory_identities"
    case directorySearch = "directory_search"
    case directoryJobs = "directory_jobs"

    static let ofDirectories: [SimulatedEndpoint] = [
        .directoryUsers, .directoryRecovery, .directoryIdentities, .directorySearch, .directoryJobs,
    ]

    /// Those that a backend calls; the others are for browsers.
    static let calledByBackends: [SimulatedEndpoint] =
        [
            .discovery, .configuration, .keys, .token, .userinfo, .introspection, .push, .pushCancellation,
            .customLogout,
            .revocation, .verification, .migration, .directoryToken,
        ] + ofDirectories
}
