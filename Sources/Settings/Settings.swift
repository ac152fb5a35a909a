public import Accounts
public import Apps
public import Crypto
internal import HTTPClient
public import HTTPServer
public import Logging
public import Observability
public import Providers
public import Syntax

/// The whole configuration, validated: what `Settings.load` returns has passed every rule.
///
/// Names are those of the keys. A property that is optional because its limit can be off says so; nothing here is
/// ever "zero means something else".
public struct Settings: Sendable {
    public internal(set) var http = HTTP()
    public internal(set) var admin = Admin()
    public internal(set) var probes = Probes()
    public internal(set) var audit = Audit()
    /// The keys an app may send in `X-API-KEY`; none: no key is demanded.
    public internal(set) var apiKeys: [APIKey] = []
    public internal(set) var rateLimit = RateLimit()
    public internal(set) var instances = 1
    public internal(set) var storage = Storage()
    public internal(set) var session = Session()
    public internal(set) var registration = RegistrationMode.automatic
    public internal(set) var log = Log()
    /// The providers, in the order they are listed, each as it is served.
    public internal(set) var providers: [ProviderConfiguration] = []
    /// Our own apps, for browser sign-in, in the order they are listed.
    public internal(set) var apps: [RegisteredApp] = []
    /// The services that may ask what an access token is good for.
    public internal(set) var resourceServers: [ResourceServer] = []
    public internal(set) var browser = Browser()
    public internal(set) var outbox = Outbox()
    public internal(set) var traces = Traces()
    public internal(set) var associationFiles = AssociationFiles()
    /// Those of the wings, by their types.
    var wings: [ObjectIdentifier: any WingSettings] = [:]
    /// Every key outside the sections with names, in the order of the reference.
    let keys: [SettingKey<Settings>]
    private let wingTypes: [any WingSettings.Type]
    /// What the lists say, and the section of each name; what is served, above, is made from them.
    var listedProviders = Listed<ProviderSettings>(names: [])
    var listedApps = Listed<AppSettings>(names: [])
    var listedResourceServers = Listed<ResourceServerSettings>(names: [])
    var listedOperators = Listed<OperatorSettings>(names: [])

    /// What answers say of https (RFC 6797): `http.hstsSeconds`, but nil where nobody comes by https, or to a loopback
    /// host, of which it would be said for whatever else listens there.
    public var hstsSeconds: Int? { isReachedByHTTPS ? http.hstsSeconds : nil }

    var isReachedByHTTPS: Bool { session.issuer.map { $0.isSecure && !HostName.isLoopback($0.host) } ?? false }

    /// The provider of that name; nil where the configuration has none.
    public func provider(named name: String) -> ProviderConfiguration? { providers.first { $0.name == name } }

    /// With the defaults.
    package init(wings: [any WingSettings.Type]) {
        wingTypes = wings
        keys = SettingKey<Settings>.all(with: wings)
        for wing in wings { self.wings[ObjectIdentifier(wing)] = wing.init() }
    }

    /// What there is where nobody has said anything.
    var fresh: Settings { Settings(wings: wingTypes) }

    /// The settings of every wing, in the order of the list.
    var ofWings: [any WingSettings] { wingTypes.compactMap { wings[ObjectIdentifier($0)] } }

    /// The listener for apps, and its limits.
    public struct HTTP: Sendable {
        public internal(set) var host = "127.0.0.1"
        /// 0: chosen by the kernel.
        public internal(set) var port: UInt16 = 8080
        /// Event loops; nil: one per processor that the process may use, 64 at most.
        public internal(set) var loops: Int?
        /// Connections at once; nil: no limit.
        public internal(set) var connections = limit(usual.maximumConnections)
        /// Size of a request head; nil: no limit.
        public internal(set) var headerBytes = limit(usual.maximumHeaderBytes)
        /// Size of a request body; nil: no limit.
        public internal(set) var bodyBytes = limit(usual.maximumBodyBytes)
        /// Time for a whole request head; nil: no limit.
        public internal(set) var headerTimeoutSeconds = limit(usual.headerTimeout)
        /// Time for a whole request body; nil: no limit.
        public internal(set) var bodyTimeoutSeconds = limit(usual.bodyTimeout)
        /// How long a connection may wait for its next request; nil: no limit.
        public internal(set) var idleTimeoutSeconds = limit(usual.idleTimeout)
        /// How long requests in flight may take once the server was told to stop; 0: it stops at once.
        public internal(set) var drainSeconds = 25
        /// Connections of one client address at once; nil: no limit.
        public internal(set) var connectionsPerAddress = limit(usual.maximumConnectionsPerAddress)
        /// How long the server goes on, not ready any more, after SIGTERM.
        public internal(set) var lameDuckSeconds = 5
        /// The proxies whose word about the client's address is believed.
        public internal(set) var trustedProxies: [AddressRange] = []
        /// The one header that those proxies write it into; any other is ignored.
        public internal(set) var clientAddressHeader = ClientAddressHeader.xForwardedFor
        /// For how long a browser that has come by https comes by nothing else; nil: nothing is said of it.
        var hstsSeconds: Int? = 31_536_000
        var tlsCertificateFile: String?
        var tlsKeyFile: String?
        var tlsCertificates: [CertificateFiles] = []
        /// Where plain http is answered with the way to https; nil: nowhere.
        public internal(set) var redirectPort: Int?
        /// The answers to an ACME server's challenges, at that port.
        public internal(set) var acmeFolder: String?
        /// By which https goes out to providers that have no word of their own about it; nil: nothing is between.
        var outboundProxy: OutboundRoute?
        var outboundProxyExceptions: [ProxyException] = []

