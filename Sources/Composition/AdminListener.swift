import EventLoop
import HTTPServer
import Providers
import Settings
import System
import WebAPI

/// The listener for operators, and what of it may change while it serves.
struct AdminListener: Sendable {
    let http: HTTPServer
    /// Has the probes and nothing else; nil where none is configured.
    let probes: HTTPServer?
    let operators: Operators
    let readiness: ServiceReadiness
    let isOnLoopback: Bool

    /// Binds; it answers after ``HTTPServer/start()``.
    ///
    /// - Parameter connections: how many there may be at once.
    init(
        _ settings: Settings, connections: Int, loop: EventLoop, parts: APIParts, providers: [Provider],
        pulse: LoopPulse, sockets: InheritedSockets, certificates: ListenerCertificates?
    ) throws(StartError) {
        let operators = Operators(settings.admin)
        let readiness = ServiceReadiness(repository: parts.repository, clock: parts.clock)
        var limits = HTTPServerLimits(settings.http, connections: connections)
        limits.maximumConnectionsPerAddress = 0
        let api = AdminAPI(
            repository: parts.repository, readiness: readiness, pulse: pulse, providers: providers, apps: parts.apps,
            operators: operators, demandsReasons: settings.admin.reasons == .required, limits: parts.limits,
            version: Version.text, wings: parts.wings, observers: parts.observers, metrics: parts.metrics,
            clock: parts.clock,
            logger: parts.logger)
        let place = sockets.place(of: .admin, host: settings.admin.host, port: settings.admin.port)
        do throws(SystemError) {
            http = try HTTPServer(
                at: place, loops: [loop], limits: limits, tls: certificates?.server
            ) { _, _ in api }
        } catch {
            throw .listen(place, error)
        }
        probes = try Self.probes(settings, sockets, loop) { api.probes }
        isOnLoopback = settings.admin.isOnLoopback
        (self.operators, self.readiness) = (operators, readiness)
    }

    private static let probeConnections = 64

    /// Binds the listener for what looks after the process.
    ///
    /// - Returns: nil where none is configured.
    static func probes(
        _ settings: Settings, _ sockets: InheritedSockets, _ loop: EventLoop,
        _ api: @escaping @Sendable () -> some RequestHandler
    ) throws(StartError) -> HTTPServer? {
        guard let host = settings.probes.host else {
            try sockets.refuse(.probes)
            return nil
        }
        let place = sockets.place(of: .probes, host: host, port: settings.probes.port)
        do throws(SystemError) {
            return try HTTPServer(
                at: place, loops: [loop],
                limits: HTTPServerLimits(settings.http, connections: probeConnections)
            ) { _, _ in api() }
        } catch {
            throw .listen(place, error)
        }
    }

    func start() async throws(SystemError) {
        try await http.start()
        try await probes?.start()
    }

    func drain(within time: Duration) async {
        await http.drain(within: time)
        await probes?.drain(within: time)
    }
}

extension Operators {
    convenience init(_ admin: Settings.Admin) {
        self.init(admin.entries, roleOnLoopback: OperatorRole(admin.roleOnLoopback))
    }

    /// Takes over what the configuration says now. Where the listener is bound does not change while it serves, so
    /// where a token is needed the last one is never given up.
    func take(_ admin: Settings.Admin, boundOnLoopback: Bool) {
        guard admin.hasTokens || boundOnLoopback else { return }
        replace(with: admin.entries)
    }
}

extension OperatorRole {
    init(_ role: Settings.OperatorRole) {
        self =
            switch role {
            case .auditor: .auditor
            case .support: .support
            case .operator: .operator
            case .metrics: .metrics
            }
    }
}

extension Settings.Admin {
    fileprivate var entries: [Operators.Entry] {
        let single = token.map {
            Operators.Entry(name: Operators.nameOfSingleToken, token: $0, roles: [.operator], expiresAt: nil)
        }
        let scraper = metricsToken.map {
            Operators.Entry(name: Operators.nameOfScraper, token: $0, roles: [.metrics], expiresAt: nil)
        }
        return operators.map {
            Operators.Entry(
                name: $0.name, token: $0.token, certificate: $0.certificate,
                roles: Set($0.roles.map { OperatorRole($0) }), expiresAt: $0.expiresAt)
        } + [single, scraper].compactMap(\.self)
    }
}
