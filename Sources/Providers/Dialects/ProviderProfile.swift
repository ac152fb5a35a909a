public import Crypto

/// What is known of everybody's provider of one kind, by the name that the key `profile` has for it. A section begins
/// with it, and every key that it fills can be written otherwise.
public struct ProviderProfile: Sendable {
    /// What holds for the provider's own addresses alone: a section that names another issuer takes none of it.
    public struct Place: Sendable {
        /// As its tokens have it.
        public var issuer: String
        /// Other spellings of it.
        public var issuers: [String] = []
        /// Where metadata lies; nil for the well-known place below the issuer.
        public var discoveryURL: String?
        /// Where it verifies ID tokens that it signs with a secret.
        public var idTokenVerificationURL: String?
        /// Where it says who sends its events.
        public var eventConfigurationURL: String?
    }

    /// How issuers are found by a user's mobile network.
    public struct NetworkDiscovery: Sendable {
        /// Where discovery is asked.
        public let url: String
        /// What follows the client identifier in the redirect URI of the mobile SDKs.
        public let redirectURI: String
    }

    public let name: String
    /// What people call it; nil where every operator calls it otherwise.
    public let displayName: String?
    /// Nil where every operator has an issuer of their own.
    public let place: Place?
    /// Nil where the issuer is known.
    public let network: NetworkDiscovery?
    public let clientAuthentication: ClientAuthenticationMethod
    /// Whether a section without a secret is good for the ID tokens of apps, so that none is demanded.
    public let doesWithoutSecret: Bool
    public let basicEncoding: ClientAuthentication.BasicEncoding
    public let algorithms: [SignatureAlgorithm]
    public let scopes: [String]
    public let redirectURI: ProviderConfiguration.RedirectURIUse
    public let responseMode: ResponseMode
    public let requirePKCE: Bool
    public let nativeTokens: Bool
    public let userinfo: ProviderConfiguration.UserinfoUse
    public let authTime: ProviderConfiguration.AuthenticationTimes
    public let pkce: CodeProtection.PKCE
    public let trustEmails: EmailTrust.Extent
    public let emailDomains: [String]
    /// Whether it names a user otherwise to each client.
    public let subjectsAreOfClient: Bool
    /// Whether `hd` in its ID tokens tells who keeps an address.
    public let takesHostedDomain: Bool
    /// Whether authorization requests may carry the session of a line authentication, which only a handset can do.
    public let takesLineTokens: Bool
    /// Whether it has an API by which its directory of users is kept.
    public let hasUserAPI: Bool
    /// Whether our authorization requests come without a code challenge where the operator wants none of apps either.
    public let mayOmitPKCE: Bool

    /// - Parameters:
    ///   - algorithms: RS256 is what every OpenID Provider has (OpenID Connect Core §15.1).
    ///   - scopes: those that every OpenID Provider takes (OpenID Connect Core §5.4), since some refuse a request for
    ///     one that they don't know.
    init(
        _ name: String, displayName: String? = nil, place: Place? = nil, network: NetworkDiscovery? = nil,
        clientAuthentication: ClientAuthenticationMethod = .basic, doesWithoutSecret: Bool = false,
        basicEncoding: ClientAuthentication.BasicEncoding = .form, algorithms: [SignatureAlgorithm] = [.rs256],
        scopes: [String] = ["openid", "profile", "email"],
        redirectURI: ProviderConfiguration.RedirectURIUse = .required, responseMode: ResponseMode = .query,
        requirePKCE: Bool = true, nativeTokens: Bool = false, userinfo: ProviderConfiguration.UserinfoUse = .required,
        authTime: ProviderConfiguration.AuthenticationTimes = .auto, pkce: CodeProtection.PKCE = .auto,
        trustEmails: EmailTrust.Extent = .owned, emailDomains: [String] = [], subjectsAreOfClient: Bool = false,
        takesHostedDomain: Bool = false, takesLineTokens: Bool = false, hasUserAPI: Bool = false,
        mayOmitPKCE: Bool = false
    ) {
        (self.name, self.displayName, self.place, self.network) = (name, displayName, place, network)
        (self.clientAuthentication, self.doesWithoutSecret) = (clientAuthentication, doesWithoutSecret)
        (self.basicEncoding, self.algorithms, self.scopes) = (basicEncoding, algorithms, scopes)
        (self.redirectURI, self.responseMode, self.requirePKCE) = (redirectURI, responseMode, requirePKCE)
        (self.nativeTokens, self.userinfo, self.authTime, self.pkce) = (nativeTokens, userinfo, authTime, pkce)
        (self.trustEmails, self.emailDomains) = (trustEmails, emailDomains)
        (self.subjectsAreOfClient, self.takesHostedDomain) = (subjectsAreOfClient, takesHostedDomain)
        (self.takesLineTokens, self.hasUserAPI, self.mayOmitPKCE) = (takesLineTokens, hasUserAPI, mayOmitPKCE)
    }
}

extension ProviderProfile {
    /// That of any OpenID Provider.
    public static let openID = OpenIDProvider.profile

    /// Whether the issuer of a sign-in is asked for by the user's network.
    public var findsIssuerByNetwork: Bool { network != nil }
    /// In whose words its providers refuse; nil where the host of the issuer tells.
    public var words: DialectName? {
        Dialect.all.first { $0.profile?.name == name }?.name.flatMap {
            $0 == DialectName.standard.rawValue ? nil : DialectName(rawValue: $0)
        }
    }
}

extension ProviderProfile: RawRepresentable, CaseIterable, Equatable {
    public static let allCases = Dialect.all.compactMap(\.profile)

    public var rawValue: String { name }

    public init?(rawValue: String) {
        guard let profile = Self.allCases.first(where: { $0.name == rawValue }) else { return nil }
        self = profile
    }

    public static func == (left: ProviderProfile, right: ProviderProfile) -> Bool { left.name == right.name }
}
