import Crypto
import OpenIDConnect
import Providers
import Settings

extension Settings {
    /// The providers, each as its section describes it.
    var providerConfigurations: [ProviderConfiguration] {
        providers.map { ProviderConfiguration($0, sharedRedirectURIs: sharedRedirectURIs(of: $0)) }
    }
}

extension ProviderConfiguration {
    private static let secondsPerDay: Int64 = 86_400
    private static let secondsPerHour: Int64 = 3600
    /// Stands for a limit that is switched off.
    private static let unlimited = Duration.seconds(86_400)

    /// A provider as its section of the configuration describes it.
    ///
    /// - Parameter sharedRedirectURIs: those of its redirect URIs that other issuers' answers come back to as well.
    init(_ settings: ProviderSettings, sharedRedirectURIs: [String]) {
        self.init(
            name: settings.name,
            profile: Profile(settings),
            clientID: settings.clientID,
            authentication: Self.authentication(settings),
            redirectURIs: settings.redirectURIs, sharedRedirectURIs: sharedRedirectURIs,
            trustedIssuers: settings.trustedIssuers.map { HostPattern($0) },
            issuerAliases: Dictionary(settings.issuerAliases.map { ($0.old.text, $0.new.text) }) { first, _ in first },
            algorithms: settings.algorithms.compactMap { Crypto.SignatureAlgorithm(rawValue: $0.rawValue) },
            requiresIssuer: settings.requireIss, requiresPKCE: settings.requirePKCE,
            requiresNonce: settings.requireNonce,
            requiresChallenge: settings.requireChallenge,
            minimumACR: settings.minimumACR.flatMap { RequiredAuthentication(values: $0) },
            clockSkewSeconds: Int64(settings.clockSkewSeconds),
            portTokenMaximumAgeSeconds: Int64(settings.portTokenMaxAgeDays ?? 0) * Self.secondsPerDay,
            fetchesUserinfo: settings.userinfo,
            minimumIdentityAgeSeconds: Int64(settings.transactionIdentityMinimumAgeHours ?? 0) * Self.secondsPerHour,
            timeout: settings.timeoutSeconds.map { .seconds($0) } ?? Self.unlimited,
            signInTimeout: settings.signInTimeoutSeconds.map { .seconds($0) } ?? Self.unlimited,
            connectionsPerHost: settings.connectionsPerHost ?? 0, caFile: settings.caFile,
            allowsLoopbackHTTP: settings.allowLoopbackHTTP, cacheBounds: .standard,
            claims: settings.claims, discoveryUI: settings.discoveryUI?.text,
            accessTokenDigestOfEdDSA: settings.atHashOfEdDSA == .sha256 ? .sha256 : .sha512,
            inFlight: settings.inFlight ?? 0, circuit: .standard)
    }

    /// The settings were validated: a secret is there where the method takes one.
    private static func authentication(_ settings: ProviderSettings) -> OpenIDConnect.ClientAuthentication {
        let secret = Secret(settings.clientSecret?.revealed ?? "")
        return switch settings.clientAuthentication {
        case .publicClient: .publicClient(clientID: settings.clientID)
        case .post: .post(clientID: settings.clientID, secret: secret)
        case .basic, .privateKey:
            .basic(
                clientID: settings.clientID, secret: secret, encoding: settings.basicEncoding == .raw ? .raw : .form)
        }
    }
}

extension ProviderConfiguration.Profile {
    /// The settings were validated: `zenkey` has a discovery address, every other profile an issuer.
    fileprivate init(_ settings: ProviderSettings) {
        self =
            settings.profile == .zenkey
            ? .zenkey(discoveryURL: settings.discoveryURL?.text ?? "") : .openid(issuer: settings.issuer?.text ?? "")
    }
}
