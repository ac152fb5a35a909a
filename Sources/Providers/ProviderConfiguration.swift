public import Crypto
public import HTTPClient
public import Syntax

/// One provider as the operator describes it.
public struct ProviderConfiguration: Sendable {
    /// How the issuer of a sign-in is found.
    public enum IssuerSource: Sendable, Equatable {
        /// By asking a discovery service about the client and the user's mobile network.
        case network(discoveryURL: String)
        /// It is known.
        case configured(issuer: String)

        /// The one that is known.
        public var issuer: String? { if case .configured(let issuer) = self { issuer } else { nil } }
    }

    /// Whether the user's attributes are fetched from userinfo.
    public enum UserinfoUse: String, Sendable, CaseIterable {
        /// A sign-in whose access token gives none fails.
        case required
        /// What can't be had is done without. What is there and about somebody else is refused all the same.
        case optional
        case never
    }

    /// What of a redirect URI belongs to the codes that apps post.
    public enum RedirectURIUse: String, Sendable, CaseIterable {
        /// The one that the app has used, which must be configured.
        case required
        /// Likewise where the app names one; none where it does not.
        case optional
        /// None, as for codes that an SDK has got without a browser.
        case omitted
        /// Likewise, for providers that want to be told an empty one.
        case empty
    }

    /// Whether its ID tokens tell when the user authenticated (`auth_time`, OpenID Connect Core §2).
    public enum AuthenticationTimes: String, Sendable, CaseIterable {
        /// Those that have it do; of one without, an answer to our challenge shows something.
        case auto
        /// Of one without, nothing shows anything.
        case always
        /// None is asked for one.
        case never
    }

    /// What shows that a user was there just now, for acts that add something to the account or change how its user is
    /// reached.
    public enum FreshnessProof: String, Sendable, CaseIterable {
        case authenticationTime = "auth_time"
        /// An answer to our challenge too, where no time is told.
        case challenge
    }

    public var name: String
    private var nameForPeople: String?
    /// What people call it; the name until somebody says so.
    public var displayName: String {
        get { nameForPeople ?? name }
        set { nameForPeople = newValue }
    }
    /// The picture by which they know it.
    public var logo: ProviderLogo?
    /// Where it stands among those that people choose from: the lowest first.
    public var order = 0
    public var issuerSource: IssuerSource
    /// Where metadata lies; nil for the well-known place below the issuer.
    public var discoveryURL: EndpointURL?
    /// How the issuer's name is written besides.
    public var issuerSpellings: [String] = []
    /// Who is let in where the issuer is a template.
    public var tenants: IssuerNames.Tenants?
    /// What ID tokens keep to that apps hand in themselves; nil where none are taken.
    public var nativeTokens: NativeTokenRules?
    /// Where the provider verifies ID tokens that only it can verify; nil where there are none.
    public var idTokenVerificationEndpoint: EndpointURL?
    public var redirectURIUse: RedirectURIUse
    /// The page on which a user chooses a carrier, for when discovery names none.
    public var discoveryUI: String?
    public var clientID: String
    public var authentication: ClientAuthentication
    public var redirectURIs: [String]
    /// Those of them that answers of other providers come back to as well.
    public var sharedRedirectURIs: [String] = []
    /// Issuers whose metadata is believed when discovery or a port token names them.
    public var trustedIssuers: [TrustedIssuer] = []
    /// Issuers that changed their name: the old one by the new.
    public var issuerAliases: [String: String] = [:]
    public var algorithms: [SignatureAlgorithm]
    /// What browser sign-in asks for; `openid` is among them.
    public var scopes: [String]
    /// What it asks for instead when one of these apps begins it, by the app's client identifier.
    public var scopesFor: [String: [String]] = [:]
    /// Whether the issuer names a user otherwise to each client (OpenID Connect Core §8.1), as far as that is known.
    public var subjectsAreOfClient = false
    /// What `at_hash` is made with in ID tokens that EdDSA signs.
    public var accessTokenDigestOfEdDSA: Digest = .sha512
    /// Whether an app must tell the `iss` of its answer (RFC 9207), whatever metadata says.
    public var requiresIssuer = false
    public var requiresPKCE: Bool
    public var requiresNonce = false
    /// Whether the nonce must be one of ours.
    public var requiresChallenge = false
    public var minimumACR: RequiredAuthentication?
    public var clockSkewSeconds: Int64 = 60
    /// Whether the provider's word that an account was hijacked locks the whole user, and not its identity alone.
    public var locksOnHijacking = false
    public var portTokenMaximumAgeSeconds: Int64 = 200 * 86_400
    public var userinfo: UserinfoUse
    /// For how long an identity that was added to a user must have been theirs before it approves transactions and
    /// changes who may sign in, in seconds; 0 for no time.
    public var minimumIdentityAgeSeconds: Int64 = 86_400
    /// What server-initiated requests are signed with; nil where there are none.
    public var requestSigner: RequestSigner?
    /// Whether an app may begin one without a text for its user, and by naming a subject.
    public var takesMinimalPushes = false
    /// Claims that are handed to the app besides the attributes, by name.
    public var claims: [String] = []
    /// The claim that names one person at all clients of the issuer; nil where none does.
    public var crossClientKey: String?
    /// Whether its ID tokens tell who somebody was before the app moved to another team, as Apple's do. Elsewhere a
    /// claim of that name is a stranger's word about somebody's account.
    public var takesTransfers = false
    /// Whether authorization requests may carry the session of a line authentication that the handset has done.
    public var takesLineTokens: Bool
    /// For one call.
    public var timeout: Duration = .seconds(5)
    /// For a whole sign-in.
    public var signInTimeout: Duration = .seconds(15)
    public var connectionsPerHost = 4
    public var caFile: String?
    /// By which https goes out; nil where nothing is between.
    public var outboundProxy: OutboundProxy?
    /// Whose names may stand in an ID token's audience beside ours (OpenID Connect Core §3.1.3.7, step 3).
    public var trustedAudiences: [String] = []
    public var allowsLoopbackHTTP = false
    public var cacheBounds = CacheBounds.standard
    /// How many sign-ins may be in flight; 0 for any number.
    public var inFlight = 0
    public var circuit: CircuitBreaker.Limits = .standard
    /// nil where the provider tells us of no events.
    public var events: EventReceiving?
    /// Whether the provider's tokens are kept for users.
    public var keepsTokens = false
    /// Where its tokens are revoked, whatever metadata says.
    public var revocationEndpoint: EndpointURL?
    /// nil where none of its access tokens signs anybody in.
    public var tokenExchange: TokenExchange?
    /// Whether its servers are told the trace that a call belongs to (W3C Trace Context).
    public var passesTraceContext = false
    /// The API of the provider's directory of users; nil where nobody signs up by us.
    public var userAPI: UserAPI?
    /// Whether our own authorization requests come without a code challenge, for providers that take none.
    public var omitsPKCE = false
    /// How the browser brings the provider's answer back.
    public var responseMode: ResponseMode
    public var authenticationTimes: AuthenticationTimes
    public var freshness: FreshnessProof = .authenticationTime
    /// Whether its logout tokens must say what they are, by `typ: logout+jwt`.
    public var demandsLogoutType = true
    /// For which addresses its word counts that it has verified them.
    public var emailTrust: EmailTrust
    /// In whose words it refuses; nil: by the host of its issuer.
    public var dialect: DialectName?
    /// What keeps the codes of its apps from being good for others.
    public var codeProtection: CodeProtection

