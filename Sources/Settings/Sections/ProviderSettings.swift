internal import Crypto
internal import Providers
internal import Syntax

/// One provider's section: what its keys say, of which a ``ProviderConfiguration`` is made once they go together.
struct ProviderSettings: NamedSection {
    static let word = "provider"
    static let list = "providers"
    static let noun = "a provider"
    static var keys: [SettingKey<Self>] { SettingKey<Self>.all }
    static var place: any WritableKeyPath<Settings, Listed<Self>> & Sendable { \.listedProviders }

    let name: String
    /// Nil: people read the host of the issuer.
    var displayName: String?
    var logoFile: String?
    var logo: ProviderLogo?
    var order = 0
    var profile = ProviderProfile.zenKey
    /// Nil: as the profile has it, else by the host of the issuer.
    var dialect: DialectName?
    /// Where discovery is asked by mobile network, for profile `zenkey`; for the others where metadata lies, nil for
    /// the well-known place.
    var discoveryURL: EndpointURL?
    /// Where users choose a carrier, for when discovery names no page.
    var discoveryUI: EndpointURL?
    /// Where discovery starts, and what every ID token must say; present for every profile but `zenkey`.
    var issuer: ConfiguredIssuer?
    /// Other spellings of its name.
    var issuers: [String] = []
    /// Who is let in by an issuer that is a template; `*` for any.
    var tenants: [String] = []
    var clientID = ""
    /// Present for the `client_secret` ways.
    var clientSecret: Secret?
    var clientAuthentication = ClientAuthenticationMethod.basic
    /// Nil only until the profile's own way is filled in.
    var chosenBasicEncoding: ClientAuthentication.BasicEncoding?
    var basicEncoding: ClientAuthentication.BasicEncoding { chosenBasicEncoding ?? profile.basicEncoding }
    /// Whether nobody chose it.
    var hasUsualBasicEncoding = false
    /// Of `private_key_jwt` where the provider is given a key of its own, and of `apple`.
    var clientKey: PrivateKey?
    /// What the provider calls that key; nil for its thumbprint.
    var clientKeyID: String?
    /// Nil: as the key has it, else RS256.
    var assertionAlgorithm: AssertionAlgorithm?
    var assertionAudience = ClientAssertion.Audience.token
    var appleTeamID: String?
    var appleKeyID: String?
    var redirectURI = RedirectURIUse.required
    var responseMode = ResponseMode.query
    var nativeTokens = false
    var nativeNonce = NonceForm.hexadecimalSHA256
    var nativeTokenMaxAgeSeconds = 600
    var audiences: [FurtherAudience] = []
    var idTokenVerificationURL: EndpointURL?
    /// Empty only where no code has one. For profile `zenkey` the default is the redirect URI of its mobile SDKs.
    var redirectURIs: [String] = []
    /// Host names in lower case, of which one that starts with `*.` stands for every host below that name, and URLs of
    /// issuers to the letter.
    var trustedIssuers = [
        "*.att.com", "*.verizon.com", "*.t-mobile.com", "*.myzenkey.com", "*.xcijv.com",
    ]
    var issuerAliases: [IssuerAlias] = []
    var trustedAudiences: [String] = []
    /// The algorithms an ID token may be signed with; empty only until the profile's own are filled in.
    var algorithms: [SignatureAlgorithm] = []
    var atHashOfEdDSA = EdDSATokenHash.sha512
    /// Empty only until the profile's own are filled in.
    var scopes: [String] = []
    var scopesFor: [NamedScopes] = []
    /// Whether the `iss` of the authorization response (RFC 9207) is demanded whatever metadata says.
    var requireIss = false
    var requirePKCE = true
    var pkce = PKCEUse.auto
    var codeNonce = CodeNonce.required
    var requireNonce = false
    var requireChallenge = false
    /// Nil: any level of assurance will do.
    var minimumACR: RequiredAuthentication?
    var authTime = AuthenticationTimes.auto
    var freshness = FreshnessProof.authenticationTime
    var clockSkewSeconds = 60
    /// Nil: no limit.
    var portTokenMaxAgeDays: Int? = 200
    var userinfo = UserinfoUse.required
    /// Nil only until the profile's own is filled in.
    var chosenTrustEmails: EmailTrust.Extent?
    var trustEmails: EmailTrust.Extent { chosenTrustEmails ?? profile.trustEmails }
    /// Whether nobody chose it.
    var hasDefaultTrustEmails = false
    /// In lower case.
    var emailDomains: [String] = []
    /// Nil: no time.
    var transactionIdentityMinimumAgeHours: Int? = 24
    /// Claims that are handed to the app besides the attributes, by name; none of them is a protocol's.
    var claims: [String] = []
    /// The claim that names one person at all clients of the issuer; nil: none does.
    var crossClientKey: String?
    /// Whether our server may have the carrier ask its subscribers; profile `zenkey`.
    var serverInitiation = ServerInitiation.off
    var keepTokens = false
    /// Nil: as metadata has it.
    var revocationURL: EndpointURL?
    var tokenExchange = ExchangeRule.off
    var tokenExchangeAudiences: [String] = []
    var userAPI = UserAPISettings()
    /// Nil: none are taken.
    var events: EventDialect?
    var eventAudiences: [String] = []
    /// Where the transmitter's configuration lies; of `risc`.
    var eventConfigurationURL: EndpointURL?
    var eventMaxAgeDays = 7
    /// What the provider tells that locks the whole user.
    var lockOnEvents: [LockingEvent] = []
    /// Nil: nobody has said it, which means `required`, or `any` in a section that was written before there was the
    /// key.
    var logoutTyp: LogoutTyp?
    /// Time for one call to the provider; nil: no limit.
    var timeoutSeconds: Int? = 10
    /// Time for a whole sign-in; nil: no limit.
    var signInTimeoutSeconds: Int? = 20
    /// Connections to one host at once, of all loops together; nil: no limit.
    var connectionsPerHost: Int? = 512
    /// Sign-ins at once; nil: no limit.
    var inFlight: Int? = 2000
    /// Nil: as all others.
    var outboundProxy: OutboundRoute?
    var caFile: String?
    var traceContext = false
    var allowLoopbackHTTP = false

