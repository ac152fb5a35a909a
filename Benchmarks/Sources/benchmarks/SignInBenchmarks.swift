internal import Accounts
internal import AccountsSQL
internal import AccountsSQLite
internal import Apps
internal import Crypto
internal import EventLoop
internal import HTTPServer
internal import JOSE
internal import Logging
internal import Pages
internal import Providers
internal import SignIn
internal import Syntax
internal import System
internal import Telemetry
internal import WebAPI

/// The whole road but for the sockets, and its longest stretch, the repository. Writes are durable, as in a server.
enum SignInBenchmarks {
    private static let concurrency = 64
    private static let signIns = 100

    static func all(
        _ carrier: Carrier, _ repository: SQLiteAccounts, _ api: WebAPI, _ connection: Connection
    ) async throws -> [Benchmark] {
        // Made beforehand, with those that are done before anything is counted.
        let requests = (1...(signIns + signIns / 10)).map(request)
        let nativeRequests = try (1...(signIns + signIns / 10)).map { try nativeRequest(token: $0, of: carrier) }
        var codes = 0
        var tokens = 0
        return [
            Benchmark("store-sign-in", rounds: 20, operationsPerRound: concurrency) {
                try await withThrowingTaskGroup { group in
                    for user in 0..<concurrency {
                        group.addTask { _ = try await repository.signIn(record(of: user)) }
                    }
                    try await group.waitForAll()
                }
            },
            Benchmark("sign-in", rounds: signIns) {
                codes += 1
                let response = await connection.respond(to: requests[codes - 1], with: api)
                require(response.status == .ok, "the user is signed in")
            },
            Benchmark("sign-in-native", rounds: signIns) {
                tokens += 1
                let response = await connection.respond(to: nativeRequests[tokens - 1], with: api)
                require(response.status == .ok, "the user is signed in")
            },
        ]
    }

    private static func request(code: Int) -> HTTPRequest { request(SignInRequest.body(code: code)) }

    static func nativeRequest(token: Int, of carrier: Carrier) throws -> HTTPRequest {
        request(SignInRequest.body(idToken: try carrier.nativeToken(token)))
    }

    static func request(
        method: HTTPMethod = .post, _ body: String, to path: String = "/auth/signin",
        _ headers: [(String, String)] = [("Content-Type", "application/json")]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, headers: headers + [("User-Agent", "ExampleApp/4.2 (Android 16)")],
            body: Array(body.utf8),
            peer: SocketAddress(address: IPAddress(v4: 0), port: 0), id: "request",
            receivedAt: .now)
    }

    static func makeAPI(_ carrier: Carrier, _ repository: SQLiteAccounts) async throws -> WebAPI {
        let clock = Clock { Carrier.time }
        let issuer = TokenIssuer(
            configuration: .benchmarks, keys: try await SessionKeys.load(from: repository, for: [], now: Carrier.now),
            repository: repository)
        let providers = ProviderRegistry([Provider(configuration)])
        let apps = AppRegistry([], resourceServers: [])
        return WebAPI(
            providers: providers,
            useCases: UseCases(
                repository: repository, tokenIssuer: issuer, providers: providers,
                memory: ProcessMemory(codes: DispatchedCodes()),
                transport: carrier, registration: .automatic, apps: apps,
                browser: BrowserSignIn.Limits(
                    maximumPending: 1000, maximumBytes: 1 << 20, instances: 1, confirmationSeconds: 0), clock: clock,
                observers: .none),
            apps: apps, branding: Branding(name: ""), associationFiles: AssociationFiles(apple: nil, android: nil),
            apiKeys: APIKeys([]),
            limits: AddressLimits(
                [.signIns: 1_000_000],
                clientAddress: ClientAddress(header: .xForwardedFor, trustedProxies: [])),
            documentation: Documentation(version: "0", baseURL: nil, wings: .none), wings: .none, hstsSeconds: nil,
            failedSignIns: FailedSignInCounter(), metrics: MetricRegistry(),
            logger: Logger(label: "benchmarks") { _ in SilentLog() })
    }

    private static var configuration: ProviderConfiguration {
        var configuration = ProviderConfiguration(
            .openID, name: "carrier", issuerSource: .configured(issuer: Carrier.issuer), clientID: Carrier.clientID,
            authentication: .basic(clientID: Carrier.clientID, secret: Secret("demo-secret"), encoding: .form),
            redirectURIs: ["com.example.app:/callback"], emailTrust: EmailTrust(.all),
            codeProtection: CodeProtection(pkce: .enforced, nonce: .required))
        configuration.scopes = ["openid"]
        configuration.requiresNonce = true
        configuration.timeout = .seconds(60)
        configuration.signInTimeout = .seconds(60)
        configuration.connectionsPerHost = 0
        configuration.nativeTokens = NativeTokenRules(
            audiences: [], nonceForm: .hexadecimalSHA256, maximumAgeSeconds: 86_400)
        return configuration
    }

    private static func record(of user: Int) throws -> SignInRecord {
        let session = SessionID(now: Carrier.now, random: (.random(in: 0 ... .max), .random(in: 0 ... .max)))
        return SignInRecord(
            (
                evidence: .authorizationCode(OneTimeUse(hash: try randomHash(), expiresAt: Carrier.now + 3600)),
                challenge: nil,
                provider: "carrier", subject: Subject(issuer: Carrier.issuer, value: "user-\(user)"), personKey: nil,
                ported: [], refusedPortTokens: 0,
                registration: .automatic(reference: "reference-\(user)"),
                attributes: ["name": "Jane Doe", "email": "jane@example.com", "phone_number": "+12065550100"],
                own: nil, claims: TypedClaims(),
                session: NewSession(
                    id: session, family: session, expiresAt: Carrier.now + 86_400,
                    userAgent: "ExampleApp/4.2 (Android 16)",
                    authentication: Authentication(acr: "a3", amr: ["hwk", "pin"], time: Carrier.now - 5),
                    authenticatedAt: Carrier.now - 5, challengedAt: nil, client: Carrier.clientID, scope: nil,
                    audience: nil, declined: nil, upstreamSession: nil, source: .signIn, replaces: nil),
                beginning: .untold, appCode: nil, push: nil, approval: nil, kept: nil,
                sessionLimits: SessionLimits(inAll: TokenIssuer.Configuration.benchmarkSessions, perApp: nil),
                now: Carrier.time
            ))
    }

    private static func randomHash() throws -> TokenHash {
        guard let hash = TokenHash(Random.bytes(TokenHash.byteCount)) else {
            throw CancellationError()
        }
        return hash
    }
}

/// Asks for an answer as a server's connections do, which are actors on its loop: from anywhere else each call that
/// comes back would be another job.
actor Connection: LoopBound {
    let loop: EventLoop

    init(loop: EventLoop) { self.loop = loop }

    func respond(to request: HTTPRequest, with api: WebAPI) async -> HTTPResponse { await api.respond(to: request) }
}

/// Takes lines as a server at its usual level does, and writes them nowhere.
private struct SilentLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {}
}