    /// What is known of everybody's provider of that profile, and nothing that this one is configured with besides.
    public init(
        _ profile: ProviderProfile, name: String, issuerSource: IssuerSource, clientID: String,
        authentication: ClientAuthentication, redirectURIs: [String], emailTrust: EmailTrust,
        codeProtection: CodeProtection
    ) {
        (self.name, self.issuerSource, self.clientID) = (name, issuerSource, clientID)
        (self.authentication, self.redirectURIs, self.emailTrust) = (authentication, redirectURIs, emailTrust)
        self.codeProtection = codeProtection
        redirectURIUse = profile.redirectURI
        algorithms = profile.algorithms
        scopes = profile.scopes
        requiresPKCE = profile.requirePKCE
        userinfo = profile.userinfo
        takesLineTokens = profile.takesLineTokens
        responseMode = profile.responseMode
        authenticationTimes = profile.authTime
    }
}

extension ProviderConfiguration {
    /// The names of the issuer; nil where sign-ins find it by network.
    public var issuerNames: IssuerNames? {
        issuerSource.issuer.map { IssuerNames($0, spellings: issuerSpellings, tenants: tenants) }
    }

    /// The name under which users are stored now who may have been stored under another: of issuers that have changed
    /// their name, and of other spellings of one.
    public var formerIssuerNames: [String: String] {
        let names = issuerNames
        var current: [String: String] = [:]
        for name in (names?.all ?? []) + issuerAliases.keys {
            let spelled = names?.stored(name) ?? name
            let stored = issuerAliases[spelled] ?? spelled
            if !stored.isExactly(name) { current[name] = stored }
        }
        return current
    }

    /// Whether an ID token of this issuer could be taken here.
    public func mayIssue(as name: String) -> Bool { IssuerLookup(self).mayIssueAs(name) }

    /// What keys of ours it signs with, where it has none of its own.
    public var sharedKeys: Set<SignatureAlgorithm> {
        Set([authentication.sharedKey, requestSigner?.sharedKey].compactMap(\.self))
    }
}

/// A host, or all hosts below a domain: `login.example.com` or `*.example.com`.
///
/// The star stands for one label or more; the domain itself is not below itself.
public struct HostPattern: Sendable, Equatable {
    private let suffix: String
    private let isWildcard: Bool

    /// - Parameter text: as in the configuration; compared without regard to letter case.
    public init(_ text: String) {
        let text = text.lowercased()
        isWildcard = text.hasPrefix("*.")
        suffix = isWildcard ? String(text.dropFirst(1)) : text
    }

    /// As it is configured, in lower case.
    public var text: String { isWildcard ? "*" + suffix : suffix }

    /// Whether this is that very host and not a domain it lies in.
    func names(_ host: String) -> Bool { !isWildcard && matches(host) }

    public func matches(_ host: String) -> Bool {
        let host = host.lowercased()
        return isWildcard ? host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count : host == suffix
    }
}