    init(name: String) {
        self.name = name
    }

    /// A section of the same profile with nothing else in it but, where that chooses defaults, the issuer.
    var fresh: Self {
        var fresh = Self(name: name)
        fresh.profile = profile
        if profile.place != nil { fresh.issuer = issuer }
        fresh.takePreset()
        return fresh
    }
}

extension ProviderSettings {
    private static let secondsPerDay: Int64 = 86_400
    private static let secondsPerHour: Int64 = 3600
    /// Stands for a limit that is switched off.
    private static let unlimited = Duration.seconds(86_400)

    /// The provider as it is served.
    ///
    /// - Parameters:
    ///   - sharedRedirectURIs: those of its redirect URIs that other issuers' answers come back to as well.
    ///   - writtenBefore: whether the section may have been written before there were keys that now have a stricter
    ///     default, so that what nobody has said means what it meant then.
    /// - Throws: the fault without which there would be one.
    func configuration(
        sharedRedirectURIs: [String], writtenBefore: Bool = false
    ) throws(SettingsError) -> ProviderConfiguration {
        var configuration = ProviderConfiguration(
            profile, name: name, issuerSource: try issuerSource(), clientID: clientID,
            authentication: try authentication(), redirectURIs: redirectURIs,
            emailTrust: emailTrust(writtenBefore: writtenBefore),
            codeProtection: CodeProtection(pkce: pkce, nonce: codeNonce))
        configuration.displayName = nameForPeople
        configuration.logo = logo
        configuration.order = order
        configuration.sharedRedirectURIs = sharedRedirectURIs
        configuration.demandsLogoutType = (logoutTyp ?? (writtenBefore ? .any : .required)) == .required
        configuration.events = try eventReceiving()
        configuration.requestSigner = try requestSigner()
        configuration.userAPI = try servedUserAPI()
        setTrust(of: &configuration)
        setRequests(of: &configuration)
        setLimits(of: &configuration)
        return configuration
    }

