public import Accounts
public import Apps
public import HTTPClient
internal import Syntax
public import System
public import Telemetry

/// Everything the API can do for apps, made over one loop's HTTP client.
public struct UseCases: Sendable {
    public let signIn: SignInWithProvider
    public let register: RegisterWithTicket
    public let exchange: ExchangeAccessToken
    public let link: LinkIdentity
    public let linkWithTicket: LinkWithTicket
    public let approve: ApproveTransaction
    public let challenges: Challenges
    public let sessions: Sessions
    public let accounts: UserAccounts
    public let merge: MergeAccounts
    public let browser: BrowserSignIn
    public let appTokens: AppTokens
    public let introspection: Introspection
    public let endSession: EndAppSession
    public let clientKeys: ClientKeyDocument
    public let match: MatchAttributes
    /// What all of them are made of, for those of wings.
    public let parts: Parts

    /// What use cases are made of on one loop.
    public struct Parts: Sendable {
        public let repository: any AccountRepository
        public let tokenIssuer: TokenIssuer
        public let providers: ProviderRegistry
        /// The loop's own HTTP client.
        public let transport: any HTTPTransport
        public let clock: Clock
        /// Hear of every step.
        public let observers: Observers
        /// What could take an account over, and what it takes.
        package let sensitive: SensitiveActions
    }

    /// - Parameters:
    ///   - apps: our own apps, and who asks what tokens are good for.
    ///   - browser: what the operator allows of sign-ins through the browser.
    ///   - memory: what all loops remember together.
    ///   - transport: the loop's own HTTP client.
    ///   - registration: what becomes of somebody nobody knows.
    ///   - observers: hear of every step.
    public init(
        repository: any AccountRepository, tokenIssuer: TokenIssuer, providers: ProviderRegistry,
        memory: ProcessMemory, transport: any HTTPTransport, registration: RegistrationMode, apps: AppRegistry,
        browser limits: BrowserSignIn.Limits, clock: Clock, observers: Observers
    ) {
        let dependencies = AuthorizationGrant.Dependencies(
            repository: repository, codes: memory.codes, transport: transport, clock: clock,
            ownRedirectURIs: providers.redirectURIs(on: tokenIssuer.configuration.issuer),
            repeats: memory.budgets.refreshRepeats)
        let sensitive = SensitiveActions(
            maximumAgeSeconds: tokenIssuer.configuration.sensitiveMaximumAgeSeconds, providers: providers)
        parts = Parts(
            repository: repository, tokenIssuer: tokenIssuer, providers: providers, transport: transport, clock: clock,
            observers: observers, sensitive: sensitive)
        signIn = SignInWithProvider(
            accounts: repository, tokenIssuer: tokenIssuer, dependencies: dependencies, registration: registration)
        link = LinkIdentity(accounts: repository, sensitive: sensitive, dependencies: dependencies)
        linkWithTicket = LinkWithTicket(
            accounts: repository, providers: providers, sensitive: sensitive, clock: clock)
        approve = ApproveTransaction(accounts: repository, tokenIssuer: tokenIssuer, dependencies: dependencies)
        challenges = Challenges(repository: repository, clock: clock)
        sessions = Sessions(
            repository: repository, tokenIssuer: tokenIssuer, apps: apps, providers: providers,
            repeats: memory.budgets.refreshRepeats, clock: clock)
        accounts = UserAccounts(repository: repository, sensitive: sensitive, clock: clock)
        merge = MergeAccounts(repository: repository, sessions: sessions, sensitive: sensitive, clock: clock)
        browser = BrowserSignIn(
            signIn: signIn, link: link, repository: repository, transport: transport, apps: apps,
            limits: limits, room: memory.pending, clock: clock, configuration: tokenIssuer.configuration,
            issuer: tokenIssuer.configuration.issuer)
        appTokens = AppTokens(
            repository: repository, providers: providers, sessions: sessions, tokenIssuer: tokenIssuer, clock: clock)
        register = RegisterWithTicket(
            accounts: repository, providers: providers, tokenIssuer: tokenIssuer, appTokens: appTokens,
            sentAgain: dependencies.sentAgain, clock: clock)
        exchange = ExchangeAccessToken(
            accounts: repository, providers: providers, tokenIssuer: tokenIssuer, appTokens: appTokens,
            transport: transport, registration: registration, budget: memory.budgets.exchanges,
            sentAgain: dependencies.sentAgain, clock: clock)
        introspection = Introspection(
            repository: repository, tokenIssuer: tokenIssuer, rights: sessions.rights,
            line: memory.shares.introspections, clock: clock)
        clientKeys = ClientKeyDocument(keys: tokenIssuer.keys, providers: providers)
        endSession = EndAppSession(
            repository: repository, tokenIssuer: tokenIssuer, apps: apps, providers: providers, transport: transport,
            states: LogoutStates(challenges: challenges, clock: clock), clock: clock)
        match = MatchAttributes(
            repository: repository, budget: memory.budgets.attributeMatches, clock: clock)
    }
}

/// What one process remembers for all its loops, and no store does.
public struct ProcessMemory: Sendable {
    /// The codes that were sent.
    public let codes: DispatchedCodes
    /// What one user may have done.
    public let budgets: UserBudgets
    /// The lines before what costs others something.
    public let shares: WorkShares
    /// The room that sign-ins through the browser take while they are under way.
    public let pending = PendingSignInRoom()

    public init(
        codes: DispatchedCodes, budgets: UserBudgets = .standard, shares: WorkShares = .standard
    ) {
        (self.codes, self.budgets, self.shares) = (codes, budgets, shares)
    }
}