        /// What a listener takes unless it is told otherwise.
        private static let usual = HTTPServerLimits()

        /// A limit of the listener, for which 0 turns it off.
        private static func limit(_ number: Int) -> Int? { number > 0 ? number : nil }
        private static func limit(_ time: Duration) -> Int? { limit(Int(time.components.seconds)) }

        /// Whether nobody but this machine can reach it.
        var isOnLoopback: Bool { HostName.isLoopback(host) }

        /// What it serves under; none: plain http. Clients that ask for no name get the first.
        public var certificates: [CertificateFiles] {
            guard let tlsCertificateFile, let tlsKeyFile else { return tlsCertificates }
            return [CertificateFiles(certificateFile: tlsCertificateFile, keyFile: tlsKeyFile)] + tlsCertificates
        }

        /// By which clients come.
        public var scheme: String { certificates.isEmpty ? "http" : "https" }
    }

    /// The listener for operators.
    public struct Admin: Sendable {
        public internal(set) var host = "127.0.0.1"
        /// 0: chosen by the kernel.
        public internal(set) var port: UInt16 = 8081
        /// The one without a name; nil only where there are ``operators``, or where ``isOnLoopback``.
        public internal(set) var token: Secret?
        /// Opens the metrics and nothing else.
        public internal(set) var metricsToken: Secret?
        /// Those who have tokens of their own.
        public internal(set) var operators: [Operator] = []
        /// Nil: nobody has said.
        var openOnLoopback: OpenOnLoopback?
        /// What anyone on this machine may do where nobody has a token.
        public internal(set) var roleOnLoopback = OperatorRole.auditor
        public internal(set) var reasons = Reasons.optional
        /// What it serves under; none: plain http.
        public internal(set) var certificates: [CertificateFiles] = []
        /// Who issues the certificates that operators may show.
        public internal(set) var clientCAFile: String?

        /// Whether looks at a person take a reason.
        public enum Reasons: String, Sendable, CaseIterable {
            case optional, required
        }

        /// Whether everybody on this machine is an operator where nobody has a token.
        enum OpenOnLoopback: String, Sendable, CaseIterable {
            case yes = "true"
            case no = "false"
        }

        /// Whether nobody but this machine can reach it.
        public var isOnLoopback: Bool { HostName.isLoopback(host) }

        /// Whether anybody has a token.
        public var hasTokens: Bool { token != nil || !operators.isEmpty }
    }

    /// The listener for what looks after the process.
    public struct Probes: Sendable {
        /// Nil: there is none.
        public internal(set) var host: String?
        /// 0: chosen by the kernel.
        public internal(set) var port: UInt16 = 8082
    }

    /// What an operator may be given to do.
    public enum OperatorRole: String, Sendable, CaseIterable {
        case auditor, support, `operator`, metrics
    }

    /// Somebody with an admin token of their own.
    public struct Operator: Sendable {
        public let name: String
        /// Nil for one who proves themselves by a certificate only.
        public let token: Secret?
        /// The SHA-256 of their certificate.
        public let certificate: [UInt8]?
        public let roles: [OperatorRole]
        /// From when on the token is refused, in seconds since 1970; nil: never.
        public let expiresAt: Int64?
    }

    /// The audit trail.
    public struct Audit: Sendable {
        /// How long an event stays; nil: for good.
        public internal(set) var retentionDays: Int? = 400
    }

