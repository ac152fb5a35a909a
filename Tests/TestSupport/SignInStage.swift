public import Accounts
public import Apps
internal import Crypto
public import HTTPClient
internal import JOSE
public import JSON
public import Providers
public import SignIn
import Synchronization
internal import Syntax
public import System
import Telemetry

/// Everything a sign-in needs, in memory but for the store: a carrier, discovery, a provider, a repository, a clock.
///
/// As it is made, a sign-in succeeds; a test changes what it is about.
public final class SignInStage: Sendable {
    public let transport = ScriptedTransport()
    public let carrier = SigningProvider()
    public let former = SigningProvider(issuer: "https://id.former.example", key: TestKeys.otherRSA)
    public let provider: Provider
    public let repository: any AccountRepository
    public let sessionKeys: SessionKeys
    public let issuer: TokenIssuer
    public let codes = DispatchedCodes()
    package let ofWings = WingMemory()
    public let apps: AppRegistry
    public let providers: ProviderRegistry
    private let registration: RegistrationMode
    private let budgets: UserBudgets
    private let store: TemporaryStore?
    private let time = Mutex(SigningProvider.now)

    /// - Parameter repository: a store that is there; nil for one in a file, which goes with the stage.
    public init(
        in repository: (any AccountRepository)? = nil,
        registration: RegistrationMode = .automatic, absoluteSeconds: Int64? = nil,
        refreshRepeats: RefreshRepeat = .untilSuccessor, apps: AppRegistry = AppRegistry([], resourceServers: []),
        others: [ProviderConfiguration] = [], permissions: Permissions = .everything, splitsAudiences: Bool = false,
        budgets: UserBudgets = .standard, _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws {
        self.registration = registration
        self.budgets = budgets
        self.apps = apps
        provider = Provider(.zenkey(change))
        providers = ProviderRegistry([provider] + others.map { Provider($0) })
        if let repository {
            store = nil
            self.repository = repository
        } else {
            let temporary = try await TemporaryStore()
            store = temporary
            self.repository = temporary.repository
        }
        sessionKeys = try await Self.sessionKeys(of: self.repository, for: apps)
        issuer = TokenIssuer(
            configuration: TokenIssuer.Configuration(
                issuer: BaseURL("https://gatehouse.example"), audience: "api",
                splitsAudiences: splitsAudiences, permissions: permissions, accessTokenSeconds: 900,
                refreshTokenSeconds: 86_400, refreshRepeats: refreshRepeats, absoluteSeconds: absoluteSeconds,
                maximumSessionsPerUser: 50, maximumExchangedSessionsPerUser: 10,
                sensitiveMaximumAgeSeconds: 300),
            keys: sessionKeys, repository: self.repository)
        carrier.publish(on: transport)
        former.publish(on: transport)
        transport.answer(ProviderConfiguration.discoveryURL, json: carrier.metadata)
        try answerToken()
        answerUserinfo(Self.userinfo)
    }

    private static func sessionKeys(
        of repository: any SigningKeyRepository, for apps: AppRegistry
    ) async throws -> SessionKeys {
        if apps.hasRS256 {
            // Making one takes longer than a test.
            let key = TestKeys.otherRSA
            try await repository.addSigningKey(
                SigningKey(
                    kid: key.publicKey.thumbprint, purpose: .idToken,
                    privateKey: key.pemRepresentation().revealedBytes, createdAt: SigningProvider.now))
        }
        return try await SessionKeys.load(
            from: repository, for: apps.hasRS256 ? [.idToken] : [], now: SigningProvider.now)
    }

    public static let userinfo: JSONValue = [
        "sub": "310260-subject", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
        "email": "jane@example.com", "phone_number": "+12065550100", "postal_code": "90210",
    ]

    public var clock: Clock { Clock { [self] in time.withLock(\.self) } }
    public var now: Int64 { time.withLock(\.self) }
    public func pass(seconds: Int64) { time.withLock { $0 += seconds } }

    public var useCases: UseCases { useCases(remembering: ProcessMemory(codes: codes, budgets: budgets)) }

    /// Those of a process that remembers this, on the same store.
    ///
    /// - Parameter others: its providers; nil for the stage's.
    public func useCases(
        remembering memory: ProcessMemory = ProcessMemory(codes: DispatchedCodes()), at others: ProviderRegistry? = nil
    ) -> UseCases {
        UseCases(
            repository: repository, tokenIssuer: issuer, providers: others ?? providers, memory: memory,
            transport: transport, registration: registration, apps: apps,
            browser: BrowserSignIn.Limits(
                maximumPending: 1000, maximumBytes: 1 << 20, instances: 1, confirmationSeconds: 86_400), clock: clock,
            observers: .none)
    }

    public func isSignedIn(_ outcome: SignInWithProvider.Outcome) async -> Bool {
        (try? await sessions.principal(of: outcome.tokens.accessToken).session) != nil
    }

    public func auditTrail() async throws -> [AuditEvent.Kind] {
        try await repository.auditEvents(after: 0, limit: .max, user: nil).map(\.kind)
    }

    public var signInWithCode: SignInWithProvider { useCases.signIn }
    public var sessions: Sessions { useCases.sessions }

    public var tokenRequests: [OutboundRequest] { transport.requests(to: carrier.tokenEndpoint) }

    /// The token endpoint gives an ID token with these changes.
    public func answerToken(_ change: (inout TokenDraft) -> Void = { _ in }) throws {
        transport.answer(carrier.tokenEndpoint, json: Self.tokens(idToken: try carrier.idToken(change)))
    }

    public static func tokens(idToken: String) -> JSONValue {
        ["access_token": "access", "token_type": "Bearer", "id_token": .string(idToken)]
    }

    public func answerUserinfo(_ userinfo: JSONValue) {
        transport.answer(carrier.userinfoEndpoint, json: userinfo)
    }

    /// What a stock app posts.
    public static let parameters = [
        "code": "the-code", "redirect_uri": ProviderConfiguration.redirectURI, "mccmnc": "310260",
        "code_verifier": String(repeating: "v", count: 43), "nonce": "the-nonce",
    ]

    public func response(_ changes: [String: String] = [:]) throws -> AuthorizedResponse {
        let parameters = Self.parameters.merging(changes) { $1 }
        return try AuthorizedResponse({ parameters[$0.rawValue] }, for: provider)
    }

    /// Signs in with some parameters changed; an empty one counts as absent.
    @discardableResult
    public func signIn(_ changes: [String: String] = [:]) async throws -> SignInWithProvider.Outcome {
        try await signInWithCode.signIn(
            try response(changes), with: provider, userAgent: "App/1.0", replacing: nil, in: .unobserved)
    }

    /// Why a sign-in fails; nil when it does not.
    public func failure(
        _ changes: [String: String] = [:], at other: Provider? = nil
    ) async throws -> ServiceError? {
        let response = try response(changes)
        do throws(ServiceError) {
            _ = try await signInWithCode.signIn(
                response, with: other ?? provider, userAgent: nil, replacing: nil, in: .unobserved)
            return nil
        } catch {
            return error
        }
    }

    /// Another start of the service on the same store.
    public func reloadedSessionKeys() async throws -> SessionKeys {
        try await SessionKeys.load(from: repository, for: apps.hasRS256 ? [.idToken] : [], now: now)
    }
}
