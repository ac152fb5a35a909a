import EventLoop
import HTTPServer
import Providers
import Settings
import System
import WebAPI

/// The listener for operators, and what of it may change while it serves.
struct AdminListener: Sendable {
    let http: HTTPServer
    let token: AdminToken
    let readiness: ServiceReadiness
    let isOnLoopback: Bool

    /// Binds; it answers after ``HTTPServer/start()``.
    ///
    /// - Parameter connections: how many there may be at once.
    init(
        _ settings: Settings, connections: Int, loop: EventLoop, parts: APIParts, providers: [Provider]
    ) throws(StartError) {
        let token = AdminToken(settings.admin)
        let readiness = ServiceReadiness(repository: parts.repository, clock: parts.clock)
        var limits = HTTPServerLimits(settings.http, connections: connections)
        limits.maximumConnectionsPerAddress = 0
        do throws(SystemError) {
            http = try HTTPServer(
                host: settings.admin.host, port: settings.admin.port, loops: [loop], limits: limits
            ) { _, _ in
                AdminAPI(
                    repository: parts.repository, readiness: readiness, providers: providers, apps: parts.apps,
                    token: token,
                    limits: parts.limits, version: Version.text, wings: parts.wings,
                    observers: parts.observers, clock: parts.clock, logger: parts.logger)
            }
        } catch {
            throw .listen(host: settings.admin.host, port: settings.admin.port, error)
        }
        isOnLoopback = settings.admin.isOnLoopback
        self.token = token
        self.readiness = readiness
    }
}

extension AdminToken {
    convenience init(_ admin: Settings.Admin) { self.init(admin.token) }

    /// Takes over what the configuration says now. Where the listener is bound does not change while it serves, so a
    /// token that is needed there is never given up.
    func take(_ admin: Settings.Admin, boundOnLoopback: Bool) {
        guard let token = admin.token else { return boundOnLoopback ? replace(with: nil) : () }
        replace(with: token)
    }
}