    /// How often one client address may do something in a minute; nil: no limit. Carrier-grade NAT puts many
    /// subscribers behind one address, so the limits are wide.
    public struct RateLimit: Sendable {
        public internal(set) var signInsPerMinutePerAddress: Int? = 600
        public internal(set) var challengesPerMinutePerAddress: Int? = 600
        public internal(set) var failedRefreshesPerMinutePerAddress: Int? = 600
        public internal(set) var failedAdminTokensPerMinutePerAddress: Int? = 60
        /// Browser sign-ins that an app sends a user to begin.
        public internal(set) var authorizationsPerMinutePerAddress: Int? = 600
        /// How often a user is signed in by an access token of the provider's.
        public internal(set) var exchangesPerHourPerUser: Int? = 60
        /// How often a user's replaced refresh tokens get their answers again.
        public internal(set) var refreshRepeatsPerHourPerUser: Int? = 3600
        /// How often what somebody has typed is compared with one attribute of a user's.
        public internal(set) var attributeMatchesPerDayPerUser: Int? = 5
        /// Tokens that are looked at for services at once; sixteen times as many may wait.
        public internal(set) var introspectionsAtOnce = 64

        /// Whether any of them is on, those of what may be off apart.
        var isOn: Bool {
            [
                signInsPerMinutePerAddress, challengesPerMinutePerAddress, failedRefreshesPerMinutePerAddress,
                failedAdminTokensPerMinutePerAddress, authorizationsPerMinutePerAddress,
            ].contains { $0 != nil }
        }
    }

    public struct Storage: Sendable {
        public internal(set) var url = StorageLocation.file(path: "data/gatehouse.db")
        /// Nil: beside the database.
        public internal(set) var masterKeyFile: String?
        /// Whether a store is made where `masterKeyFile` names a key and there is none.
        public internal(set) var create = false
        /// Whether a file of an earlier version is copied beside itself before it is changed.
        public internal(set) var copyBeforeUpdate = true
        /// Of the user that `url` names, where that has none.
        public internal(set) var password: Secret?
        /// What outlives a database; nil where nothing does.
        public internal(set) var ledger: StorageLocation?
        /// Of each event loop to a database server, like all that follow.
        public internal(set) var connections = 4
        /// For one try to connect.
        public internal(set) var connectSeconds = 5
        /// For one statement.
        public internal(set) var statementSeconds = 5
        public internal(set) var requestSeconds = 5
        /// How long a request waits to begin while those before it wait for connections.
        public internal(set) var queueMilliseconds = 1000
        /// How many operations may do something with the same row at a time.
        public internal(set) var operationsPerRow = 2
        /// How long a row that somebody has locked may keep those behind it waiting.
        public internal(set) var lockWaitMilliseconds = 100
        /// For who waits longer than that, of all loops together.
        public internal(set) var lockConnections = 4
        public internal(set) var clockSkewSeconds = 60
        /// Whether statements stay prepared.
        public internal(set) var preparedStatements = true
        public internal(set) var dialect = StorageDialect.postgresql
    }

    /// The sessions Gatehouse itself hands to apps.
    public struct Session: Sendable {
        /// Nil: made from the listener's address, once its port is known.
        public internal(set) var issuer: EndpointURL?
        public internal(set) var audience: String?
        /// Whether who posts codes gets tokens for this service, and those for `audience` by asking.
        public internal(set) var splitAudiences = false
        /// What sessions of posted codes may do, by name.
        var scopes = [Permissions.everything]
        /// What sessions by token exchange may do, by name.
        var exchangeScopes = Permissions.ofExchanges.names.map { Permissions(scope: $0) }

        public var permissions: Permissions { scopes.reduce(into: []) { $0.formUnion($1) } }
        public var exchangePermissions: Permissions { exchangeScopes.reduce(into: []) { $0.formUnion($1) } }

        public internal(set) var accessTokenSeconds = 900
        public internal(set) var refreshTokenDays = 30
        var refreshRepeat = RefreshRepeat.untilSuccessor
        /// As versions before counted; nil where it is not given.
        var refreshGraceSeconds: Int?
        public var refreshRepeats: RefreshRepeat {
            refreshGraceSeconds.map { .grace(seconds: Int64($0)) } ?? refreshRepeat
        }
        /// Nil: no end.
        public internal(set) var absoluteDays: Int? = 365
        /// Nil: any number.
        public internal(set) var maximumPerUser: Int? = 50
        /// Nil: any number.
        public internal(set) var maximumPerApp: Int? = 25
        /// Nil: any number.
        public internal(set) var maximumExchangedPerUser: Int? = 10
        /// 0: providers are not asked again.
        var providerCheckDays = 0
        /// Nil: any time.
        public internal(set) var sensitiveMaxAgeSeconds: Int? = 300
        /// How long after its last word a provider is asked again; nil: never.
        public var providerCheckSeconds: Int64? { providerCheckDays > 0 ? Int64(providerCheckDays) * 86_400 : nil }

