import HTTPServer
import Settings
import SignIn
import Syntax
import WebAPI
import Wings

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
    /// This instance's share of the limits as configured, those of wings too.
    init(_ settings: Settings, _ wings: [OpenWing]) {
        let limits = settings.rateLimit
        var perMinute: [AddressLimit: Int?] = [
            .signIns: limits.signInsPerMinutePerAddress, .challenges: limits.challengesPerMinutePerAddress,
            .failedRefreshes: limits.failedRefreshesPerMinutePerAddress,
            .failedAdminTokens: limits.failedAdminTokensPerMinutePerAddress,
            .authorizations: limits.authorizationsPerMinutePerAddress,
        ]
        for wing in wings { perMinute.merge(wing.limits) { $1 } }
        self.init(
            perMinute.compactMapValues { limit in limit.map { max(1, $0 / settings.instances) } },
            clientAddress: ClientAddress(
                header: settings.http.clientAddressHeader, trustedProxies: settings.http.trustedProxies))
    }
}

extension TokenIssuer.Configuration {
    private static let secondsPerDay: Int64 = 86_400

    /// - Parameter address: where the service listens, which is its name where the configuration gives no other.
    init(_ settings: Settings, address: String) {
        let issuer = settings.session.issuer?.text ?? "\(settings.http.scheme)://\(address)"
        self.init(
            issuer: BaseURL(issuer), audience: settings.session.audience ?? issuer,
            splitsAudiences: settings.session.splitAudiences, subjects: settings.session.subjects,
            permissions: settings.session.permissions,
            exchangePermissions: settings.session.exchangePermissions,
            accessTokenSeconds: Int64(settings.session.accessTokenSeconds),
            refreshTokenSeconds: Int64(settings.session.refreshTokenDays) * Self.secondsPerDay,
            refreshRepeats: settings.session.refreshRepeats,
            absoluteSeconds: settings.session.absoluteDays.map { Int64($0) * Self.secondsPerDay },
            maximumSessionsPerUser: settings.session.maximumPerUser.map(Int64.init),
            maximumSessionsPerApp: settings.session.maximumPerApp.map(Int64.init),
            maximumExchangedSessionsPerUser: settings.session.maximumExchangedPerUser.map(Int64.init),
            sensitiveMaximumAgeSeconds: settings.session.sensitiveMaxAgeSeconds.map(Int64.init))
    }
}
