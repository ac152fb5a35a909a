/// Who answers on one of the simulation's ports.
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

    /// Those that sign subscribers in.
    static let providers: [SimulatedIssuer] = [.aurora, .borealis, .plain, .telenor]

    var isCarrier: Bool { self == .aurora || self == .borealis }

    /// The other carrier: the one that a ported subscriber comes from.
    var otherCarrier: SimulatedIssuer? {
        switch self {
        case .aurora: .borealis
        case .borealis: .aurora
        case .discovery, .plain, .telenor: nil
        }
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
    /// Where subscribers are asked on their phones, at the wish of a client's server.
    case push
    case pushCancellation = "push_cancellation"
    /// Where browsers are signed out, and where a client's server has a user signed out.
    case endSession = "end_session"
    case customLogout = "custom_logout"
    /// Where tokens are revoked (RFC 7009).
    case revocation

    /// Those that a backend calls; the others are for browsers.
    static let calledByBackends: [SimulatedEndpoint] = [
        .discovery, .configuration, .keys, .token, .userinfo, .introspection, .push, .pushCancellation, .customLogout,
        .revocation,
    ]
}
