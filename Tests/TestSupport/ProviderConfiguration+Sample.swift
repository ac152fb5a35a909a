internal import Crypto
public import Providers
public import System

extension ProviderConfiguration {
    public static let discoveryURL = "https://discovery.example/.well-known/openid_configuration"
    public static let redirectURI = "ccid-0123456789abcdef://com.xci.provider.sdk"

    /// A provider like the carriers behind ZenKey: found by network, several trusted issuers.
    public static func zenkey(_ change: (inout ProviderConfiguration) -> Void = { _ in }) -> ProviderConfiguration {
        var configuration = ProviderConfiguration(
            .openID, name: "zenkey", issuerSource: .network(discoveryURL: discoveryURL),
            clientID: "ccid-0123456789abcdef",
            authentication: .basic(
                clientID: "ccid-0123456789abcdef", secret: Secret("client-secret"), encoding: .form),
            redirectURIs: [redirectURI], emailTrust: EmailTrust(.all),
            codeProtection: CodeProtection(pkce: .enforced, nonce: .required))
        configuration.trustedIssuers = ["carrier.example", "*.former.example"].map { TrustedIssuer($0) }
        configuration.scopes = ["openid", "email"]
        change(&configuration)
        return configuration
    }

    /// Any OpenID Provider: its issuer is known, and networks mean nothing to it.
    public static func openID(_ change: (inout ProviderConfiguration) -> Void = { _ in }) -> ProviderConfiguration {
        zenkey {
            $0.name = "openid"
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            change(&$0)
        }
    }
}

extension Provider {
    /// One use of this provider.
    ///
    /// - Parameter time: what its clock shows all the time; nil for the present.
    public func client(
        through transport: ScriptedTransport, in call: CallContext = .unobserved, at time: MonotonicTime? = nil
    ) throws -> ProviderClient {
        try client(through: transport, in: call) { time ?? .now }
    }

    /// - Parameter clock: shows what time it is.
    public func client(
        through transport: ScriptedTransport, in call: CallContext = .unobserved,
        clock: @escaping @Sendable () -> MonotonicTime
    ) throws -> ProviderClient {
        guard let client = ProviderClient(entering: self, through: transport, in: call, clock: clock) else {
            throw NoPlace()
        }
        return client
    }

    /// Its bulkhead is full.
    public struct NoPlace: Error {}
}
