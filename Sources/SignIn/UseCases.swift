public import Accounts
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

    /// - Parameters:
    ///   - codes: the codes that were sent, shared by all loops.
    ///   - transport: the loop's own HTTP client.
    ///   - registration: what becomes of somebody nobody knows.
    public init(
        repository: any AccountRepository, issuer: SessionIssuer, providers: ProviderDirectory, codes: DispatchedCodes,
        transport: any HTTPTransport, registration: SignInWithCode.Registration, clock: Clock
    ) {
        signIn = SignInWithCode(
            repository: repository, sessions: issuer, codes: codes, transport: transport, registration: registration,
            clock: clock)
        register = RegisterWithTicket(repository: repository, providers: providers, sessions: issuer, clock: clock)
        link = LinkIdentity(
            repository: repository, providers: providers,
            sensitiveMaximumAgeSeconds: issuer.configuration.sensitiveMaximumAgeSeconds, codes: codes,
            transport: transport, clock: clock)
        approve = ApproveTransaction(
            repository: repository, sessions: issuer, codes: codes, transport: transport, clock: clock)
        challenges = Challenges(repository: repository, clock: clock)
        sessions = Sessions(repository: repository, issuer: issuer, clock: clock)
        accounts = UserAccounts(
            repository: repository, providers: providers,
            sensitiveMaximumAgeSeconds: issuer.configuration.sensitiveMaximumAgeSeconds, clock: clock)
    }
}
