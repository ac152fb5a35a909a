/// What a token of ours can be used for: a scope, by its name (RFC 6749 §3.3, OpenID Connect Core §5.4).
///
/// An operation of the API names the one that it needs, and an app is given those of its section that it asks for.
public enum Permission: String, CaseIterable, Sendable {
    /// Userinfo and an ID token, with the subject alone.
    case openid
    // What both tell besides.
    case profile, email, phone, address
    case postalCode = "postal_code"
    case lastFourSocial = "last_4_social"
    /// The further claims that the provider's section names.
    case claims
    /// A refresh token (OpenID Connect Core §11).
    case offlineAccess = "offline_access"
    /// To read the account: the profile, identities, sessions.
    case accountRead = "account.read"
    /// To change what the user says of themselves.
    case accountWrite = "account.write"
    /// To end sessions other than its own.
    case accountSessions = "account.sessions"
    /// To change how the user signs in and is reached.
    case accountIdentities = "account.identities"
    /// To erase the user.
    case accountErase = "account.erase"
    /// To be handed the access tokens of providers that are kept for the user.
    case tokens
    /// To have the user approve transactions.
    case transactions

    fileprivate var bit: UInt32 {
        let place =
            switch self {
            case .openid: 0
            case .profile: 1
            case .email: 2
            case .phone: 3
            case .address: 4
            case .postalCode: 5
            case .lastFourSocial: 6
            case .claims: 7
            case .offlineAccess: 8
            case .accountRead: 9
            case .accountWrite: 10
            case .accountSessions: 11
            case .accountIdentities: 12
            case .accountErase: 13
            case .tokens: 14
            case .transactions: 15
            }
        return 1 << UInt32(place)
    }
}

/// A set of permissions, as the `scope` of tokens and requests has them.
public struct Permissions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public init(_ permissions: some Sequence<Permission>) {
        rawValue = permissions.reduce(0) { $0 | $1.bit }
    }

    /// Reads a scope (RFC 6749 §3.3). What is no permission of ours is passed over.
    ///
    /// - Parameter scope: names with blanks between them.
    public init(scope: some StringProtocol) {
        self.init(scope.split(separator: " ").compactMap { Permission(rawValue: String($0)) })
    }

    /// Whether a text is a scope (RFC 6749 §3.3).
    public static func isWellFormed(scope: String) -> Bool {
        scope.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Everything but the providers' tokens, which only a client that proves itself can hold.
    public static let everything = Permissions(Permission.allCases.filter { $0 != .tokens })
    /// What an app is given whose section does not say.
    public static let usual = Permissions([.openid, .profile, .email, .phone, .offlineAccess])
    /// What a sign-in by a provider's access token gives where nothing else is configured: nothing that changes
    /// anything.
    public static let ofExchanges = Permissions([.openid, .profile, .email, .phone, .accountRead])

    public func contains(_ permission: Permission) -> Bool { rawValue & permission.bit != 0 }

    /// In the order of their definition.
    public var names: [String] { Permission.allCases.filter(contains).map(\.rawValue) }

    /// As a scope.
    public var scope: String { names.joined(separator: " ") }
}
