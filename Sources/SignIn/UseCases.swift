public import Accounts
public import Apps
public import HTTPClient

/// Everything the API can do for apps, made over one loop's HTTP client.
public struct UseCases: Sendable {
    public let signIn: SignInWithCode
    public let register: RegisterWithTicket
    public let link: LinkIdentity
    public let approve: ApproveTransaction
    public let challenges: Challenges
    public let sessions: Sessions
    public let accounts: UserAccounts
    public let browser: BrowserSignIn
    public let appTokens: AppTokens
    public let introspection: Introspection
    public let endSession: EndAppSession
    public let backChannelLogout: BackChannelLogout
    public let clientKeys: ClientKeyDocument
    public let events: EventReceiver
    public let push: ServerInitiatedSignIn
    public let pushNotifications: PushNotifications

    /// - Parameters:
    ///   - apps: our own apps, and who asks what tokens are good for.
    ///   - maximumPendingSignIns: how many sign-ins through the browser may be under way.
    ///   - codes: the codes that were sent, shared by all loops.
    ///   - logouts: the logout tokens that have come, shared by all loops.
    ///   - events: the events that have come, shared by all loops.
    ///   - pushes: how often users may be asked on their phones, shared by all loops.
    ///   - transport: the loop's own HTTP client.
    ///   - registration: what becomes of somebody nobody knows.
    public init(
        repository: any AccountRepository, tokenIssuer: TokenIssuer, providers: ProviderDirectory,
        codes: DispatchedCodes, logouts: SeenTokens, events: SeenTokens, pushes: PushLimits,
        transport: any HTTPTransport, registration: RegistrationMode,
        apps: AppDirectory,
        maximumPendingSignIns: Int64, clock: Clock
    ) {
        let supplies = AuthorizationCodeGrant.Supplies(
            repository: repository, codes: codes, transport: transport, clock: clock)
        let sensitive = SensitiveActions(
            maximumAgeSeconds: tokenIssuer.configuration.sensitiveMaximumAgeSeconds, providers: providers)
        signIn = SignInWithCode(
            accounts: repository, tokenIssuer: tokenIssuer, supplies: supplies, registration: registration)
        register = RegisterWithTicket(
            accounts: repository, providers: providers, tokenIssuer: tokenIssuer, clock: clock)
        link = LinkIdentity(accounts: repository, sensitive: sensitive, supplies: supplies)
        approve = ApproveTransaction(accounts: repository, tokenIssuer: tokenIssuer, supplies: supplies)
        challenges = Challenges(repository: repository, clock: clock)
        sessions = Sessions(repository: repository, tokenIssuer: tokenIssuer, clock: clock)
        accounts = UserAccounts(repository: repository, sensitive: sensitive, clock: clock)
        browser = BrowserSignIn(
            signIn: signIn, repository: repository, transport: transport, apps: apps,
            maximumPending: maximumPendingSignIns, clock: clock, issuer: tokenIssuer.configuration.issuer)
        appTokens = AppTokens(
            repository: repository, sessions: sessions, tokenIssuer: tokenIssuer, clock: clock)
        introspection = Introspection(repository: repository, tokenIssuer: tokenIssuer, clock: clock)
        clientKeys = ClientKeyDocument(keys: tokenIssuer.keys, providers: providers)
        endSession = EndAppSession(
            repository: repository, tokenIssuer: tokenIssuer, apps: apps, providers: providers, transport: transport,
            states: LogoutStates(challenges: challenges, clock: clock), clock: clock)
        push = ServerInitiatedSignIn(
            repository: repository, providers: providers, tokenIssuer: tokenIssuer, limits: pushes,
            transport: transport, clock: clock)
        pushNotifications = PushNotifications(
            signIn: signIn, repository: repository, providers: providers, limits: pushes, clock: clock)
        backChannelLogout = BackChannelLogout(
            repository: repository, seen: logouts, transport: transport, clock: clock)
        self.events = EventReceiver(repository: repository, seen: events, transport: transport, clock: clock)
    }
}

/// The time of day, given to the use cases from outside so that tests choose it.
public struct Clock: Sendable {
    private let read: @Sendable () -> Int64

    /// - Parameter read: gives the seconds since 1970.
    public init(_ read: @escaping @Sendable () -> Int64) {
        self.read = read
    }

    /// Seconds since 1970.
    public var seconds: Int64 { read() }
}
