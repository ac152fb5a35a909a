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
    /// The limits as configured; one that is switched off is 0.
    init(_ settings: Settings) {
        let limits = settings.rateLimit
        self.init(
            signIns: limits.signInsPerMinutePerAddress ?? 0, challenges: limits.challengesPerMinutePerAddress ?? 0,
            failedRefreshes: limits.failedRefreshesPerMinutePerAddress ?? 0,
            failedAdminTokens: limits.failedAdminTokensPerMinutePerAddress ?? 0,
            authorizations: limits.authorizationsPerMinutePerAddress ?? 0,
            pushes: limits.pushesPerMinutePerAddress ?? 0, keys: limits.keysPerMinutePerAddress ?? 0,
            failedLongSecrets: limits.failedLongSecretsPerMinutePerAddress ?? 0,
            signUps: limits.signUpsPerMinutePerAddress ?? 0,
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
            issuer: issuer, audience: settings.session.audience ?? issuer,
            accessTokenSeconds: Int64(settings.session.accessTokenSeconds),
            refreshTokenSeconds: Int64(settings.session.refreshTokenDays) * Self.secondsPerDay,
            refreshGraceSeconds: Int64(settings.session.refreshGraceSeconds),
            absoluteSeconds: settings.session.absoluteDays.map { Int64($0) * Self.secondsPerDay },
            maximumSessionsPerUser: settings.session.maximumPerUser.map(Int64.init),
            sensitiveMaximumAgeSeconds: settings.session.sensitiveMaxAgeSeconds.map(Int64.init))
    }
}