        /// What apps see as `sub`; nil: as the store was made, and a new one by reference.
        var subject: SubjectForm?
        public var subjects: SubjectForm { subject ?? .reference }
        /// Nil where the sections leave it to the store.
        public var chosenSubjects: SubjectForm? { subject }
        var tokenType = AccessTokenFormat.TokenType.atJWT
        var signing = SigningAlgorithm.es256
        /// Access tokens that are remembered as good.
        public internal(set) var rememberedTokens = 16_384

        public var accessTokens: AccessTokenFormat { AccessTokenFormat(type: tokenType, algorithm: signing) }
    }

    public struct Log: Sendable {
        public internal(set) var level = Logger.Level.info
        public internal(set) var format = LogFormat.text
    }

    /// What users meet in their browser, and how many may be on their way there.
    public struct Browser: Sendable {
        /// Who runs this service, as its pages say it; nil: they name the app alone.
        public internal(set) var name: String?
        var logoFile: String?
        /// The picture that `logoFile` holds, as a `data:` URI (RFC 2397): pages load nothing from elsewhere.
        public internal(set) var logo: String?
        /// Sign-ins that may be under way at once; of more the oldest of the address with most give way.
        public internal(set) var pendingSignIns = 200_000
        /// What they may take in the store, in bytes; one address holds at most a twentieth of it.
        public internal(set) var pendingBytes = 256 << 20
        /// How long a browser keeps that its user has confirmed an app that others can imitate; 0: not at all.
        public internal(set) var confirmationDays = 90
    }

    /// Sign-ins that our server begins on users' phones.
    public struct Outbox: Sendable {
        /// How long a provider is told again that something has ended here.
        public internal(set) var giveUpHours = 72
    }

    /// What phones fetch to learn which apps belong to this host: the files as they are. Nil: there is none.
    public struct AssociationFiles: Sendable {
        var appleFile: String?
        public internal(set) var apple: [UInt8]?
        var androidFile: String?
        public internal(set) var android: [UInt8]?
    }
}

extension Settings {
    /// Makes what is served of what the sections say, once that holds.
    ///
    /// - Parameter writtenBefore: whether the store is older than keys that now have a stricter default, and so the
    ///   sections may be: then an absent one means what it meant, and ``noticesOfEarlierMeanings()`` tells of it.
    /// - Throws: the fault without which there would be one.
    public mutating func makeWhatIsServed(writtenBefore: Bool = false) throws(SettingsError) {
        providers = []
        resourceServers = []
        for section in listedProviders.sections {
            var provider = try section.configuration(
                sharedRedirectURIs: sharedRedirectURIs(of: section), writtenBefore: writtenBefore)
            provider.trustedAudiences = section.trustedAudiences
            provider.outboundProxy = (section.outboundProxy ?? http.outboundProxy)?.proxy
            provider.outboundProxy?.exceptions = http.outboundProxyExceptions
            provider.subjectsAreOfClient = section.profile.subjectsAreOfClient
            for entry in section.scopesFor {
                guard let app = listedApps.sections.first(where: { $0.name == entry.app }) else { continue }
                provider.scopesFor[app.clientID] = entry.scopes
            }
            providers.append(provider)
        }
        apps = listedApps.sections.map { $0.registered(inOlderStore: writtenBefore) }
        for section in listedResourceServers.sections { resourceServers.append(try section.resourceServer()) }
        admin.operators = []
        for section in listedOperators.sections { admin.operators.append(try section.configured()) }
        let isOpen = admin.openOnLoopback.map { $0 == .yes } ?? writtenBefore
        admin.roleOnLoopback = isOpen ? .operator : .auditor
    }

    /// Says what the store has, where the sections leave it to that.
    public mutating func settle(subject: SubjectForm) { session.subject = subject }

    private func noticesOfOpenListener() -> [SettingsNotice] {
        guard admin.openOnLoopback == nil, !admin.hasTokens else { return [] }
        let sentence =
            "is not set, and the store is older than the key: without a token everybody on this machine is an operator, as "
            + "before. Give operators tokens (admin.tokens), or set it to true or false"
        return [SettingsNotice("admin.openOnLoopback", sentence)]
    }

    /// What is worth knowing of tokens at a time: those that are refused.
    ///
    /// - Parameter now: seconds since 1970.
    public func noticesOfExpiry(now: Int64) -> [SettingsNotice] {
        admin.operators.filter { $0.expiresAt.map { $0 <= now } ?? false }.map { person in
            SettingsNotice("admin.tokens.\(person.name).expires", "is over: the token is refused")
        }
    }

    /// What is worth knowing where the sections are taken as written before.
    public func noticesOfEarlierMeanings() -> [SettingsNotice] {
        listedApps.sections.flatMap { $0.noticesOfOlderStore() }
            + listedProviders.sections.flatMap { $0.noticesOfOlderStore() } + noticesOfOpenListener()
    }
}