    /// Whom it is believed to be, and what its tokens must show.
    private func setTrust(of configuration: inout ProviderConfiguration) {
        configuration.discoveryURL = profile.findsIssuerByNetwork ? nil : discoveryURL
        configuration.issuerSpellings = issuers
        configuration.tenants = letIn
        configuration.trustedIssuers = trustedIssuers.map { TrustedIssuer($0) }
        configuration.issuerAliases = Dictionary(issuerAliases.map { ($0.old.text, $0.new.text) }) { first, _ in first }
        configuration.algorithms = algorithms
        configuration.accessTokenDigestOfEdDSA = atHashOfEdDSA.digest
        configuration.nativeTokens = nativeTokenRules
        configuration.idTokenVerificationEndpoint = idTokenVerificationURL
        configuration.requiresIssuer = requireIss
        configuration.requiresPKCE = requirePKCE
        configuration.requiresNonce = requireNonce
        configuration.requiresChallenge = requireChallenge
        configuration.minimumACR = minimumACR
        configuration.clockSkewSeconds = Int64(clockSkewSeconds)
        configuration.locksOnHijacking = lockOnEvents.contains(.hijacking)
        configuration.portTokenMaximumAgeSeconds = Int64(portTokenMaxAgeDays ?? 0) * Self.secondsPerDay
        configuration.minimumIdentityAgeSeconds =
            Int64(transactionIdentityMinimumAgeHours ?? 0) * Self.secondsPerHour
        configuration.authenticationTimes = authTime
        configuration.freshness = freshness
        configuration.crossClientKey = crossClientKey
        configuration.takesTransfers = clientAuthentication == .apple
    }

    /// What it is asked for.
    private func setRequests(of configuration: inout ProviderConfiguration) {
        configuration.dialect = dialect ?? profile.words
        configuration.scopes = scopes
        configuration.claims = claims
        configuration.userinfo = userinfo
        configuration.redirectURIUse = redirectURI
        configuration.responseMode = responseMode
        configuration.omitsPKCE = profile.mayOmitPKCE && !requirePKCE
        configuration.discoveryUI = discoveryUI?.text
        configuration.keepsTokens = keepTokens
        configuration.revocationEndpoint = revocationURL
        configuration.tokenExchange = exchange
        configuration.takesMinimalPushes = serverInitiation == .minimal
        configuration.passesTraceContext = traceContext
    }

    /// How it is called.
    private func setLimits(of configuration: inout ProviderConfiguration) {
        configuration.timeout = timeoutSeconds.map { .seconds($0) } ?? Self.unlimited
        configuration.signInTimeout = signInTimeoutSeconds.map { .seconds($0) } ?? Self.unlimited
        configuration.connectionsPerHost = connectionsPerHost ?? 0
        configuration.inFlight = inFlight ?? 0
        configuration.caFile = caFile
        configuration.allowsLoopbackHTTP = allowLoopbackHTTP
    }

    /// How the issuer of a sign-in is found.
    func issuerSource() throws(SettingsError) -> ProviderConfiguration.IssuerSource {
        if profile.findsIssuerByNetwork {
            guard let discoveryURL else {
                let expected = "the URL of the discovery issuer: profile \(profile.name) needs it"
                throw SettingsError(.missing, key("discoveryURL"), value: "", expected: expected)
            }
            return .network(discoveryURL: discoveryURL.text)
        }
        guard let issuer else {
            let expected = "the provider's issuer URL: profile \(profile.name) needs it"
            throw SettingsError(.missing, key("issuer"), value: "", expected: expected)
        }
        return .configured(issuer: issuer.text)
    }
}

extension ProviderSettings {
    /// What the profile's values depend on: the profile; whether the issuer is its own; whether there is a secret.
    static var presetKeys: Set<String> { ["profile", "issuer", "clientSecret"] }

    /// Takes what is known of everybody's provider of that profile.
    mutating func takePreset() {
        if let place = profile.place { take(place) }
        if let network = profile.network { discoveryURL = Self.address(network.url) }
        clientAuthentication =
            profile.doesWithoutSecret && clientSecret == nil ? .publicClient : profile.clientAuthentication
        redirectURI = profile.redirectURI
        responseMode = profile.responseMode
        requirePKCE = profile.requirePKCE
        nativeTokens = profile.nativeTokens
        userinfo = profile.userinfo
        authTime = profile.authTime
        pkce = profile.pkce
        emailDomains = profile.emailDomains
    }

    /// The documents of one issuer tell nothing of another, and its tokens are nobody else's to verify.
    private mutating func take(_ place: ProviderProfile.Place) {
        if issuer == nil { issuer = ConfiguredIssuer(place.issuer) }
        guard issuer?.text == place.issuer else { return }
        issuers = place.issuers
        discoveryURL = Self.address(place.discoveryURL)
        idTokenVerificationURL = Self.address(place.idTokenVerificationURL)
        eventConfigurationURL = Self.address(place.eventConfigurationURL)
    }

    private static func address(_ text: String?) -> EndpointURL? {
        text.flatMap { try? EndpointURL(configured: $0) }
    }
}
