import EventLoop
import HTTPServer
import Providers
import Settings
import System
import WebAPI

/// The listener for operators, and what of it may change while it serves.
struct AdminListener: Sendable {
    let http: HTTPServer
    let operators: Operators
    let readiness: ServiceReadiness
    let isOnLoopback: Bool

    /// Binds; it answers after ``HTTPServer/start()``.
    ///
    /// - Parameter connections: how many there may be at once.
    init(
        _ settings: Settings, connections: Int, loop: EventLoop, parts: APIParts, providers: [Provider]
    ) throws(StartError) {
        let operators = Operators(settings.admin)
        let readiness = ServiceReadiness(repository: parts.repository, clock: parts.clock)
        var limits = HTTPServerLimits(settings.http, connections: connections)
        limits.maximumConnectionsPerAddress = 0
        do throws(SystemError) {
            http = try HTTPServer(
                host: settings.admin.host, port: settings.admin.port, loops: [loop], limits: limits
            ) { _, _ in
                AdminAPI(
                    repository: parts.repository, readiness: readiness, providers: providers, apps: parts.apps,
                    operators: operators,
                    demandsReasons: settings.admin.reasons == .required, limits: parts.limits, version: Version.text,
                    wings: parts.wings,
                    observers: parts.observers, clock: parts.clock, logger: parts.logger)
            }
        } catch {
            throw .listen(host: settings.admin.host, port: settings.admin.port, error)
        }
        isOnLoopback = settings.admin.isOnLoopback
        self.operators = operators
        self.readiness = readiness
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
        return operators.map {
            Operators.Entry(
                name: $0.name, token: $0.token, roles: Set($0.roles.map { OperatorRole($0) }), expiresAt: $0.expiresAt)
        } + (single.map { [$0] } ?? [])
    }
}
