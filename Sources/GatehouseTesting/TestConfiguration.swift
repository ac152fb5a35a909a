package import Foundation
package import SimulatedCarriers

/// What a test's service is configured with: a carrier's section, `zenkey`, that of an OpenID Provider, `plain`, and
/// whatever a test has otherwise.
package struct TestConfiguration: Sendable {
    /// How much one address may do in a minute; 0: as much as it likes.
    package struct Limits: Sendable {
        package var signIns: Int
        package var challenges: Int
        package var failedRefreshes: Int
        package var failedAdminTokens: Int
        package var signUps: Int
        /// YAML lines of a wing's.
        package var more: [String]

        package init(
            signIns: Int = 0, challenges: Int = 0, failedRefreshes: Int = 0, failedAdminTokens: Int = 0,
            signUps: Int = 0, more: [String] = []
        ) {
            self.signIns = signIns
            self.challenges = challenges
            self.failedRefreshes = failedRefreshes
            self.failedAdminTokens = failedAdminTokens
            self.signUps = signUps
            self.more = more
        }
    }

    private let top: String
    private let http: String
    private let port: UInt16
    private let zenkey: [String]
    private let plain: [String]
    private let telenor: [String: [String]]
    private let others: [String: [String]]
    private let limits: Limits
    private let adminToken: String?
    private let lameDuckSeconds: Int
    private let storage: String?

    /// - Parameters:
    ///   - top: more top-level YAML.
    ///   - http: more of the section `http`, in flow style.
    ///   - port: where the service listens; 0 lets the kernel choose.
    ///   - zenkey: more YAML lines of the provider `zenkey`; likewise `plain`. `{plain}` is the plain provider's URL,
    ///     and `{beyond}` that of the one like Beyond Identity.
    ///   - telenor: more YAML lines of further providers, clients at TelenorID+, by their names.
    ///   - others: the YAML lines of other providers, by their names, in which `{apple}`, `{google}` and so on are the
    ///     simulated ones' URLs, and `{google without scheme}` what Google calls itself at times.
    ///   - storage: the section `storage`, in flow style; nil for a file in the folder.
    package init(
        top: String = "", http: String = "", port: UInt16 = 0, zenkey: [String] = [], plain: [String] = [],
        telenor: [String: [String]] = [:], others: [String: [String]] = [:], limits: Limits = Limits(),
        adminToken: String? = nil, lameDuckSeconds: Int = 0, storage: String? = nil
    ) {
        self.storage = storage
        self.top = top
        self.http = http
        self.port = port
        self.zenkey = zenkey
        self.plain = plain
        self.telenor = telenor
        self.others = others
        self.limits = limits
        self.adminToken = adminToken
        self.lameDuckSeconds = lameDuckSeconds
    }

    /// What the service is at its simulated providers.
    ///
    /// - Parameter origin: what browsers call it.
    func clients(calledBackAt origin: String) -> [SimulatedClient] {
        SimulatedClient.demo(
            redirectURIs: (["zenkey", "plain"] + telenor.keys + others.keys).map { "\(origin)/auth/\($0)/callback" },
            postLogoutRedirectURIs: telenor.keys.map { "\(origin)/auth/\($0)/logged-out" })
    }

    /// The configuration file.
    ///
    /// - Parameter folder: where users are kept.
    package func yaml(_ simulation: Simulation, _ folder: URL) -> String {
        let adminToken = adminToken.map { ", token: \($0)" } ?? ", openOnLoopback: true"
        // All tests begin at once, and a simulated provider has a share of the same processors.
        let patience = ["timeoutSeconds: 60", "signInTimeoutSeconds: 60"]
        let further = telenor.sorted { $0.key < $1.key }
        let dialects = others.sorted { $0.key < $1.key }
        func section(_ usual: [String], _ changes: [String]) -> String {
            Self.section(usual + patience, changes, simulation)
        }
        let sections =
            further.map { "  \($0.key):\n" + section(Self.telenor(simulation), $0.value) }.joined()
            + dialects.map { "  \($0.key):\n" + section(["allowLoopbackHTTP: true"], $0.value) }.joined()
        return """
            http: {host: 127.0.0.1, port: \(port), loops: 1, lameDuckSeconds: \(lameDuckSeconds), \(http)}
            admin: {port: 0\(adminToken)}
            storage: {\(storage ?? "url: 'file:\(folder.path)/users.db'")}
            rateLimit:
              signInsPerMinutePerAddress: \(limits.signIns)
              challengesPerMinutePerAddress: \(limits.challenges)
              failedRefreshesPerMinutePerAddress: \(limits.failedRefreshes)
              failedAdminTokensPerMinutePerAddress: \(limits.failedAdminTokens)
              signUpsPerMinutePerAddress: \(limits.signUps)
            \(limits.more.map { "  " + $0 }.joined(separator: "\n"))
            providers: [\((["zenkey", "plain"] + (further + dialects).map(\.key)).joined(separator: ", "))]
            \(top)
            provider:
              zenkey:
            \(section(Self.carrier(simulation), zenkey))
              plain:
            \(section(Self.plain(simulation), plain))\(sections)
            """
    }

    /// The lines of a provider's section. What a test says takes the place of what is usual.
    private static func section(_ usual: [String], _ changes: [String], _ simulation: Simulation) -> String {
        let changed = Set(changes.map { $0.prefix { $0 != ":" } })
        let issuers: [SimulatedIssuer] = [.plain, .beyond] + SimulatedIssuer.dialects
        return (usual.filter { !changed.contains($0.prefix { $0 != ":" }) } + changes)
            .map { line in
                // Its port is the kernel's choice.
                guard line.utf8.contains(UInt8(ascii: "{")) else { return "    \(line)\n" }
                let line = issuers.reduce(line) { line, issuer in
                    let url = simulation.url(of: issuer)
                    return line.replacing("{\(issuer.rawValue)}", with: url).replacing(
                        "{\(issuer.rawValue) without scheme}", with: String(url.dropFirst("http://".count)))
                }
                return "    \(line)\n"
            }.joined()
    }

    private static func carrier(_ simulation: Simulation) -> [String] {
        [
            "profile: zenkey", "discoveryURL: \(simulation.discovery)", "clientID: \(RunningGatehouse.clientID)",
            "clientSecret: demo-secret", "redirectURIs: ['\(RunningGatehouse.redirectURI)']",
            "trustedIssuers: ['127.0.0.1', 'localhost']",
            "allowLoopbackHTTP: true",
        ]
    }

    private static func plain(_ simulation: Simulation) -> [String] {
        [
            "profile: openid", "issuer: \(simulation.plain)", "clientID: \(Authorized.plainClientID)",
            "clientSecret: demo-secret-plain", "redirectURIs: ['\(Authorized.plainRedirectURI)']",
            "algorithms: [RS256, ES256]", "allowLoopbackHTTP: true",
        ]
    }

    private static func telenor(_ simulation: Simulation) -> [String] {
        [
            "profile: telenor-id", "issuer: \(simulation.telenor)", "clientID: gatehouse-telenor",
            "clientSecret: demo-secret-telenor", "redirectURIs: ['\(Authorized.plainRedirectURI)']",
            "allowLoopbackHTTP: true",
        ]
    }
}
