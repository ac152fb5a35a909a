package import Accounts
import AccountsSQL
import AccountsSQLite
import Apps
package import EventLoop
import Glibc
import HTTPClient
import HTTPServer
package import Logging
import Observability
import Pages
import Providers
import Sealing
import ServiceLifecycle
package import Settings
import SignIn
import Syntax
import System
package import Telemetry
import WebAPI
package import Wings

/// The composition root: makes every part, lowest first, and puts them together.
///
/// Each loop has an HTTP client and an API of its own; what all loops share (repository, provider caches, session keys)
/// is safe to share.
package struct Server: Service, CustomStringConvertible {
    /// How the log names it. Without one, it would be spelled out with all that it holds.
    package var description: String { "server" }

    let providers: [Provider]
    let apiKeys: APIKeys
    let apps: AppRegistry
    let admin: AdminListener
    let trust: TrustStore
    /// Those of the listeners that speak TLS.
    let certificates: [ListenerCertificates]
    let manager: ServiceManager
    let pulse: LoopPulse
    private let http: HTTPServer
    /// What sends plain http to https; nil where nothing does.
    private let redirect: HTTPServer?
    private let clients: [HTTPClient]
    private let loops: [EventLoop]
    private let adminLoop: EventLoop
    private let store: OpenStore
    let keys: SessionKeys
    let housekeeping: Housekeeping
    private let wings: [OpenWing]
    /// Nil where no traces are sent.
    private let spans: SpanExporter?
    let failedSignIns: FailedSignInLog
    private let drain: Duration
    /// What a stop may take beside what runs, for a service manager that waits for its end.
    private static let lastSteps = Duration.seconds(30)
    private let logger: Logger

    /// - Parameter manager: what has started the process, and may have opened its sockets.
    package static func start(
        _ settings: Settings, wings: [Wing], observers: Observers, metrics: MetricRegistry,
        manager: ServiceManager = .none, logger: Logger
    ) async throws(StartError) -> Server {
        let steps = StepMetrics(settings)
        metrics.add(steps)
        let observers = observers.adding(steps)
        let auditMetrics = AuditMetrics()
        metrics.add(auditMetrics)
        let audit = AuditObservers(all: [auditMetrics, LateRepeatLog(logger: logger)])
        let common = CommonClock(limitSeconds: Int64(settings.storage.clockSkewSeconds))
        let clock = Clock(reading: { .now }, common: common)
        let loops = try startLoops(settings.http.loops ?? Processors.usable)
        // Of its own: who looks whether this server is ready must not wait behind sign-ins.
        let adminLoop = try startLoops(1)[0]
        try refuseExampleKey(settings)
        let tables = try StoreTables(of: wings)
        let certificates = try ListenerCertificates("http", settings.http.certificates)
        let adminCertificates = try ListenerCertificates(
            "admin", settings.admin.certificates, clientCAFile: settings.admin.clientCAFile)
        let allCertificates = [certificates, adminCertificates].compactMap(\.self)
        let store = try await StoreWait(
            settings: settings, certificates: adminCertificates, sockets: manager.sockets, loop: adminLoop,
            logger: logger
        ).opened {
            () throws(StartError) in
            try await OpenStore.open(
                settings.storage, tables: tables, formerIssuers: FormerIssuers(settings.providers),
                for: .server(loops: loops), now: clock.seconds, observers: observers, audit: audit)
        }
        let repository = store.repository
        do throws(RepositoryError) { try await repository.look(at: common) } catch {
            throw .storage(place: store.place, error)
        }
        tellOfReadableKey(settings.storage, logger)
        if store.isNew { tellOfNewStore(store, settings.storage, logger) }
        if let update = store.file?.update { tell(update, logger) }
        let (settings, notices) = try await store.meaning(of: settings)
        for notice in notices + settings.noticesOfExpiry(now: clock.seconds) { logger.warning("\(notice)") }
        try await ProviderChange(store: store, providers: settings.providers).check(logger)
        let open = wings.map { $0.open(settings, observers) }
        let apps = AppRegistry(settings.apps + open.flatMap(\.apps), resourceServers: settings.resourceServers)
        let keys = try await loadKeys(from: store, for: apps, settings, clock)
        let shares = Self.shareDescriptors(settings, loops: loops.count, logger)
        let trust = beginToTrust(settings, logger)
        let clients = await HTTPClient.clients(of: loops, trust: trust)
        let providers = settings.providers.map { Provider($0, clientKeys: keys.clientKeys) }
        let apiKeys = APIKeys(settings.apiKeys)
        let failedSignIns = FailedSignInLog(
            counter: FailedSignInCounter(), repository: repository, clock: clock, logger: logger)
        let parts = Self.parts(
            settings, open, repository: repository, keys: keys, apps: apps, providers: providers, apiKeys: apiKeys,
            failedSignIns: failedSignIns.counter, observers, metrics, clock, logger)
        let limits = HTTPServerLimits(settings.http, connections: shares.clients)
        let http = try makeServer(
            settings, limits, loops: loops, parts: parts, clients: clients, sockets: manager.sockets,
            certificates: certificates)
        let redirect = try RedirectHandler.listener(
            settings, manager.sockets, port: http.address.port, on: adminLoop)
        let pulse = LoopPulse(loops)
        let admin = try AdminListener(
            settings, connections: shares.operators, loop: adminLoop, parts: parts, providers: providers,
            pulse: pulse, sockets: manager.sockets, certificates: adminCertificates)
        let spans = SpanExporter(settings, observers.tracer, on: adminLoop, trust, logger)
        let loopMetrics = LoopMetrics(loops)
        let storeMetrics = StoreMetrics(store: StepMetrics.name(of: settings))
        let sources: [any MetricSource] = [
            HealthMetrics(admin.readiness, providers, clock), loopMetrics, storeMetrics,
            ProcessMetrics(startedAt: .now, version: Version.text, revision: Build.revision),
            KeyMetrics(keys: keys, clock: clock),
            ConnectionMetrics(listeners: [("http", http), ("admin", admin.http)]),
        ]
        if !allCertificates.isEmpty { metrics.add(CertificateMetrics(listeners: allCertificates)) }
        for source in sources + (store.file.map { [$0] } ?? []) { metrics.add(source) }
        let jobs = ServerJobs(
            settings: settings, store: store, parts: parts, open: open, failedSignIns: failedSignIns,
            readiness: admin.readiness, loops: loopMetrics, storeMetrics: storeMetrics, common: common,
            transport: clients[0])
        do throws(SystemError) {
            try await http.start()
            try await redirect?.start()
            try await admin.start()
        } catch {
            throw .system(error)
        }
        return Server(
            providers: providers, apiKeys: apiKeys, apps: apps, admin: admin, trust: trust,
            certificates: allCertificates, manager: manager, pulse: pulse, http: http, redirect: redirect,
            clients: clients,
            loops: loops, adminLoop: adminLoop, store: store, keys: keys,
            housekeeping: Housekeeping(
                jobs.all + (spans.map { [$0.job] } ?? [])
                    + HousekeepingJobs.look(at: allCertificates, logger), clock: clock, logger: logger),
            wings: open, spans: spans, failedSignIns: failedSignIns,
            drain: .seconds(settings.http.drainSeconds), logger: logger)
    }

    private static func parts(
        _ settings: Settings, _ wings: [OpenWing], repository: any AccountRepository, keys: SessionKeys,
        apps: AppRegistry, providers: [Provider], apiKeys: APIKeys, failedSignIns: FailedSignInCounter,
        _ observers: Observers, _ metrics: MetricRegistry, _ clock: Clock, _ logger: Logger
    ) -> APIParts {
        let extensions = APIExtensions(wings.map(\.api))
        return APIParts(
            repository: repository, keys: keys, providers: ProviderRegistry(providers),
            memory: ProcessMemory(
                codes: DispatchedCodes(),
                budgets: UserBudgets(
                    exchanges: settings.rateLimit.exchangesPerHourPerUser,
                    refreshRepeats: settings.rateLimit.refreshRepeatsPerHourPerUser,
                    attributeMatches: settings.rateLimit.attributeMatchesPerDayPerUser),
                shares: WorkShares(
                    introspectionsAtOnce: settings.rateLimit.introspectionsAtOnce)),
            registration: settings.registration,
            apps: apps,
            branding: Branding(name: settings.browser.name ?? "", logo: settings.browser.logo),
            associationFiles: AssociationFiles(
                apple: settings.associationFiles.apple, android: settings.associationFiles.android),
            browser: BrowserSignIn.Limits(
                maximumPending: Int64(settings.browser.pendingSignIns),
                maximumBytes: Int64(settings.browser.pendingBytes), instances: Int64(settings.instances),
                confirmationSeconds: Int64(settings.browser.confirmationDays) * 86_400),
            clock: clock, apiKeys: apiKeys,
            limits: AddressLimits(settings, wings),
            documentation: Documentation(
                version: Version.text, baseURL: settings.session.issuer?.text, wings: extensions),
            wings: extensions, observers: observers, hstsSeconds: settings.hstsSeconds, failedSignIns: failedSignIns,
            metrics: metrics, logger: logger)
    }

    private static func tell(_ update: SchemaUpdate, _ logger: Logger) {
        logger.notice(
            "the database was brought up to date",
            metadata: [
                "from": .stringConvertible(update.from), "to": .stringConvertible(update.to),
                "ms": .stringConvertible(Int(update.took / .milliseconds(1))),
            ])
        guard let copy = update.copy else { return }
        logger.notice(
            "the database as it was is the way back to the former version: it holds personal data, remove it in time",
            metadata: ["copy": "\(copy)"])
    }

    /// A service without users is empty for a reason: it was never there, or it was looked for in another place.
    private static func tellOfNewStore(_ store: OpenStore, _ storage: Settings.Storage, _ logger: Logger) {
        logger.notice("a new store was made: it has no users", metadata: ["store": "\(store.place)"])
        guard storage.create else { return }
        logger.notice(
            "storage.create is true: where the store is missing at a later start, an empty one is made again; set it to false"
        )
    }

    /// Before anything is sealed under it: who copies the examples for a service of their own would tell its secrets
    /// to all.
    private static func refuseExampleKey(_ settings: Settings) throws(StartError) {
        guard let path = settings.storage.masterKeyFile, let issuer = settings.session.issuer,
            !HostName.isLoopback(issuer.host), let key = try? MasterKey.load(path: path, madeWith: nil),
            MasterKey.isExample(key)
        else { return }
        throw .exampleMasterKey(path: path)
    }

    /// What it seals is sealed for nobody who has an account on this machine.
    private static func tellOfReadableKey(_ storage: Settings.Storage, _ logger: Logger) {
        let beside: String? = if case .file(let path) = storage.url { path + ".key" } else { nil }
        guard let path = storage.masterKeyFile ?? beside, MasterKey.isReadableByOthers(path: path) else { return }
        logger.warning(
            "everybody on this machine can read the master key; chmod 600 leaves it to its owner",
            metadata: ["file": "\(path)"])
    }

    private static func loadKeys(
        from store: OpenStore, for apps: AppRegistry, _ settings: Settings, _ clock: Clock
    ) async throws(StartError) -> SessionKeys {
        do throws(SessionKeys.LoadError) {
            return try await SessionKeys.load(
                from: store.repository,
                for: SigningKeyEntry.Purpose.needed(
                    for: apps, settings.session.accessTokens,
                    algorithms: settings.providers.reduce(into: []) { $0.formUnion($1.sharedKeys) }),
                settings.session.accessTokens, remembered: settings.session.rememberedTokens, now: clock.seconds)
        } catch {
            // A store may open and turn out to be damaged where the keys are.
            if case .repository(let error) = error { throw .storage(place: store.place, error) }
            throw .sessionKeys(error)
        }
    }

    /// Has the trust anchors read, so that the first sign-in finds them; the start does not wait for it.
    private static func beginToTrust(_ settings: Settings, _ logger: Logger) -> TrustStore {
        let trust = TrustStore()
        // Where plain http is allowed, TLS may never be asked for.
        let files = Set(settings.providers.filter { !$0.allowsLoopbackHTTP }.map(\.caFile))
        Task {
            for file in await trust.load(files) {
                logger.error("the trust anchors can't be read", metadata: ["file": "\(file)"])
            }
        }
        return trust
    }

    /// Runs until the group of services is shut down.
    ///
    /// It says where it listens only now, when a signal already means to drain: a reader of that line may stop it at
    /// once.
    func run() async throws {
        logger.notice(
            "listening",
            metadata: [
                "address": "\(http.address)", "loops": .stringConvertible(loops.count),
                "store": "\(store.file == nil ? store.place : "SQLite \(SQLiteAccounts.libraryVersion)")",
                "version": "\(Version.text)",
            ])
        logger.notice("admin listening", metadata: ["address": "\(admin.http.address)"])
        if let probes = admin.probes { logger.notice("probes listening", metadata: ["address": "\(probes.address)"]) }
        manager.tell(.ready("\(http.address)"))
        await withGracefulShutdownHandler {
            await housekeeping.run()
        } onGracefulShutdown: {
            housekeeping.stop()
        }
        await stop()
    }

    package var repository: any AccountRepository { store.repository }

    /// The HTTP client by which providers are told what has ended.
    var grantTransport: HTTPClient { clients[0] }

    /// What the jobs of wings are made of, by a clock of the caller's.
    func jobParts(at clock: Clock) -> JobParts {
        JobParts(
            repository: repository, providers: ProviderRegistry(providers), transport: grantTransport, clock: clock,
            observers: .none, logger: logger)
    }

    /// Where the API listens, with the real port.
    package var address: SocketAddress { http.address }
    /// Where the API for operators listens.
    package var adminAddress: SocketAddress { admin.http.address }

    /// Tells load balancers to send their requests elsewhere, and answers meanwhile as always.
    ///
    /// - Parameter time: how long that goes on.
    func beginLameDuck(for time: Duration) async {
        manager.tell(.stopping(within: time + drain + Self.lastSteps))
        await admin.readiness.drain()
        await http.announceClose()
    }

    /// Lets running requests finish, within the time that draining may take, and closes the store last.
    package func stop() async {
        logger.notice("draining")
        manager.tell(.stopping(within: drain + Self.lastSteps))
        // Who looks whether this server is ready is answered to the last.
        await admin.readiness.drain()
        await redirect?.drain(within: .zero)
        await http.drain(within: drain)
        await admin.drain(within: drain)
        for wing in wings { await wing.finish() }
        for client in clients { await client.shutDown() }
        // What was counted since the last minute; where the store can't take it, the log has it.
        try? await failedSignIns.write()
        await store.close()
        await spans?.finish()
        for loop in loops + [adminLoop] { loop.stop() }
        logger.notice("stopped")
    }

    private static func shareDescriptors(_ settings: Settings, loops: Int, _ logger: Logger) -> DescriptorShares {
        let descriptors = DescriptorLimit.inEffect
        let shares = DescriptorShares(settings, descriptors: descriptors, loops: loops)
        if let descriptors, shares.clients < settings.http.connections ?? 0 {
            logger.warning(
                "fewer descriptors than http.connections takes: the limit is lower; raise the hard limit of open files",
                metadata: [
                    "descriptors": .stringConvertible(descriptors),
                    "configured": .stringConvertible(settings.http.connections ?? 0),
                    "connections": .stringConvertible(shares.clients),
                ])
        }
        return shares
    }

    private static func startLoops(_ count: Int) throws(StartError) -> [EventLoop] {
        var loops: [EventLoop] = []
        for index in 0..<count {
            do throws(SystemError) {
                let loop = try EventLoop(label: "loop \(index)")
                loop.start()
                loops.append(loop)
            } catch {
                throw .system(error)
            }
        }
        return loops
    }

    private static func makeServer(
        _ settings: Settings, _ limits: HTTPServerLimits, loops: [EventLoop], parts: APIParts, clients: [HTTPClient],
        sockets: InheritedSockets, certificates: ListenerCertificates?
    ) throws(StartError) -> HTTPServer {
        let byLoop = Dictionary(
            uniqueKeysWithValues: zip(loops, clients).map { (ObjectIdentifier($0), $1) })
        let http = settings.http
        let place = sockets.place(of: .http, host: http.host, port: http.port)
        do throws(SystemError) {
            return try HTTPServer(
                at: place, loops: loops, limits: limits,
                proxies: http.trustedProxies, tls: certificates?.server
            ) { loop, address in
                // The configured host and not the bound address: a name stays a name.
                let issuer = TokenIssuer(
                    configuration: .init(settings, address: Authority.text(host: http.host, port: address.port)),
                    keys: parts.keys, repository: parts.repository)
                return parts.api(tokenIssuer: issuer, client: byLoop[ObjectIdentifier(loop)] ?? clients[0])
            }
        } catch {
            throw .listen(place, error)
        }
    }
}

extension StepMetrics {
    convenience init(_ settings: Settings) {
        self.init(
            providers: settings.providers.map(\.name), steps: ProviderProblem.Step.allCases.map(\.name),
            store: Self.name(of: settings))
    }

    /// What the store is, as labels have it.
    static func name(of settings: Settings) -> String {
        if case .file = settings.storage.url { "sqlite" } else { "postgresql" }
    }
}
