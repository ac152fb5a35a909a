import Crypto
import HTTPServer
import Settings
import SignIn
import Syntax
import System
import WebAPI

extension HTTPServerLimits {
    /// The limits as configured; one that is switched off is 0.
    ///
    /// - Parameter connections: how many there may be, with what descriptors allow (``DescriptorShares``).
    init(_ http: Settings.HTTP, connections: Int) {
        self.init(
            maximumConnections: connections, maximumConnectionsPerAddress: http.connectionsPerAddress ?? 0,
            maximumHeaderBytes: http.headerBytes ?? 0, maximumBodyBytes: http.bodyBytes ?? 0,
            headerTimeout: .seconds(http.headerTimeoutSeconds ?? 0),
            bodyTimeout: .seconds(http.bodyTimeoutSeconds ?? 0), idleTimeout: .seconds(http.idleTimeoutSeconds ?? 0))
    }
}

extension AddressLimits {
    /// This instance's share of the limits as configured; one that is switched off is 0.
    init(_ settings: Settings) {
        let limits = settings.rateLimit
        func share(_ limit: Int?) -> Int { limit.map { max(1, $0 / settings.instances) } ?? 0 }
        self.init(
            signIns: share(limits.signInsPerMinutePerAddress), challenges: share(limits.challengesPerMinutePerAddress),
            failedRefreshes: share(limits.failedRefreshesPerMinutePerAddress),
            failedAdminTokens: share(limits.failedAdminTokensPerMinutePerAddress),
            authorizations: share(limits.authorizationsPerMinutePerAddress),
            pushes: share(limits.pushesPerMinutePerAddress), keys: share(limits.keysPerMinutePerAddress),
            failedLongSecrets: share(limits.failedLongSecretsPerMinutePerAddress),
            signUps: share(limits.signUpsPerMinutePerAddress),
            clientAddress: ClientAddress(
                header: settings.http.clientAddressHeader, trustedProxies: settings.http.trustedProxies))
    }
}

extension PasswordHashing {
    /// - Returns: nil where the KeyService is off.
    convenience init?(_ settings: Settings.KeyService) {
        guard settings.enabled, let scrypt = try? Scrypt(cost: settings.scryptCost) else { return nil }
        self.init(
            scrypt, places: settings.hashesAtOnce ?? max(1, Processors.usable / 2), maximumWaiting: settings.waiting)
    }
}

extension PushLimits.Configuration {
    init(_ push: Settings.Push) {
        self.init(
            lifetimeSeconds: Int64(push.lifetimeSeconds), pushesPerHint: push.perUser,
            windowSeconds: Int64(push.windowSeconds), maximumPending: Int64(push.maximumPending))
    }
}

extension TokenIssuer.Configuration {
    private static let secondsPerDay: Int64 = 86_400

    /// - Parameter address: where the service listens, which is its name where the configuration gives no other.
    init(_ settings: Settings, address: String) {
        let issuer = settings.session.issuer?.text ?? "http://\(address)"
        self.init(
            issuer: BaseURL(issuer), audience: settings.session.audience ?? issuer,
            accessTokenSeconds: Int64(settings.session.accessTokenSeconds),
            refreshTokenSeconds: Int64(settings.session.refreshTokenDays) * Self.secondsPerDay,
            refreshGraceSeconds: Int64(settings.session.refreshGraceSeconds),
            absoluteSeconds: settings.session.absoluteDays.map { Int64($0) * Self.secondsPerDay },
            maximumSessionsPerUser: settings.session.maximumPerUser.map(Int64.init),
            sensitiveMaximumAgeSeconds: settings.session.sensitiveMaxAgeSeconds.map(Int64.init))
    }
}
